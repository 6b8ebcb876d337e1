//! The proofs through the real binary: what the program promises, attacked.

#[path = "../support/mod.rs"]
mod support;

mod canaries;
mod editors;
mod injections;
mod journeys;
mod kill;
mod no_socket;
mod recorded_effects;
mod sandbox;
mod scope;
mod torn;
mod tripwires;

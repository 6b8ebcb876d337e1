//! Stories at a real pseudo-terminal: keys in, the screen out.

#[path = "../support/mod.rs"]
mod support;

mod budget;
mod day;
mod goals;
mod hooks;
mod hostile;
mod keys;
mod notify;
mod promises;
mod runs;
mod screen;
mod trust;

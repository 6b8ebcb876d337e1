//! The command line as scripts see it: output, exit codes, bad input, locks.

#[path = "../support/mod.rs"]
mod support;

mod acp;
mod acp_hostile;
mod acp_loads;
mod acp_servers;
mod acp_sessions;
mod auth;
mod bad_gates;
mod bad_input;
mod blame;
mod budget;
mod commit;
mod contract;
mod copies;
mod embedder;
mod endless;
mod facts;
mod golden;
mod hostile;
mod knowledge;
mod large_log;
mod lock;
mod log_file;
mod memory;
mod mended;
mod models;
mod odd_files;
mod ordinary;
mod permissions;
mod plans;
mod promises;
mod recipes;
mod recorded;
mod results;
mod sources;
mod stopped;
mod undo;
mod upkeep;

//! Embedders beside the built-in one: a sentence model from a folder, an endpoint.
//!
//! Owns how vectors are got; core compares them. Never falls back to another one by itself: what
//! went wrong is told, and the next tier takes over.

use std::path::Path;

use pilothouse_core::{
    embed::Embedder,
    talk::{Fault, FaultKind},
};

#[cfg(feature = "local-embedder")]
mod bert;
#[cfg(feature = "local-embedder")]
mod local;
mod remote;
#[cfg(feature = "local-embedder")]
mod wordpiece;

pub use remote::Remote;

/// Whether this build can read a sentence model from a folder.
pub const HAS_LOCAL: bool = cfg!(feature = "local-embedder");

/// A sentence model of the BERT family from a folder with `config.json`, `tokenizer.json` and
/// `model.safetensors`. Takes as long as reading the weights does.
///
/// # Errors
/// What is missing or wrong in the folder, or that this build has no such embedder.
#[cfg(feature = "local-embedder")]
pub fn local(folder: &Path) -> Result<Box<dyn Embedder>, Fault> {
    Ok(Box::new(local::Local::open(folder)?))
}

/// As with the feature `local-embedder`, which this build lacks.
///
/// # Errors
/// Always: that this build has no such embedder.
#[cfg(not(feature = "local-embedder"))]
pub fn local(folder: &Path) -> Result<Box<dyn Embedder>, Fault> {
    Err(fault(
        format!("this build cannot read the sentence model in {}", folder.display()),
        "build with `--features local-embedder`, or leave `folder` out of [embedder]",
    ))
}

/// What a folder lacks at first sight, in words; nothing of it is read.
pub fn lacking(folder: &Path) -> Option<String> {
    let kind = match std::fs::metadata(folder) {
        Ok(found) if found.is_dir() => return FILES.into_iter().find_map(|name| lacking_file(folder, name)),
        Ok(_) => "is no folder",
        Err(_) => "is not there",
    };
    Some(format!("{} {kind}", folder.display()))
}

/// What a sentence model consists of.
const FILES: [&str; 3] = ["config.json", "tokenizer.json", "model.safetensors"];

fn lacking_file(folder: &Path, name: &str) -> Option<String> {
    (!folder.join(name).is_file()).then(|| format!("{} has no file {name}", folder.display()))
}

fn fault(message: impl Into<String>, hint: &str) -> Fault {
    Fault { kind: FaultKind::Internal, message: message.into(), hint: hint.to_owned(), status: None }
}

//! `pilothouse-sources` asks: it speaks to MCP servers and hands back what they say.
//!
//! It owns how a source is written down, its process or connection from the first call to the end, and the bounds
//! of everything that comes back: time, bytes, numbers. It never decides whether a source may be started or a tool
//! called, and never takes what a server says for anything but data.

mod auth;
mod catalog;
mod connection;
mod consent;
mod definition;
mod fault;
mod form;
mod handler;
mod meter;
mod pool;
mod wire;

pub use auth::{AuthFault, How, Invitation, Registered, SignIn, sign_in};
pub use catalog::{Catalog, RemoteTool};
pub use connection::Listener;
pub use consent::Consent;
pub use definition::{
    Definition, FileFault, Origin, Reach, hidden_of, of_client, read_common, read_one, slug,
};
pub use fault::SourceFault;
pub use form::{Field, FieldKind, Form};
pub use pool::{Allowed, Answer, Checked, Holds, Keeper, Lookup, Sources, Surroundings};

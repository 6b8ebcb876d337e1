//! Notes in a plain text file.

pub mod note;
pub mod search;
pub mod store;

pub use note::Note;
pub use search::find_notes;
pub use store::Store;

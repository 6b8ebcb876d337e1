//! Marks around text of foreign origin in what a model is told.
//!
//! Owns the two ways by which such a text cannot close the mark that it stands in. Never says what a mark is called.

/// Text that cannot close the mark that it stands in; nothing else of it changes.
pub fn inside(text: &str, mark: &str) -> String {
    text.replace(&format!("</{mark}"), &format!("<\\/{mark}"))
}

/// Text in which nothing is a mark.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

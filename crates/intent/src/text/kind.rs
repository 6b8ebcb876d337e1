//! Tells file names, paths, flags, numbers and identifiers from plain words.
//!
//! Owns the shapes of single tokens. Never looks at the tokens around.

use super::Kind;

const DOTFILES: &[&str] = &[
    "gitignore",
    "dockerignore",
    "editorconfig",
    "env",
    "npmrc",
    "nvmrc",
    "prettierrc",
    "eslintrc",
    "gitattributes",
    "bashrc",
    "zshrc",
    "babelrc",
    "npmignore",
    "pylintrc",
    "vimrc",
];

/// The kind of a run of characters without spaces.
pub(super) fn kind_of(raw: &str) -> Kind {
    let first = raw.chars().next().unwrap_or(' ');
    if raw.contains("://") || raw.starts_with("www.") {
        return Kind::Url;
    }
    if first == '-' && raw.len() > 1 {
        return if raw.chars().any(char::is_alphabetic) { Kind::Flag } else { Kind::Word };
    }
    if raw.contains('/') && raw.len() > 1 {
        let word = raw.split('/').all(|p| p.len() > 1 && p.chars().all(char::is_alphabetic))
            && raw.matches('/').count() == 1;
        return if word && !raw.starts_with('/') { Kind::Ident } else { Kind::Path };
    }
    if first.is_ascii_digit()
        && raw.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '%' | 'x' | 'k' | 'm' | 's' | 'p'))
    {
        return Kind::Number;
    }
    if let Some((stem, ext)) = raw.rsplit_once('.') {
        if ext.is_empty() || stem.chars().all(|c| c.is_ascii_digit()) && !stem.is_empty() {
            return Kind::Number;
        }
        if stem.is_empty() && DOTFILES.contains(&ext) {
            return Kind::File;
        }
        if ext.len() <= 5
            && ext.chars().all(|c| c.is_ascii_alphanumeric())
            && !matches!(raw, "e.g" | "i.e" | "a.k.a" | "p.s")
        {
            return Kind::File;
        }
        return Kind::Ident;
    }
    let inner_upper = raw.chars().skip(1).any(char::is_uppercase)
        && raw.chars().any(char::is_lowercase)
        && !raw.contains('\'');
    if raw.contains('_')
        || raw.contains("::")
        || raw.contains("()")
        || raw.contains('=')
        || raw.contains('#')
        || raw.contains('$')
        || (inner_upper && raw.len() > 3)
    {
        return Kind::Ident;
    }
    Kind::Word
}

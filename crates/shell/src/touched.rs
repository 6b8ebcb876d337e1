//! What is done to the paths that a command names.
//!
//! Owns what reading, naming and writing a path means by where it lies. Never judges a program.

use percent_encoding::percent_decode_str;

use super::expand::Field;
use super::path::{Place, place};
use super::secrets::{is_private, is_secret, names_secret};
use super::trace::Act;
use super::walk::Walker;

impl Walker<'_> {
    /// A path that is read.
    pub(super) fn judge_read(&mut self, field: &Field) {
        // Once: what an address stands for is a path, whatever it looks like.
        if let Some(path) = of_address(&field.text) {
            self.judge_path(&field.with(&path));
        }
        self.judge_path(field);
    }

    fn judge_path(&mut self, field: &Field) {
        self.note_use(Act::Read, field);
        self.judge_word(field);
        if is_private(&field.text) || self.is_private_from_here(field) {
            self.hit("secret", field.span);
        }
    }

    /// The value of an option that is a text, a name or a file that is read: a bare word of one that is known selects
    /// something, by whatever name.
    pub(super) fn judge_value(&mut self, field: &Field, known: bool) {
        if known && !field.text.contains(['/', '.', '~']) {
            self.note_use(Act::Read, field);
            self.judge_word(field);
        } else {
            self.judge_read(field);
        }
    }

    /// A word that names something, be it a path or not.
    pub(super) fn judge_word(&mut self, field: &Field) {
        let disk = field.text.starts_with("/dev/")
            && [
                "sd", "nvme", "disk", "rdisk", "hd", "vd", "mem", "kmem", "mapper/", "mmcblk", "loop",
                "input/", "hidraw", "video", "snd/",
            ]
            .iter()
            .any(|d| field.text.get(5..).is_some_and(|t| t.starts_with(d)));
        let made = self.real_name(&field.text).is_some_and(names_secret);
        if made || disk || names_secret(&field.text) || field.many && is_secret(&field.text) {
            self.hit("secret", field.span);
        }
    }

    /// A path that is written. Whether it is a file (not a stream).
    pub(super) fn judge_write(&mut self, field: &Field, rule: &str) -> bool {
        if rule == "redirect" {
            self.note_redirect(field);
        } else {
            self.note_use(Act::Write, field);
        }
        if field.text.contains("://") && !field.text.starts_with("file://") {
            self.hit("send", field.span);
            return true;
        }
        let real = self.real_path(&field.text);
        match place(real.as_deref().unwrap_or(&field.text), self.stand.cwd) {
            Place::Null => {
                self.opens_again(field);
                return false;
            }
            Place::Project | Place::Scratch | Place::Unknown => self.hit(rule, field.span),
            Place::Control => self.hit("persist", field.span),
            Place::Device => self.hit("wipe", field.span),
            Place::Outside => self.hit("outside", field.span),
        }
        true
    }
}

/// The path in the address of a file, as `sqlite3` takes one: `file:a%2Edb?mode=ro`.
pub(super) fn of_address(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_at_checked(5)?;
    let path = rest.split(['?', '#']).next().filter(|_| scheme.eq_ignore_ascii_case("file:"))?;
    let out = percent_decode_str(path).decode_utf8_lossy();
    (!out.is_empty()).then(|| out.into_owned())
}

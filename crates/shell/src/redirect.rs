//! Redirects: what a command is fed, and the files that its output goes to.
//!
//! Owns the meaning of `<`, `>`, here-strings and here-documents. Never judges the command itself.

use super::cut::Listed;
use super::expand::{Feed, Field, UNKNOWN};
use super::grammar::may_be_secret;
use super::syntax::{Piece, Redirect, Target, VarOp, Word};
use super::value::{Made, Value};
use super::walk::Walker;

impl Walker<'_> {
    pub(super) fn redirect(&mut self, redirect: &Redirect, feed: &mut Feed, targets: &mut Vec<String>) {
        if let Some(name) = &redirect.variable {
            self.fill(name, Value { number: true, ..Value::unknown() });
        }
        match &redirect.target {
            Target::Copy(word) => {
                self.copies(redirect, word);
                // What another descriptor gives is not followed.
                if redirect.stdin && !redirect.output {
                    *feed = Feed::Other;
                }
            }
            Target::Read(word) => {
                let field = self.text_of(word);
                if redirect.output && !matches!(field.text.as_str(), "/dev/null" | "/dev/tty") {
                    self.reopens(redirect.span);
                }
                self.judge_read(&field);
                if may_be_secret(&field) && field.feed.is_none() && field.listed > Listed::No {
                    self.shows_any(&field);
                }
                self.reach_device(&field);
                if redirect.stdin {
                    *feed = field.feed.clone().unwrap_or_else(|| {
                        if field.unknown() { Feed::Other } else { Feed::File(field.text.clone()) }
                    });
                }
            }
            Target::Write(word) => {
                let mut field = self.text_of(word);
                field.span = self.place_of(redirect.span);
                self.reach_device(&field);
                if redirect.empties && self.empties_each(word, &field) {
                    self.hit("delete-tree", field.span);
                }
                if field.feed.is_none()
                    && self.judge_write(&field, "redirect")
                    && redirect_is_output(redirect)
                {
                    targets.push(field.text.clone());
                }
            }
            Target::HereString(word) => {
                let field = self.text_of(word);
                if redirect.stdin {
                    self.fed_plainly = field.made == Made::Nothing;
                    *feed = text_feed(field.text);
                }
            }
            Target::HereDoc(doc) => {
                let Some(word) = doc.body.get() else { return };
                let field = self.text_of(word);
                if redirect.stdin {
                    self.fed_plainly = field.made == Made::Nothing;
                    *feed = text_feed(field.text);
                }
            }
        }
    }

    /// Whether output goes over one existing file after another: each of a wildcard's, or each name that a round gives.
    fn empties_each(&self, word: &Word, field: &Field) -> bool {
        let named = matches!(word.pieces.as_slice(), [Piece::Var { op: VarOp::Plain, .. }]);
        let open = field.unknown() && field.text.chars().all(|c| c == UNKNOWN);
        field.many && (named || field.text.contains(['*', '?', '[']) && word.pieces.len() == 1)
            || open && self.rounds > 0
    }

    /// `/dev/tcp/…` is a connection of bash's own.
    fn reach_device(&mut self, field: &Field) {
        if field.text.starts_with("/dev/tcp/") || field.text.starts_with("/dev/udp/") {
            self.hit("send", field.span);
        }
    }
}

/// What a text feeds: one of which a part is not known is not known.
pub(super) fn text_feed(text: String) -> Feed {
    if text.contains(UNKNOWN) { Feed::Other } else { Feed::Text(text) }
}

const fn redirect_is_output(redirect: &Redirect) -> bool {
    !matches!(redirect.target, Target::Read(_))
}

//! What a command wrote: whole up to a cap, and head and tail of each stream for the model.
//!
//! Owns the caps, so that any amount of output takes bounded memory.

use pilothouse_core::{
    blob::BlobId,
    redact::{Redactor, Stream as Mask},
};

use super::plain::{self, Plain};

/// Bytes read at a time.
pub(super) const CHUNK_BYTES: usize = 16 * 1024;
/// Chunks taken at the last call; a pipe holds 64 KiB, or 1 MiB when its owner asked for it.
pub(super) const MOST_DRAINED: usize = 64;
/// How much of each stream's beginning and end the model reads, in bytes each.
const END_BYTES: usize = 32 * 1024;
/// How much is kept of both streams together, in bytes.
const KEPT_BYTES: usize = 16 * 1024 * 1024;

/// Which pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    Out,
    Err,
}

/// The output of one command.
#[derive(Debug)]
pub(super) struct Output {
    out: Ends,
    err: Ends,
    whole: Vec<u8>,
    bytes: u64,
}

impl Output {
    /// Nothing yet; secrets of the output will not stand in it.
    pub fn hiding(redactor: &Redactor) -> Self {
        // Each stream for itself: what the other one says must not part a secret.
        Self { out: Ends::new(redactor), err: Ends::new(redactor), whole: Vec::new(), bytes: 0 }
    }

    /// Takes bytes; gives their plain text, as far as no secret can begin at its end.
    pub fn take(&mut self, stream: Stream, bytes: &[u8]) -> String {
        self.bytes += bytes.len() as u64;
        let ends = match stream {
            Stream::Out => &mut self.out,
            Stream::Err => &mut self.err,
        };
        let text = ends.plain.take(bytes);
        let text = ends.mask.take(&text);
        ends.push(&text);
        keep(&mut self.whole, &text);
        text
    }

    /// The text for the model, and everything that was kept in the order in which it came.
    pub fn finish(mut self) -> (String, Vec<u8>) {
        let mut text = String::new();
        for ends in [&mut self.out, &mut self.err] {
            let last = ends.plain.finish();
            let last = ends.mask.take(&last) + &ends.mask.finish();
            ends.push(&last);
            keep(&mut self.whole, &last);
        }
        let named = BlobId::of(&self.whole);
        for (name, ends) in [("stdout", &mut self.out), ("stderr", &mut self.err)] {
            if !ends.is_empty() {
                text.push_str(&format!("{name}:\n{}", ends.text(named)));
                if !text.ends_with('\n') {
                    text.push('\n');
                }
            }
        }
        if text.is_empty() {
            text.push_str("(no output)\n");
        }
        if self.bytes > KEPT_BYTES as u64 {
            text.push_str(&format!("({} bytes in all; only the first {KEPT_BYTES} are kept)\n", self.bytes));
        }
        (text, self.whole)
    }
}

fn keep(whole: &mut Vec<u8>, text: &str) {
    let room = text.floor_char_boundary(KEPT_BYTES.saturating_sub(whole.len()));
    whole.extend_from_slice(text.get(..room).unwrap_or_default().as_bytes());
}

/// Beginning and end of a stream.
#[derive(Debug)]
struct Ends {
    plain: Plain,
    mask: Mask,
    head: String,
    tail: String,
    left_out: u64,
}

impl Ends {
    fn new(redactor: &Redactor) -> Self {
        let (head, tail) = (String::new(), String::new());
        Self { plain: Plain::default(), mask: redactor.stream(), head, tail, left_out: 0 }
    }

    fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    fn push(&mut self, text: &str) {
        let room = if self.tail.is_empty() { END_BYTES.saturating_sub(self.head.len()) } else { 0 };
        let (head, rest) = text.split_at(text.floor_char_boundary(room));
        self.head.push_str(head);
        self.tail.push_str(rest);
        if self.tail.len() > 2 * END_BYTES {
            self.shorten();
        }
    }

    fn shorten(&mut self) {
        let from = self.tail.ceil_char_boundary(self.tail.len().saturating_sub(END_BYTES));
        self.left_out += from as u64;
        self.tail.drain(..from);
    }

    fn text(&mut self, whole: BlobId) -> String {
        self.shorten();
        let middle = match self.left_out {
            0 => String::new(),
            n => format!("\n{}\n", whole.left_out(n)),
        };
        format!("{}{middle}{}", plain::settled(&self.head), plain::settled(&self.tail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_keeps_head_and_tail_and_says_what_is_missing() {
        let mut output = Output::hiding(&Redactor::default());
        output.take(Stream::Out, b"first\n");
        for _ in 0..4_000 {
            output.take(Stream::Out, "ä\n".repeat(3_000).as_bytes());
        }
        output.take(Stream::Out, b"last\n");
        assert!(output.out.head.len() + output.out.tail.capacity() < 512 * 1024);
        let (text, whole) = output.finish();
        assert_eq!(whole.len(), KEPT_BYTES);
        assert!(text.contains(&format!("left out; read {} has them", BlobId::of(&whole).output_name())));
        assert!(text.len() < 2 * END_BYTES + 300, "{}", text.len());
        assert!(
            text.starts_with("stdout:\nfirst\n")
                && text.contains("bytes left out")
                && text.contains("last\n(")
        );
        assert!(text.contains("36000011 bytes in all"));
    }

    #[test]
    fn short_output_is_whole_and_streams_stand_apart() {
        let mut output = Output::hiding(&Redactor::default());
        output.take(Stream::Err, b"oops");
        output.take(Stream::Out, b"fine");
        let (text, whole) = output.finish();
        assert_eq!(text, "stdout:\nfine\nstderr:\noops\n");
        assert_eq!(whole, b"fineoops");
    }
}

//! The long run of the sanitiser: `clean_fuzz [N]` washes N hostile texts (10,000,000) and counts the
//! forbidden characters that come out.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

#[path = "../src/clean/hostile.rs"]
mod hostile;

use pilothouse_core::clean::{Clean, is_forbidden};

fn main() {
    #![allow(clippy::disallowed_methods, reason = "a program, not the library")]
    let count: u64 = std::env::args().nth(1).map_or(10_000_000, |n| n.parse().unwrap());
    let mut dice = hostile::Dice(0x0bad_5eed);
    let (mut bytes, mut violations) = (Vec::new(), 0_u64);
    for round in 0..count {
        dice.hostile(&mut bytes);
        let lines = round % 2 == 0;
        let clean = if lines { Clean::bytes(&bytes) } else { Clean::byte_line(&bytes) };
        if clean.chars().any(|c| is_forbidden(c) && !(lines && c == '\n')) {
            violations += 1;
            println!("{bytes:?} gives {:?}", clean.as_str());
        }
    }
    println!("checked={count} violations={violations}");
    if violations > 0 {
        std::process::exit(1);
    }
}

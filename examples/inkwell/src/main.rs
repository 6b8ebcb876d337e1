//! The command line of inkwell.

use std::{env, io, process::ExitCode};

use inkwell::{find_notes, Note, Store};

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("inkwell: {e}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> io::Result<()> {
    let store = Store::new("notes.txt");
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["add", text] => store.add(&Note::new(text)),
        ["find", query] => {
            for note in find_notes(&store.load()?, query) {
                println!("{}", note.headline(72));
            }
            Ok(())
        }
        ["tags"] => {
            let mut tags: Vec<String> = store.load()?.iter().flat_map(Note::tags).collect();
            tags.sort();
            tags.dedup();
            println!("{}", tags.join("\n"));
            Ok(())
        }
        _ => {
            println!("usage: inkwell add TEXT | find QUERY | tags");
            Ok(())
        }
    }
}

//! What a line asks of programs that do what a file of the project lists by name: targets of make, scripts of npm.
//!
//! Owns which words are such names. Reads no file, and leaves out what an option, a variable or a folder may make another.

use super::{ends_as_one, knowledge::list, needs::leading, trace::Call};

/// What a line asks for by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The program that does it.
    pub program: String,
    /// The name.
    pub name: String,
    /// The folder that it is asked in, relative to where the line starts; empty for that one.
    pub folder: String,
}

/// What a line surely asks for by name.
pub fn targets(line: &str) -> Vec<Target> {
    if !ends_as_one(line) {
        return Vec::new();
    }
    leading(line).iter().flat_map(of).collect()
}

fn of(call: &Call) -> Vec<Target> {
    let own: Vec<&super::Word> = call.words.iter().take_while(|word| word.text != "--").collect();
    let plain = |text: &str| {
        let cores = text.trim_end_matches(|c: char| c.is_ascii_digit());
        !text.starts_with('-') || list("targets options").contains(&cores)
    };
    let certain = own.iter().all(|word| word.certain && plain(&word.text));
    let folder = match call.from.as_deref() {
        Some([folder]) if !folder.starts_with(['/', '~']) => folder.clone(),
        _ => return Vec::new(),
    };
    if !certain || call.steered || call.located || call.given.contains('/') {
        return Vec::new();
    }
    let names: Vec<&str> = own.iter().map(|w| w.text.as_str()).filter(|w| !w.starts_with('-')).collect();
    let among = |name: &str, said: &str| list(name).contains(&said);
    let both = names.first().map(|second| format!("{} {second}", call.program)).unwrap_or_default();
    let asked: Vec<&str> = match () {
        () if among("targets each", &call.program) => names,
        () if among("targets first", &call.program) || among("targets itself", &both) => {
            names.into_iter().take(1).collect()
        }
        () if among("targets first", &both) => names.into_iter().skip(1).take(1).collect(),
        () => Vec::new(),
    };
    // A number is the value of an option before it: `make -j 4`.
    let number = |name: &str| name.bytes().all(|b| b.is_ascii_digit());
    let named = asked.into_iter().filter(|name| !name.contains('=') && !number(name));
    let target =
        |name: &str| Target { program: call.program.clone(), name: name.to_owned(), folder: folder.clone() };
    named.map(target).collect()
}

#[cfg(test)]
mod tests {
    use super::targets;

    #[test]
    fn what_a_line_asks_for_by_name_is_read_where_that_is_certain() {
        for (line, asked) in [
            ("make check", ":make check"),
            ("make -j 4 check", ":make check"),
            ("make -j4 lint test CC=clang", ":make lint,:make test"),
            ("time make check", ":make check"),
            ("cd web && npm run lint -- --fix", "web:npm lint"),
            ("npm test && pnpm run build", ":npm test,:pnpm build"),
            ("just test a b", ":just test"),
            ("composer run-script cs", ":composer cs"),
            ("make", ""),
            ("make -C web check", ""),
            ("make -f other.mk check", ""),
            ("MAKEFLAGS=-fother.mk make check", ""),
            ("make $TARGET", ""),
            ("make check || make test", ""),
            ("cd $X && make check", ""),
            ("./make check", ""),
            ("npm run lint --if-present", ""),
            ("npm run lint -w web", ""),
            ("npm install", ""),
            ("docker run --rm image make check", ""),
            ("ssh host make check", ""),
            ("yarn run lint", ""),
        ] {
            let read = targets(line);
            let read: Vec<String> =
                read.iter().map(|t| format!("{}:{} {}", t.folder, t.program, t.name)).collect();
            assert_eq!(read.join(","), asked, "{line}");
        }
    }
}

//! Imports and links: which file of the workspace is meant.
//!
//! Owns the guess. What leads out of the workspace is nobody's.

use std::collections::HashMap;

/// Names of files that stand for their folder.
const WHOLE: [&str; 6] = ["mod", "lib", "main", "index", "__init__", "package"];
/// Parts of an import that say where it begins, not where it leads.
const STARTS: [&str; 7] = ["crate", "self", "super", "@", "~", "src", ""];

/// The name that a file is imported by: its own without ending, or its folder's.
pub(crate) fn stem(path: &str) -> &str {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name = name.split('.').next().unwrap_or(name);
    if WHOLE.contains(&name) { folder.rsplit('/').find(|p| *p != "src").unwrap_or(name) } else { name }
}

/// The files of a workspace by what they can be meant by; made once for all the imports of a call.
#[derive(Debug, Default)]
pub(crate) struct Files {
    all: Vec<String>,
    /// By path, by path without ending, by folder where they stand for that; the first of each.
    named: HashMap<String, usize>,
    /// By the last part of their own name.
    last: HashMap<String, Vec<usize>>,
}

impl Files {
    /// Of these paths, in their order.
    pub fn of(all: Vec<String>) -> Self {
        let mut files = Self { all, ..Self::default() };
        for (at, path) in files.all.iter().enumerate() {
            let module = module(path);
            if let Some(last) = own(&module).last() {
                files.last.entry((*last).to_owned()).or_default().push(at);
            }
            for name in [path.clone(), plain(path).to_owned(), module] {
                files.named.entry(name).or_insert(at);
            }
        }
        files
    }

    /// Their paths.
    pub fn paths(&self) -> &[String] {
        &self.all
    }

    /// The file that `target` means in `from`.
    pub fn resolved(&self, from: &str, target: &str) -> Option<&str> {
        if target.contains("://") {
            return None;
        }
        let relative =
            target.starts_with('.') && (target.contains('/') || !target.trim_start_matches('.').is_empty());
        let exact = beside(from, target).and_then(|e| self.all.get(*self.named.get(&e)?));
        if let Some(found) = exact {
            return Some(found.as_str()).filter(|f| *f != from);
        }
        if relative && target.contains('/') {
            return None;
        }
        let parts: Vec<&str> =
            target.split(['/', ':', '.', '\\']).filter(|p| !STARTS.contains(p) && !is_ending(p)).collect();
        // The longest beginning of the import that is the end of the file's own name.
        (1..=parts.len()).rev().find_map(|n| {
            let head = parts.get(..n)?;
            let called = self.last.get(*head.last()?)?.iter().filter_map(|at| self.all.get(*at));
            let fits = called.filter(|f| *f != from && own(&module(f)).ends_with(head));
            let common = |f: &str| from.split('/').zip(f.split('/')).take_while(|(a, b)| a == b).count();
            fits.max_by_key(|f| (common(f), std::cmp::Reverse(f.len()), *f)).map(String::as_str)
        })
    }
}

/// The parts of a module's name, without the folder that all of them stand in.
fn own(module: &str) -> Vec<&str> {
    module.split('/').filter(|p| *p != "src").collect()
}

fn is_ending(part: &str) -> bool {
    matches!(part, "h" | "hpp" | "js" | "ts" | "py" | "md" | "rs" | "java" | "sh")
}

/// A file's path without its ending.
fn plain(path: &str) -> &str {
    path.rsplit_once('.').filter(|(_, ending)| !ending.contains('/')).map_or(path, |(plain, _)| plain)
}

/// A file's path without its ending, or its folder where it stands for that.
fn module(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name = name.split('.').next().unwrap_or(name);
    match (WHOLE.contains(&name), folder) {
        (true, folder) => folder.to_owned(),
        (false, "") => name.to_owned(),
        (false, folder) => format!("{folder}/{name}"),
    }
}

/// A target that is written as a path, from the folder of the file it stands in; nothing when that leads out.
fn beside(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    if target.starts_with('/') {
        parts.clear();
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_find_the_file_that_is_meant() {
        let files = [
            "a/src/lib.rs",
            "a/src/io/mod.rs",
            "a/src/io/reader.rs",
            "b/src/io/reader.rs",
            "web/util/load.ts",
            "web/main.ts",
            "pkg/__init__.py",
            "pkg/core.py",
            "docs/build.md",
            "README.md",
            "c/list.h",
        ]
        .map(str::to_owned);
        let files = Files::of(files.to_vec());
        for (from, target, file) in [
            ("a/src/lib.rs", "crate::io::reader::Reader", Some("a/src/io/reader.rs")),
            ("b/src/x.rs", "crate::io::reader::Reader", Some("b/src/io/reader.rs")),
            ("a/src/lib.rs", "crate::io", Some("a/src/io/mod.rs")),
            ("a/src/io/mod.rs", "reader", Some("a/src/io/reader.rs")),
            ("web/main.ts", "./util/load", Some("web/util/load.ts")),
            ("web/util/load.ts", "../main", Some("web/main.ts")),
            ("web/main.ts", "./gone/load", None),
            ("pkg/core.py", "pkg", Some("pkg/__init__.py")),
            ("x.py", "pkg.core", Some("pkg/core.py")),
            ("README.md", "docs/build.md", Some("docs/build.md")),
            ("docs/build.md", "../README.md", Some("README.md")),
            ("c/list.c", "list.h", Some("c/list.h")),
            ("a/src/lib.rs", "serde_json::Value", None),
            ("README.md", "https://x.org/docs/build.md", None),
            ("README.md", "../../etc/passwd", None),
        ] {
            assert_eq!(files.resolved(from, target), file, "{from} {target}");
        }
        assert_eq!((stem("a/src/io/mod.rs"), stem("a/src/lib.rs"), stem("x/y.tar.gz")), ("io", "a", "y"));
    }
}

//! Languages as data: which lines define, import and link something.
//!
//! Owns the reading of `assets/knowledge/languages.txt`. Lines are read by patterns, which is right for finding and for
//! nothing else.

use std::{collections::BTreeMap, path::Path, sync::LazyLock};

use regex::{Regex, RegexSet};

/// How files of one kind are read.
#[derive(Debug, Default)]
pub(crate) struct Language {
    /// Whether its lines are all for people.
    pub prose: bool,
    comment: Option<Regex>,
    lead: Option<Regex>,
    fence: Option<Regex>,
    define: Vec<(String, Regex)>,
    /// Which of `define` a line matches, all at once.
    any: Option<RegexSet>,
    import: Vec<Regex>,
    link: Vec<Regex>,
    /// Longer files are data, in bytes.
    pub most: Option<u64>,
}

/// A name that a line defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Defined {
    pub name: String,
    pub kind: String,
    /// How deep it stands.
    pub level: usize,
}

/// All that is known.
#[derive(Debug, Default)]
pub(crate) struct Languages {
    all: Vec<Language>,
    /// By ending with its dot, or by whole name.
    by_name: BTreeMap<String, usize>,
    generated: Vec<String>,
    generated_files: Vec<String>,
    tests: Vec<String>,
}

static ALL: LazyLock<Languages> =
    LazyLock::new(|| Languages::read(include_str!("../../../assets/knowledge/languages.txt")));

impl Languages {
    pub fn builtin() -> &'static Self {
        &ALL
    }

    /// What a line of the file says that cannot be read is left aside; a test holds that there is none.
    fn read(text: &str) -> Self {
        let mut all = Self::default();
        for line in text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty()) {
            if all.line(line.trim()).is_none() {
                tracing::warn!(line, "a line of the languages is not understood");
            }
        }
        for language in &mut all.all {
            language.any = RegexSet::new(language.define.iter().map(|(_, r)| r.as_str())).ok();
        }
        all
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let (key, rest) = line.split_once(' ')?;
        let rest = rest.trim();
        let words = || rest.split_whitespace().map(str::to_owned);
        match key {
            "language" => {
                let prose = words().nth(1).is_some();
                self.all.push(Language { prose, ..Language::default() });
            }
            "generated" => self.generated.push(rest.to_owned()),
            "generated-file" => self.generated_files.extend(words()),
            "tests" => self.tests.extend(words()),
            "files" => {
                let at = self.all.len().checked_sub(1)?;
                self.by_name.extend(words().map(|name| (name, at)));
            }
            _ => self.all.last_mut()?.say(key, rest)?,
        }
        Some(())
    }

    /// The language of a file, by its name.
    pub fn of(&self, path: &str) -> Option<&Language> {
        let path = Path::new(path);
        let name = path.file_name()?.to_str()?;
        let ending = path.extension().and_then(|e| e.to_str()).map(|e| format!(".{}", e.to_lowercase()));
        let at = self.by_name.get(name).or_else(|| self.by_name.get(&ending?))?;
        self.all.get(*at)
    }

    /// Whether a file says of itself that no person wrote it.
    pub fn is_generated(&self, path: &str, text: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let head = text.lines().take(6);
        self.generated_files.iter().any(|f| f == name)
            || head.into_iter().any(|l| l.len() < 400 && self.generated.iter().any(|mark| l.contains(mark)))
    }

    /// Whether a file tries things out.
    pub fn is_test(&self, path: &str) -> bool {
        let stem = |part: &str| part.split('.').next().unwrap_or(part).to_owned();
        path.split('/').any(|part| {
            let part = stem(part);
            let tail = part.strip_prefix("test_").is_some() || part.ends_with("_test");
            tail || self.tests.contains(&part)
        })
    }
}

impl Language {
    fn say(&mut self, key: &str, rest: &str) -> Option<()> {
        let pattern = || Regex::new(rest).ok();
        match key {
            "comment" => self.comment = Some(pattern()?),
            "lead" => self.lead = Some(pattern()?),
            "fence" => self.fence = Some(pattern()?),
            "import" => self.import.push(pattern()?),
            "link" => self.link.push(pattern()?),
            "most" => self.most = Some(rest.parse::<u64>().ok()? * 1024),
            "define" => {
                let (kind, pattern) = rest.split_once(' ')?;
                self.define.push((kind.to_owned(), Regex::new(pattern.trim()).ok()?));
            }
            _ => return None,
        }
        Some(())
    }

    /// Whether a line is for people.
    pub fn is_comment(&self, line: &str) -> bool {
        self.prose || self.comment.as_ref().is_some_and(|c| c.is_match(line))
    }

    /// Whether a line belongs to the definition below it.
    pub fn leads(&self, line: &str) -> bool {
        let of = |pattern: &Option<Regex>| pattern.as_ref().is_some_and(|p| p.is_match(line));
        of(&self.comment) || of(&self.lead)
    }

    pub fn is_fence(&self, line: &str) -> bool {
        self.fence.as_ref().is_some_and(|f| f.is_match(line))
    }

    /// What a line defines.
    pub fn defined(&self, line: &str) -> Option<Defined> {
        let at = self.any.as_ref()?.matches(line).into_iter().next()?;
        let (kind, pattern) = self.define.get(at)?;
        let found = pattern.captures(line)?;
        let name = found.name("name")?.as_str();
        let blanks = || line.chars().take_while(|c| c.is_whitespace()).count();
        let level = found.name("level").map_or_else(blanks, |l| match l.as_str().parse() {
            Ok(number) => number,
            Err(_) => l.as_str().len(),
        });
        (!name.is_empty() && !KEYWORDS.contains(&name)).then(|| Defined {
            name: name.to_owned(),
            kind: kind.clone(),
            level,
        })
    }

    /// What a line imports.
    pub fn imported<'a>(&self, line: &'a str) -> Option<&'a str> {
        let found = self.import.iter().find_map(|p| p.captures(line))?;
        found.get(1).map(|m| m.as_str())
    }

    /// What a line links to.
    pub fn linked<'a>(&self, line: &'a str) -> Vec<&'a str> {
        let of = |p: &'_ Regex| -> Vec<&'a str> {
            p.captures_iter(line).filter_map(|c| c.get(1)).map(|m| m.as_str()).collect()
        };
        self.link.iter().flat_map(of).collect()
    }
}

/// Words before a bracket that define nothing.
const KEYWORDS: [&str; 12] =
    ["if", "for", "while", "switch", "return", "else", "catch", "sizeof", "do", "new", "throw", "with"];

#[cfg(test)]
mod tests;

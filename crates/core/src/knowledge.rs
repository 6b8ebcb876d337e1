//! Knowledge of the workspace: passages, how they are asked for, and what comes of checking what is said of them.
//!
//! Owns the words for it and the checks that code can do. Never looks at a file: whoever can hands in what stands
//! there, and what code cannot tell is [`Standing::Unknown`].

pub mod check;

use serde::{Deserialize, Serialize};

use crate::{blob::BlobId, money::count, relpath::RelPath};

/// How much something is worth, in thousandths: 0 is nothing, 1000 all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Score(pub u16);

impl Score {
    /// The most.
    pub const FULL: Self = Self(1000);
    /// Nothing.
    pub const NONE: Self = Self(0);

    /// So many of so many; full where there was nothing to find.
    pub fn share(part: usize, of: usize) -> Self {
        let thousandths = (part.min(of) * 1000).checked_div(of);
        thousandths.and_then(|n| u16::try_from(n).ok()).map_or(Self::FULL, Self)
    }
}

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Lines {
    /// The file.
    pub path: RelPath,
    /// The first line, from 1.
    pub from: usize,
    /// The last line.
    pub to: usize,
}

impl std::fmt::Display for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.path, self.from)?;
        if self.to > self.from { write!(f, "-{}", self.to) } else { Ok(()) }
    }
}

/// A passage of the workspace that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Where it stands.
    #[serde(flatten)]
    pub lines: Lines,
    /// The hash of its whole file.
    pub hash: BlobId,
    /// What it defines or is headed by; empty where that is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Its text, without secrets.
    pub text: String,
    /// How well it answers, against the best one.
    pub score: Score,
    /// What that comes from.
    pub axes: Axes,
}

/// What the score of a passage comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axes {
    /// Its words.
    pub words: Score,
    /// What it means, by vectors.
    pub meaning: Score,
    /// Its names: path, file, what it defines.
    pub names: Score,
}

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The question, in words or names.
    pub text: String,
    /// The files and folders that are searched; everything when empty.
    pub within: Vec<RelPath>,
    /// Most passages.
    pub most: usize,
}

/// In which way one passage leads to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// It names something that the other defines: a call, a type, a value.
    Uses,
    /// The other names something that it defines.
    UsedBy,
    /// Its file imports the other's.
    Imports,
    /// The other's file imports its.
    ImportedBy,
    /// It links to the other's file.
    Links,
    /// The other stands in it.
    Contains,
}

impl Relation {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Uses, Self::UsedBy, Self::Imports, Self::ImportedBy, Self::Links, Self::Contains];

    /// Its name in calls and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uses => "uses",
            Self::UsedBy => "used_by",
            Self::Imports => "imports",
            Self::ImportedBy => "imported_by",
            Self::Links => "links",
            Self::Contains => "contains",
        }
    }

    /// The relation called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.name() == name)
    }
}

/// A step from a passage or a name to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Where it starts.
    pub from: HopStart,
    /// The ways that are gone; all when empty.
    pub by: Vec<Relation>,
    /// Most passages.
    pub most: usize,
}

/// Where a hop starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HopStart {
    /// The passages at these lines.
    Lines(Lines),
    /// What is called so: a name, or `Outer::name`.
    Symbol(String),
}

/// A passage that a hop led to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hopped {
    /// The way.
    pub by: Relation,
    /// The name or the import that led there.
    pub over: String,
    /// The passage.
    pub passage: Passage,
}

/// What is known of the index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexStatus {
    /// Files in it.
    pub files: usize,
    /// Their lines.
    pub lines: usize,
    /// Passages in it.
    pub passages: usize,
    /// Names that are defined in it.
    pub symbols: usize,
    /// Bytes on disk.
    pub bytes: u64,
    /// Whose vectors it holds.
    pub embedder: String,
    /// What was left out, and how many files of it.
    pub skipped: Vec<(String, usize)>,
    /// Whether it was made anew because what was there could not be used, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebuilt: Option<String>,
    /// What it could not do, in a sentence, such as an embedder that cannot be reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

impl IndexStatus {
    /// The same for people, a line each.
    pub fn told(&self) -> Vec<String> {
        let mut lines = vec![
            format!("{}, {}", count(self.files, "file"), count(self.lines, "line")),
            format!("{}, {}", count(self.passages, "passage"), count(self.symbols, "name")),
            format!("{} KB on disk, vectors by {}", self.bytes.div_ceil(1024), self.embedder),
        ];
        lines.extend(self.skipped.iter().map(|(why, n)| format!("left out: {}, {why}", count(*n, "file"))));
        lines.extend(self.rebuilt.iter().map(|why| format!("made anew: {why}")));
        lines.extend(self.trouble.iter().cloned());
        lines
    }
}

/// Whether something that is said holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It was seen to hold.
    Holds,
    /// It was seen not to hold.
    Fails,
    /// Code cannot tell.
    Unknown,
}

/// What came of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether it holds.
    pub standing: Standing,
    /// How much of it holds.
    pub score: Score,
    /// Why, in a sentence.
    pub reason: String,
}

/// A quoted text and where it is said to stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    /// Where.
    #[serde(flatten)]
    pub lines: Lines,
    /// The hash of the file as it was cited, or its beginning in digits; empty where nothing is said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hash: String,
    /// The words that are to stand there; empty where only the lines are cited.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// What came of a citation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CitationVerdict {
    /// Whether the text stands in the file.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// How it stands there.
    pub place: CitedPlace,
}

/// How a cited text stands in its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CitedPlace {
    /// At its lines, in the very file that was cited.
    Exact,
    /// At its lines; the file changed elsewhere.
    Changed {
        /// The file's hash now.
        hash: BlobId,
    },
    /// At other lines.
    Moved {
        /// Where it stands now.
        to: Lines,
        /// The file's hash now.
        hash: BlobId,
    },
    /// Nowhere.
    Missing,
}

/// Names that a sentence uses, and which there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntityVerdict {
    /// Whether all are there; the score is the share of those that are.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Each name with where it is defined or stands first; `None` for one that is nowhere.
    pub names: Vec<(String, Option<Lines>)>,
}

/// What is said of two names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationClaim {
    /// Who does it.
    pub subject: String,
    /// What it does.
    pub relation: Relation,
    /// To whom.
    pub object: String,
}

/// What came of checking a relation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationVerdict {
    /// Whether it holds.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// The lines that show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<Lines>,
}

/// Two sayings that cannot both hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contradiction {
    /// What both speak of.
    pub about: String,
    /// What the one says.
    pub one: String,
    /// What the other says.
    pub other: String,
    /// Whose that is: a claim by its number from 1, or the lines of a passage.
    pub other_is: String,
    /// The claim by its number, from 1.
    pub claim: usize,
}

/// What came of comparing claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContradictionVerdict {
    /// Whether none was found; `Unknown` where nothing could be compared.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// How many pairs were compared.
    #[serde(default)]
    pub compared: usize,
    /// Each that was found.
    pub found: Vec<Contradiction>,
}

//! A folder being opened: how far it is trusted, and what is to be asked about it.
//!
//! Owns comparing what it brings with what was decided. The user's answer comes from the session.

use std::path::{Path, PathBuf};

use pilothouse_core::{
    blob::BlobId,
    diff::unified,
    money::count,
    trust::{Part, PartChange, Standing, Trust, TrustRequest},
};

use super::{
    Brought, Store,
    store::{Kept, Record},
};
use crate::{
    config::{Config, Layer},
    error::RuntimeError,
    home::{Environment, Home},
    secrets,
};

/// The most parts that one question names; the sheet has all.
const MOST_PARTS: usize = 24;
/// The most bytes of a sheet.
const MOST_SHEET: usize = 2 << 20;

/// A folder being opened.
#[derive(Clone, Debug)]
pub struct Folder {
    /// Where it is, resolved.
    pub root: PathBuf,
    /// Where decisions are kept.
    pub store: Store,
    /// Whether it is trusted for this process whatever was decided.
    pub once: bool,
    /// Whether somebody is there to be asked.
    pub asks: bool,
    /// The project's own checks that the question about it names, for a yes that is to be kept.
    pub checks: Vec<String>,
}

/// What was found of a folder.
#[derive(Clone, Debug)]
pub struct Survey {
    /// What it brings.
    pub brought: Brought,
    /// How it stands.
    pub standing: Standing,
}

impl Survey {
    /// What is left without effect and nobody is asked about, in a sentence.
    pub fn inert(&self) -> Option<String> {
        let standing = &self.standing;
        if standing.trust.holds() || standing.asks || standing.parts.is_empty() {
            return None;
        }
        let paths: Vec<&str> = standing.parts.iter().take(4).map(|p| p.path.as_str()).collect();
        let more = match standing.parts.len().saturating_sub(paths.len()) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        Some(format!("inactive, because this folder is not trusted: {}{more}", paths.join(", ")))
    }
}

impl Folder {
    /// The folder at `root`, resolved, where nobody is asked.
    pub fn at(home: &Home, root: &Path) -> Self {
        let (once, asks, checks) = (false, false, Vec::new());
        Self { root: root.to_owned(), store: Store::of(home), once, asks, checks }
    }

    /// The settings in force in it: the project's only where it is trusted.
    ///
    /// # Errors
    /// When a file cannot be read or holds something unknown.
    pub fn settings(
        &self,
        survey: &Survey,
        home: &Home,
        environment: &Environment,
        flags: Layer,
    ) -> Result<Config, RuntimeError> {
        let trusted = survey.standing.trust.holds();
        if !trusted {
            return Config::load(home, None, environment, flags);
        }
        let project = survey.brought.settings(&self.root)?;
        let config = Config::load(home, Some(&project), environment, flags)?;
        let secrets = config.secrets.and(&secrets::of_variables(&survey.brought.variables()));
        Ok(Config { secrets, ..config })
    }

    /// Looks at the folder as it is now.
    pub fn look(&self) -> Survey {
        let brought = self.brought();
        let record = self.store.read(&self.root);
        let known = record.as_ref().filter(|r| r.covers(&brought));
        let trust = match known {
            _ if self.once => Trust::Once,
            Some(record) if record.trusted => Trust::Kept,
            Some(_) | None => Trust::None,
        };
        let asks = self.asks && !trust.holds() && known.is_none() && !brought.pieces.is_empty();
        survey(brought, trust, asks, record.as_ref())
    }

    /// Looks at the variables that commands get; `None` where they are as they were. What is asked or was answered is about all
    /// that the folder brings, which is looked at whole; in a run that trusts it once everything else stays as it began.
    pub fn look_at_variables(&self, before: &Survey) -> Option<Survey> {
        let brought = before.brought.with_variables_of(&self.root)?;
        if !self.once {
            return Some(self.look());
        }
        Some(survey(brought, Trust::Once, false, self.store.read(&self.root).as_ref()))
    }

    /// Keeps what the user wants, if it is still about what the folder brings, and looks at it.
    ///
    /// # Errors
    /// When the decision cannot be kept, or what was to be trusted cannot be used.
    pub fn carry_out(&mut self, wish: TrustRequest) -> Result<Survey, RuntimeError> {
        match wish {
            TrustRequest::Look => {
                let survey = self.look();
                let asks = self.asks && !survey.standing.trust.holds();
                return Ok(Survey { standing: Standing { asks, ..survey.standing }, ..survey });
            }
            TrustRequest::Keep(of) => self.decide(of, true)?,
            TrustRequest::Decline(of) => self.decide(of, false)?,
            TrustRequest::Revoke => {
                self.once = false;
                self.store.forget(&self.root)?;
                let survey = self.look();
                return Ok(Survey { standing: Standing { asks: false, ..survey.standing }, ..survey });
            }
        }
        Ok(self.look())
    }

    /// What the folder brings beside what the user agreed to note by note.
    fn brought(&self) -> Brought {
        Brought::scan(&self.root).without_memory(self.store.memory(&self.root))
    }

    /// Whether what the folder brings now is what the user trusts.
    pub fn trusted_now(&self) -> bool {
        self.store.read(&self.root).is_some_and(|r| r.trusted && r.covers(&self.brought()))
    }

    /// The user agreed to all that the project's memory holds now; trust goes on where it held before.
    ///
    /// # Errors
    /// When that cannot be kept.
    pub fn remembered(&self, of: BlobId, trusted: bool) -> Result<(), RuntimeError> {
        self.store.keep_memory(&self.root, of)?;
        let checks = self.store.read(&self.root).map(|r| r.checks).unwrap_or_default();
        if trusted { self.store.keep(&self.root, &self.brought(), true, checks) } else { Ok(()) }
    }

    fn decide(&self, of: BlobId, trusted: bool) -> Result<(), RuntimeError> {
        let brought = self.brought();
        if brought.of != of {
            return Ok(());
        }
        if trusted {
            brought.hooks(&self.root)?;
            brought.settings(&self.root)?;
        }
        let checks = if trusted { self.checks.clone() } else { Vec::new() };
        self.store.keep(&self.root, &brought, trusted, checks)
    }
}

fn survey(brought: Brought, trust: Trust, asks: bool, record: Option<&Record>) -> Survey {
    // What is gone is told beside what is asked about.
    let compared = record.filter(|r| r.trusted && !brought.pieces.is_empty());
    let before: &[Kept] = compared.map_or(&[], |r| &r.pieces);
    let parts = parts(&brought, before);
    let sheet = sheet(&brought, before);
    let mut standing = Standing { trust, of: brought.of, parts, sheet, asks, ..Standing::default() };
    if trust == Trust::Kept {
        standing.checks = record.map(|r| r.checks.clone()).unwrap_or_default();
    }
    let names = brought.variables().into_iter().map(|(name, _)| name).collect();
    *(if trust.holds() { &mut standing.gives } else { &mut standing.withholds }) = names;
    Survey { brought, standing }
}

fn change(hash: BlobId, path: &str, before: &[Kept]) -> PartChange {
    match before.iter().find(|k| k.path == path) {
        None => PartChange::New,
        Some(kept) if kept.hash == hash => PartChange::Same,
        Some(_) => PartChange::Changed,
    }
}

fn gone<'a>(brought: &'a Brought, before: &'a [Kept]) -> impl Iterator<Item = &'a Kept> {
    before.iter().filter(|k| !brought.pieces.iter().any(|p| p.path == k.path))
}

fn parts(brought: &Brought, before: &[Kept]) -> Vec<Part> {
    let mut parts: Vec<Part> = brought
        .pieces
        .iter()
        .map(|p| Part {
            path: p.path.clone(),
            would: p.would(),
            change: change(BlobId::of(&p.mark()), &p.path, before),
        })
        .chain(gone(brought, before).map(|k| Part {
            path: k.path.clone(),
            would: Vec::new(),
            change: PartChange::Gone,
        }))
        .collect();
    // What changed comes first.
    parts.sort_by_key(|p| p.change == PartChange::Same);
    if parts.len() > MOST_PARTS {
        let more = parts.len() - (MOST_PARTS - 1);
        parts.truncate(MOST_PARTS - 1);
        let path = count(more, "more file");
        parts.push(Part { path, would: Vec::new(), change: PartChange::New });
    }
    parts
}

/// Every line of everything, and of what changed the difference.
fn sheet(brought: &Brought, before: &[Kept]) -> String {
    let mut sheet = String::new();
    for piece in &brought.pieces {
        let text = piece.legible();
        let kept = before.iter().find(|k| k.path == piece.path);
        let word = match (change(BlobId::of(&piece.mark()), &piece.path, before), before.is_empty()) {
            (PartChange::New, false) => " (new)",
            (PartChange::Changed, _) => " (changed)",
            (PartChange::Same, _) => " (as before)",
            (PartChange::New | PartChange::Gone, _) => "",
        };
        sheet.push_str(&format!("== {}{word}\n", piece.path));
        for line in piece.would() {
            sheet.push_str(&format!("> {line}\n"));
        }
        sheet.push('\n');
        match kept {
            Some(kept) if kept.text != text => {
                sheet.push_str(&unified(&kept.text, &text));
            }
            Some(kept) if kept.hash != BlobId::of(&piece.mark()) => {
                sheet.push_str("(a value that is not shown changed)\n");
                sheet.push_str(&plain(&text));
            }
            Some(_) | None => sheet.push_str(&plain(&text)),
        }
        if !sheet.ends_with('\n') {
            sheet.push('\n');
        }
        sheet.push('\n');
    }
    for kept in gone(brought, before) {
        sheet.push_str(&format!("== {} (gone)\n\n", kept.path));
    }
    sheet.truncate(sheet.floor_char_boundary(MOST_SHEET));
    sheet
}

/// A text as a diff has lines that stay: a sign at the edge is ours and no file's.
fn plain(text: &str) -> String {
    text.lines().flat_map(|line| [" ", line, "\n"]).collect()
}

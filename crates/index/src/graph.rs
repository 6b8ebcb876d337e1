//! The graph: which passage leads to which, by definitions, names, imports and links.
//!
//! Owns hops. Who names whom is read from the words that are indexed, so there is no second list of references.

use std::collections::BTreeSet;

use pilothouse_core::{
    knowledge::{Hop, HopStart, Hopped, Lines, Passage, Relation},
    relpath::RelPath,
};
use rusqlite::params;

use crate::{
    error::IndexError,
    fields::stems,
    ground::{Seen, excerpt},
    imports,
    index::Index,
    search::{Placed, places},
    words,
};

/// Most places that are looked at for one name.
const LOOKED: usize = 40;
/// Most definitions of a name that a hop goes to: one that is defined more often says little.
const OFTEN: usize = 6;
/// Most lines of one passage that is asked for by its place.
const MOST_LINES: usize = 400;

impl Seen<'_> {
    /// The lines of a file, at most 400 of them, with the hash to cite them by.
    ///
    /// # Errors
    /// When there are no such lines, or they may not be seen.
    pub fn passage(&self, lines: &Lines) -> Result<Passage, IndexError> {
        let missing = || IndexError::Missing(lines.clone());
        let read = self.text(&lines.path).filter(|_| self.may(&lines.path)).ok_or_else(missing)?;
        let count = read.0.lines().count();
        let from = lines.from.max(1);
        if from > count {
            return Err(missing());
        }
        let to = lines.to.min(count).min(from + MOST_LINES - 1);
        let at = Lines { path: lines.path.clone(), from, to };
        let title = self.index.at(&at)?.into_iter().next().map(|p| p.title).unwrap_or_default();
        let (score, axes) = Default::default();
        Ok(Passage { lines: at, hash: read.1, title, text: excerpt(&read.0, from, to), score, axes })
    }

    /// Passages that a place or a name leads to.
    ///
    /// # Errors
    /// When the database fails, or it was stopped.
    pub fn hop(&self, hop: &Hop) -> Result<Vec<Hopped>, IndexError> {
        self.mended(|| self.hop_once(hop))
    }

    fn hop_once(&self, hop: &Hop) -> Result<Vec<Hopped>, IndexError> {
        let start = match &hop.from {
            HopStart::Lines(lines) => self.index.at(lines)?,
            HopStart::Symbol(name) => {
                let defined = self.index.defined(name)?;
                let at = defined.iter().map(|lines| self.index.at(lines)).collect::<Result<Vec<_>, _>>()?;
                at.into_iter().flatten().collect()
            }
        };
        let ways = if hop.by.is_empty() { Relation::ALL.to_vec() } else { hop.by.clone() };
        let most = hop.most.clamp(1, crate::search::MOST);
        let seen = |placed: &Placed| placed.lines().is_some_and(|lines| self.may(&lines.path));
        let start: Vec<Placed> = start.into_iter().filter(seen).collect();
        let mut each: Vec<Vec<(Relation, String, Placed)>> = Vec::new();
        for by in ways {
            let found = self.way(by, &start)?;
            each.push(found.into_iter().map(|(over, placed)| (by, over, placed)).collect());
        }
        // One of each way in turn: no way crowds out another.
        let (mut out, mut ids): (Vec<Hopped>, BTreeSet<i64>) =
            (Vec::new(), start.iter().map(|p| p.id).collect());
        let longest = each.iter().map(Vec::len).max().unwrap_or(0);
        for n in 0..longest {
            for (by, over, placed) in each.iter().filter_map(|way| way.get(n)) {
                if out.len() < most
                    && seen(placed)
                    && ids.insert(placed.id)
                    && let Some(passage) = self.shown(placed)
                {
                    out.push(Hopped { by: *by, over: over.clone(), passage });
                }
            }
        }
        Ok(out)
    }

    fn way(&self, by: Relation, start: &[Placed]) -> Result<Vec<(String, Placed)>, IndexError> {
        match by {
            Relation::Uses => self.used(start),
            Relation::UsedBy => self.users(start),
            Relation::Imports => self.tops(start, |path| self.targets(path, "import")),
            Relation::Links => self.tops(start, |path| self.targets(path, "link")),
            Relation::ImportedBy => self.tops(start, |path| self.importers(path)),
            Relation::Contains => self.contained(start),
        }
    }

    /// Definitions of the names that stand in these passages, the rarest first.
    fn used(&self, start: &[Placed]) -> Result<Vec<(String, Placed)>, IndexError> {
        let mut names: BTreeSet<String> = BTreeSet::new();
        for placed in start {
            let text = self.shown(placed).map(|p| p.text).unwrap_or_default();
            names.extend(words::runs(&text).filter(|r| r.len() > 2).map(str::to_owned));
        }
        let mut found: Vec<(usize, String, Vec<Placed>)> = Vec::new();
        for name in names {
            self.going()?;
            let store = self.index.store();
            let which =
                "JOIN symbol s ON s.passage=p.id WHERE s.name=?1 AND s.kind NOT IN ('key', 'impl') LIMIT ?2";
            let at = places(&store, which, params![name, OFTEN + 1])?;
            let own = at.iter().any(|p| start.iter().any(|s| s.id == p.id));
            if !own && (1..=OFTEN).contains(&at.len()) {
                let order = at.len() * 2 + usize::from(!words::is_compound(&name));
                found.push((order, name, at));
            }
        }
        found.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        Ok(found
            .into_iter()
            .flat_map(|(_, name, at)| at.into_iter().map(move |p| (name.clone(), p)))
            .collect())
    }

    /// Passages that name what these define.
    fn users(&self, start: &[Placed]) -> Result<Vec<(String, Placed)>, IndexError> {
        let mut out = Vec::new();
        for placed in start {
            for name in self.symbols(placed.id)? {
                let at = self.naming(&[&name], LOOKED)?;
                out.extend(at.into_iter().map(|p| (name.clone(), p)));
            }
        }
        Ok(out)
    }

    fn symbols(&self, passage: i64) -> Result<Vec<String>, IndexError> {
        let store = self.index.store();
        let mut asked = store.db.prepare("SELECT DISTINCT name FROM symbol WHERE passage=?1")?;
        let rows = asked.query_map([passage], |r| r.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What stands in what these define.
    fn contained(&self, start: &[Placed]) -> Result<Vec<(String, Placed)>, IndexError> {
        let mut out = Vec::new();
        for placed in start {
            for name in self.symbols(placed.id)? {
                self.going()?;
                let store = self.index.store();
                let which =
                    "JOIN symbol s ON s.passage=p.id WHERE f.path=?1 AND (s.outside=?2 OR s.outside LIKE ?3)";
                let at = places(&store, which, params![placed.path, name, format!("% > {name}")])?;
                out.extend(at.into_iter().map(|p| (name.clone(), p)));
            }
        }
        Ok(out)
    }

    /// The first passage of each file that the files of these passages lead to.
    fn tops(
        &self,
        start: &[Placed],
        lead: impl Fn(&str) -> Result<Vec<String>, IndexError>,
    ) -> Result<Vec<(String, Placed)>, IndexError> {
        let paths: BTreeSet<&str> = start.iter().map(|p| p.path.as_str()).collect();
        let mut out = Vec::new();
        for path in paths {
            for target in lead(path)? {
                let store = self.index.store();
                let top = places(&store, "WHERE f.path=?1 ORDER BY p.start LIMIT 1", [&target])?;
                out.extend(top.into_iter().map(|p| (target.clone(), p)));
            }
        }
        Ok(out)
    }

    /// The files that a file imports or links to, as far as they are of the workspace.
    pub(crate) fn targets(&self, path: &str, kind: &str) -> Result<Vec<String>, IndexError> {
        let files = self.files()?;
        let store = self.index.store();
        let mut asked = store.db.prepare(
            "SELECT e.target FROM edge e JOIN file f ON f.id=e.file WHERE f.path=?1 AND e.kind=?2",
        )?;
        let rows = asked.query_map([path, kind], |r| r.get::<_, String>(0))?;
        let targets = rows.collect::<Result<Vec<_>, _>>()?;
        let mut out: Vec<String> =
            targets.iter().filter_map(|t| files.resolved(path, t)).map(str::to_owned).collect();
        out.dedup();
        Ok(out)
    }

    /// The files that import a file or link to it.
    fn importers(&self, path: &str) -> Result<Vec<String>, IndexError> {
        let files = self.files()?;
        let store = self.index.store();
        let stem = imports::stem(path);
        let mut asked = store.db.prepare(
            "SELECT f.path, e.target FROM edge e JOIN file f ON f.id=e.file WHERE instr(e.target, ?1) ORDER BY f.path",
        )?;
        let rows = asked.query_map([stem], |r| Ok((r.get::<_, String>(0)?, r.get::<_, String>(1)?)))?;
        let mut out: Vec<String> = Vec::new();
        for row in rows {
            self.going()?;
            let (from, target) = row?;
            if from != path && files.resolved(&from, &target) == Some(path) {
                out.push(from);
            }
        }
        out.dedup();
        Ok(out)
    }

    /// Passages that hold all of these names, each as a word of its own.
    pub(crate) fn naming(&self, names: &[&str], most: usize) -> Result<Vec<Placed>, IndexError> {
        let phrase = |name: &&str| format!("\"{}\"", stems(name).trim());
        let text = names.iter().map(phrase).filter(|p| p.len() > 2).collect::<Vec<_>>().join(" AND ");
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let candidates = {
            let store = self.index.store();
            let which = "WHERE p.id IN (SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rank LIMIT ?2)
                ORDER BY f.path, p.start";
            places(&store, which, params![text, most * 4])?
        };
        let mut out = Vec::new();
        for placed in candidates {
            self.going()?;
            let text = self.shown(&placed).map(|p| p.text).unwrap_or_default();
            if names.iter().all(|n| words::runs(&text).any(|r| r == *n)) {
                out.push(placed);
            }
            if out.len() >= most {
                break;
            }
        }
        Ok(out)
    }
}

impl Index {
    /// Every file that is indexed.
    pub(crate) fn paths(&self) -> Result<Vec<String>, IndexError> {
        let store = self.store();
        let mut asked = store.db.prepare("SELECT path FROM file WHERE skipped IS NULL ORDER BY path")?;
        let rows = asked.query_map([], |r| r.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The passages at these lines.
    pub(crate) fn at(&self, lines: &Lines) -> Result<Vec<Placed>, IndexError> {
        let store = self.store();
        let to = i64::try_from(lines.to).unwrap_or(i64::MAX);
        let which = "WHERE f.path=?1 AND p.start<=?3 AND p.finish>=?2 ORDER BY p.start";
        places(&store, which, params![lines.path.as_str(), lines.from, to])
    }

    /// Where a name is defined: `name` alone, or with what it stands in (`outer::name`, `outer.name`).
    pub(crate) fn defined(&self, name: &str) -> Result<Vec<Lines>, IndexError> {
        let parts: Vec<&str> = name.split([':', '.', '#']).filter(|p| !p.is_empty()).collect();
        let Some((last, outer)) = parts.split_last() else { return Ok(Vec::new()) };
        let store = self.store();
        let mut asked = store.db.prepare(
            "SELECT f.path, s.line, s.outside,
                coalesce((SELECT min(n.line) - 1 FROM symbol n WHERE n.passage=s.passage AND n.line>s.line),
                    (SELECT max(w.finish) FROM passage w WHERE w.file=s.file AND w.title=p.title AND w.start>=p.start))
             FROM symbol s JOIN passage p ON p.id=s.passage JOIN file f ON f.id=s.file
             WHERE s.name=?1 AND s.kind<>'key' ORDER BY s.kind='impl', f.path, s.line LIMIT ?2",
        )?;
        let rows = asked.query_map(params![last, LOOKED], |r| {
            Ok((r.get::<_, String>(0)?, r.get::<_, usize>(1)?, r.get::<_, String>(2)?, r.get::<_, usize>(3)?))
        })?;
        let mut out = Vec::new();
        for row in rows {
            let (path, from, outside, to) = row?;
            let stands_in = |o: &&str| {
                outside.split(" > ").any(|p| p == *o) || path.split(['/', '.', '-']).any(|p| p == *o)
            };
            if outer.last().is_none_or(|o| stands_in(o) || *o == "self" || *o == "Self")
                && let Ok(path) = RelPath::new(&path)
            {
                out.push(Lines { path, from, to: to.max(from) });
            }
        }
        Ok(out)
    }
}

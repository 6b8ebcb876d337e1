//! The database: what is kept of each file, and how it is opened, filled and emptied.
//!
//! Owns the tables. Holds no text of the workspace, only its words: passages are read from their files.

use std::{
    fs::{self, File},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use pilothouse_core::{blob::BlobId, relpath::RelPath};
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};

use crate::{
    cut::{Cut, Symbol},
    error::IndexError,
    search::Placed,
};

/// Another number of the program's own is another database: it is made anew.
const VERSION: i64 = 3;
/// How long another process is waited for.
const WAIT: Duration = Duration::from_secs(10);

const TABLES: &str = "
    CREATE TABLE file(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, hash TEXT NOT NULL,
        seen TEXT NOT NULL, lines INTEGER NOT NULL, skipped TEXT);
    CREATE TABLE passage(id INTEGER PRIMARY KEY, file INTEGER NOT NULL, start INTEGER NOT NULL, finish INTEGER NOT NULL,
        title TEXT NOT NULL, item INTEGER NOT NULL, bag BLOB NOT NULL, vector BLOB);
    CREATE INDEX passage_file ON passage(file, start);
    CREATE TABLE symbol(name TEXT NOT NULL, outside TEXT NOT NULL, kind TEXT NOT NULL, passage INTEGER NOT NULL,
        file INTEGER NOT NULL, line INTEGER NOT NULL);
    CREATE INDEX symbol_name ON symbol(name);
    CREATE INDEX symbol_file ON symbol(file);
    CREATE TABLE edge(file INTEGER NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL);
    CREATE INDEX edge_file ON edge(file);
    CREATE VIRTUAL TABLE words USING fts5(name, path, notes, code, whole, about, content='', contentless_delete=1,
        tokenize=\"unicode61 remove_diacritics 2 tokenchars '_'\");
    CREATE VIRTUAL TABLE vocabulary USING fts5vocab('words', 'row');
";

/// The database of one workspace.
#[derive(Debug)]
pub(crate) struct Store {
    pub db: Connection,
    path: PathBuf,
}

/// What is known of a file.
#[derive(Debug)]
pub(crate) struct Kept {
    pub id: i64,
    pub stamp: String,
    pub hash: String,
    /// The hash of what is left of it without its secrets.
    pub seen: String,
}

/// The words of a passage, by where they stand.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pub name: String,
    pub path: String,
    pub notes: String,
    pub code: String,
    pub whole: String,
    /// What is said of what it stands in.
    pub about: String,
    pub bag: Vec<u8>,
    pub vector: Option<Vec<u8>>,
}

/// A file as it is put in.
pub(crate) struct Filed<'a> {
    pub path: &'a RelPath,
    pub stamp: &'a str,
    pub hash: BlobId,
    pub seen: BlobId,
    pub lines: usize,
    pub cut: &'a Cut,
    pub fields: Vec<Fields>,
    pub skipped: Option<&'a str>,
}

impl Store {
    /// Opens the database at `path`; one that cannot be used is made anew, and why is told.
    ///
    /// # Errors
    /// When no database can be made there.
    pub fn open(path: &Path) -> Result<(Self, Option<String>), IndexError> {
        if let Some(folder) = path.parent() {
            let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(|source| IndexError::Store { path: folder.to_owned(), source })?;
        }
        let _alone = Self::alone(path)?;
        match Self::try_open(path) {
            Err(e) if e.is_damage() => {
                tracing::warn!(error = %e, "the knowledge index is made anew");
                Self::remove(path);
                Ok((Self::try_open(path)?.0, Some(e.to_string())))
            }
            other => other,
        }
    }

    /// Makes an empty one in its place.
    pub fn renew(&mut self) -> Result<(), IndexError> {
        let _alone = Self::alone(&self.path)?;
        match self.empty() {
            Err(e) if e.is_damage() => {
                Self::remove(&self.path);
                self.db = Self::try_open(&self.path)?.0.db;
                Ok(())
            }
            other => other,
        }
    }

    /// Holds off other processes while a database is made, or made anew; it ends with the file.
    fn alone(path: &Path) -> Result<File, IndexError> {
        let mut name = path.as_os_str().to_owned();
        name.push("-lock");
        let made = File::options().create(true).append(true).mode(0o600).open(name);
        let held = made.and_then(|file| file.lock().map(|()| file));
        held.map_err(|source| IndexError::Store { path: path.to_owned(), source })
    }

    /// Opens what is there; with it why it was emptied, if it had to be.
    fn try_open(path: &Path) -> Result<(Self, Option<String>), IndexError> {
        let store = |source| IndexError::Store { path: path.to_owned(), source };
        // SQLite gives the files beside it the same rights.
        File::options().create(true).append(true).mode(0o600).open(path).map_err(store)?;
        let db = Connection::open(path)?;
        db.busy_timeout(WAIT)?;
        db.execute_batch(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16384; PRAGMA temp_store=MEMORY;
             PRAGMA journal_size_limit=8388608;",
        )?;
        let version: i64 = db.query_row("PRAGMA user_version", [], |r| r.get(0))?;
        let made = Self { db, path: path.to_owned() };
        let why = match version {
            VERSION => return Ok((made, None)),
            0 => None,
            other => Some(format!("it was of another version ({other})")),
        };
        made.empty()?;
        Ok((made, why))
    }

    /// Makes the tables, in place of those that are there.
    fn empty(&self) -> Result<(), IndexError> {
        self.begin()?;
        let gone = ["vocabulary", "words", "file", "passage", "symbol", "edge", "about"];
        let gone = gone.map(|table| format!("DROP TABLE IF EXISTS {table};")).concat();
        let made = self.db.execute_batch(&format!("{gone}{TABLES}PRAGMA user_version={VERSION};"));
        let made = made.map_err(IndexError::from);
        match made {
            Ok(()) => self.commit(),
            Err(e) => {
                self.roll_back();
                Err(e)
            }
        }
    }

    fn remove(path: &Path) {
        // What is not there need not go.
        files(path).for_each(|file| drop(fs::remove_file(file)));
    }

    /// Bytes on disk; what was written last stands beside it for a while.
    pub fn bytes(&self) -> u64 {
        files(&self.path).map(|file| fs::metadata(file).map_or(0, |m| m.len())).sum()
    }

    pub fn begin(&self) -> Result<(), IndexError> {
        Ok(self.db.execute_batch("BEGIN IMMEDIATE")?)
    }

    pub fn commit(&self) -> Result<(), IndexError> {
        Ok(self.db.execute_batch("COMMIT")?)
    }

    /// What was begun and not committed is as it was.
    pub fn roll_back(&self) {
        if !self.db.is_autocommit() {
            drop(self.db.execute_batch("ROLLBACK"));
        }
    }

    pub fn kept(&self, path: &RelPath) -> Result<Option<Kept>, IndexError> {
        let mut asked = self.db.prepare("SELECT id, stamp, hash, seen FROM file WHERE path=?1")?;
        let found = asked.query_row([path.as_str()], |r| {
            Ok(Kept { id: r.get(0)?, stamp: r.get(1)?, hash: r.get(2)?, seen: r.get(3)? })
        });
        Ok(found.optional()?)
    }

    /// Every path with its number and its stamp.
    pub fn files(&self) -> Result<Vec<(String, i64, String)>, IndexError> {
        let mut asked = self.db.prepare("SELECT path, id, stamp FROM file")?;
        let rows = asked.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The file did not change, only its stamp.
    pub fn restamp(&self, id: i64, stamp: &str) -> Result<(), IndexError> {
        self.db.execute("UPDATE file SET stamp=?2 WHERE id=?1", params![id, stamp])?;
        Ok(())
    }

    /// Takes a file out.
    pub fn forget(&self, id: i64) -> Result<(), IndexError> {
        self.db.execute("DELETE FROM words WHERE rowid IN (SELECT id FROM passage WHERE file=?1)", [id])?;
        for table in ["passage", "symbol", "edge"] {
            self.db.execute(&format!("DELETE FROM {table} WHERE file=?1"), [id])?;
        }
        self.db.execute("DELETE FROM file WHERE id=?1", [id])?;
        Ok(())
    }

    /// Gives a passage its vector; not one that has one by now, nor another that took its number.
    pub fn give_vector(&self, place: &Placed, vector: &[u8]) -> Result<(), IndexError> {
        self.db.execute(
            "UPDATE passage SET vector=?2 WHERE id=?1 AND vector IS NULL AND start=?3
                AND file IN (SELECT id FROM file WHERE path=?4 AND hash=?5)",
            params![place.id, vector, place.from, place.path, place.hash],
        )?;
        Ok(())
    }

    /// Puts a file in.
    pub fn put(&self, filed: &Filed<'_>) -> Result<(), IndexError> {
        self.db.execute(
            "INSERT INTO file(path, stamp, hash, seen, lines, skipped) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                filed.path.as_str(),
                filed.stamp,
                filed.hash.to_string(),
                filed.seen.to_string(),
                filed.lines,
                filed.skipped
            ],
        )?;
        let file = self.db.last_insert_rowid();
        let mut passage = self
            .db
            .prepare("INSERT INTO passage(file, start, finish, title, item, bag, vector) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
        let mut words = self.db.prepare(
            "INSERT INTO words(rowid, name, path, notes, code, whole, about) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        let mut symbol = self.db.prepare("INSERT INTO symbol VALUES(?1, ?2, ?3, ?4, ?5, ?6)")?;
        for (piece, fields) in filed.cut.pieces.iter().zip(&filed.fields) {
            let id = passage.insert(params![
                file,
                piece.from,
                piece.to,
                piece.title(),
                piece.item,
                fields.bag,
                fields.vector
            ])?;
            words.execute(params![
                id,
                fields.name,
                fields.path,
                fields.notes,
                fields.code,
                fields.whole,
                fields.about
            ])?;
            for Symbol { name, outer, kind, line } in &piece.defines {
                symbol.execute(params![name, outer, kind, id, file, line])?;
            }
        }
        let mut edge = self.db.prepare("INSERT INTO edge VALUES(?1, ?2, ?3)")?;
        for (kind, targets) in [("import", &filed.cut.imports), ("link", &filed.cut.links)] {
            for target in targets {
                edge.execute(params![file, kind, target])?;
            }
        }
        Ok(())
    }
}

impl IndexError {
    /// Whether the database is damaged and has to be made anew.
    pub(crate) fn is_damage(&self) -> bool {
        let Self::Database(rusqlite::Error::SqliteFailure(error, _)) = self else { return false };
        matches!(error.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    }
}

/// The files of a database: its own and those that it has beside it while it is open.
fn files(path: &Path) -> impl Iterator<Item = PathBuf> {
    ["", "-wal", "-shm"].into_iter().map(|ending| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        name.into()
    })
}

//! Memories on disk: the project's in its folder, the user's own beside their settings.
//!
//! Owns where the files are, what of them is in force, and the writing of them. A project's memory is read only
//! where the folder is trusted or the user agreed to each of its notes; secrets are masked before anyone reads it.

use std::path::{Path, PathBuf};

use pilothouse_core::{
    blob::{Blob, BlobId, Excerpt},
    clean::Clean,
    memory::{Memory, MemoryChange, MemoryOwner},
    redact::Redactor,
    relpath::RelPath,
};
use pilothouse_tools::{Jail, atomic};

use crate::{
    blobs::Blobs,
    disk::{Disk, Root},
    home::{Home, make_private},
    own,
    trust::{Folder, Kind, Survey},
    writer::{Swap, swap_all},
};

/// The project's file.
pub const PROJECT_FILE: &str = ".pilothouse/memory.md";
/// The user's own file, in the folder of their settings.
pub const USER_FILE: &str = "memory.md";
/// Most bytes of a file.
const MOST_BYTES: usize = 64 * 1024;

/// What was found of both files.
#[derive(Debug, Default)]
pub struct Found {
    /// The notes in force.
    pub memory: Memory,
    /// What the user should know of what is not.
    pub notices: Vec<String>,
}

/// The user's own file.
pub fn user_file(home: &Home) -> PathBuf {
    home.config.join(USER_FILE)
}

/// The files of both memories.
pub fn files(home: &Home, root: &Path) -> [PathBuf; 2] {
    [user_file(home), root.join(PROJECT_FILE)]
}

/// Reads both memories.
pub fn load(home: &Home, folder: &Folder, survey: &Survey, secrets: &Redactor) -> Found {
    let mut notices = Vec::new();
    let user = own::text(&user_file(home)).unwrap_or_else(|e| {
        notices.push(format!("{e}; its notes are left out ({})", e.hint()));
        None
    });
    let project = project_text(&folder.root, folder, survey).unwrap_or_else(|why| {
        // What an untrusted folder brings is told about where all of it is.
        let told = survey.standing.trust.holds() || survey.standing.parts.is_empty();
        notices.extend(told.then(|| format!("{PROJECT_FILE} is left out: {why}")));
        None
    });
    let texts = [(MemoryOwner::User, USER_FILE, user), (MemoryOwner::Project, PROJECT_FILE, project)];
    let texts: Vec<(MemoryOwner, String)> = texts
        .into_iter()
        .filter_map(|(owner, name, text)| {
            let text = text?;
            let end = text.floor_char_boundary(MOST_BYTES);
            if end < text.len() {
                let all = text.len();
                notices.push(format!("{name} has {all} bytes; only the notes in its first {end} are used"));
            }
            let text = secrets.mask_file(name, text.get(..end)?).into_owned();
            Some((owner, Clean::text(text.trim_start_matches('\u{feff}')).into_string()))
        })
        .collect();
    Found { memory: Memory::of(texts.iter().map(|(o, t)| (*o, t.as_str()))), notices }
}

/// The project's memory as it stands, where it is in force; an empty one is.
fn project_text(root: &Path, folder: &Folder, survey: &Survey) -> Result<Option<String>, String> {
    let jail = Jail::open(root).map_err(|e| e.to_string())?;
    let path = RelPath::new(PROJECT_FILE).map_err(|e| e.to_string())?;
    match jail.metadata(&path) {
        Err(_) if root.join(PROJECT_FILE).symlink_metadata().is_err() => return Ok(None),
        Err(e) => return Err(e.to_string()),
        Ok(meta) if meta.len() > own::MOST_BYTES => return Err(format!("it has {} bytes", meta.len())),
        Ok(_) => {}
    }
    let bytes = jail.read(&path).map_err(|e| e.to_string())?;
    let kept = folder.store.memory(root) == Some(BlobId::of(&bytes));
    let mut brought = survey.brought.pieces.iter().filter(|p| p.kind == Kind::Memory);
    let trusted = survey.standing.trust.holds() && brought.any(|p| p.content.as_ref() == Ok(&bytes));
    if !kept && !trusted && !bytes.trim_ascii().is_empty() {
        return Err("it contains notes that nobody here has agreed to; /trust shows them".to_owned());
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// What a memory holds, word for word; for its owner to edit.
///
/// # Errors
/// Why it cannot be given.
pub fn whole(owner: MemoryOwner, home: &Home, folder: &Folder, survey: &Survey) -> Result<String, String> {
    let text = match owner {
        MemoryOwner::User => own::text(&user_file(home)).map_err(|e| format!("{e} ({})", e.hint()))?,
        MemoryOwner::Project => project_text(&folder.root, folder, survey)?,
    };
    Ok(text.unwrap_or_default())
}

/// What a change is made with.
pub struct Desk<'a> {
    /// The program's own files.
    pub home: &'a Home,
    /// The folder, and where decisions about it are kept.
    pub folder: &'a Folder,
    /// What was found of it.
    pub survey: &'a Survey,
    /// The workspace.
    pub root: &'a Root,
    /// The file layer.
    pub disk: &'a dyn Disk,
    /// Contents by hash.
    pub blobs: &'a Blobs,
}

impl Desk<'_> {
    /// Makes a change, and says which file holds it.
    ///
    /// # Errors
    /// Why the file is as it was.
    pub fn keep(&self, change: &MemoryChange) -> Result<String, String> {
        let owner = change.owner();
        let before = whole(owner, self.home, self.folder, self.survey)?;
        let stored = |text: &Excerpt| match &text.cut {
            None => Some(text.head.clone()),
            Some(cut) => self.blobs.text(cut.blob),
        };
        let after = change.of(&before, stored)?;
        if after.len() > MOST_BYTES {
            return Err(format!("it would have {} bytes; at most {MOST_BYTES} are kept", after.len()));
        }
        match owner {
            MemoryOwner::User => {
                make_private(&self.home.config).map_err(|e| e.to_string())?;
                let path = user_file(self.home);
                atomic::replace(&path, after.as_bytes(), 0o600).map_err(|e| crate::error::cause(&e))?;
                Ok(path.display().to_string())
            }
            MemoryOwner::Project => {
                let before = self.folder.trusted_now();
                self.write(&after)?;
                let of = BlobId::of(after.as_bytes());
                self.folder.remembered(of, before).map_err(|e| e.to_string())?;
                Ok(PROJECT_FILE.to_owned())
            }
        }
    }

    fn write(&self, after: &str) -> Result<(), String> {
        let path = RelPath::new(PROJECT_FILE).map_err(|e| e.to_string())?;
        let at = self.root.locate(&path).map_err(|e| crate::error::cause(&e))?;
        let old = if at.missing.is_empty() {
            self.disk.read(&at.spot).map_err(|e| crate::error::cause(&e))?
        } else {
            None
        };
        let blob = Blob::new(after.as_bytes().to_vec());
        self.blobs.put(self.disk, &blob).map_err(|e| e.to_string())?;
        let expect = old.map(|o| BlobId::of(&o.bytes));
        let swap = Swap { path, expect, to: Some(blob.id()), mode: None, prune: false, forms: None };
        swap_all(self.disk, self.root, self.blobs, &[swap]).map_err(|fault| fault.message)
    }
}

//! Where the program's own files are, and what the environment says.
//!
//! Owns the folders. Never reads a setting out of them.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use crate::error::RuntimeError;

/// The environment, read once; a test makes its own.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// That of this process; values that are no text are left out.
    pub fn of_process() -> Self {
        let text = |(k, v): (std::ffi::OsString, std::ffi::OsString)| {
            Some((k.into_string().ok()?, v.into_string().ok()?))
        };
        Self(std::env::vars_os().filter_map(text).collect())
    }

    /// Every variable.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The value of `name`, unless it is empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|v| !v.trim().is_empty())
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Environment {
    fn from_iter<T: IntoIterator<Item = (K, V)>>(pairs: T) -> Self {
        Self(pairs.into_iter().map(|(k, v)| (k.into(), v.into())).collect())
    }
}

impl std::fmt::Debug for Environment {
    /// Names only: values may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The folders of the program's own files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// What the user writes: `config.toml`, `credentials.toml`.
    pub config: PathBuf,
    /// What the program keeps: sessions, logs.
    pub state: PathBuf,
    /// The user's home folder, for what other agents read there too: `.claude`, `.agents`.
    pub user: PathBuf,
}

impl Home {
    /// Everything under one folder, which is the user's home as well: nothing else of the machine is looked at.
    pub fn under(folder: &Path) -> Self {
        Self { config: folder.to_owned(), state: folder.join("state"), user: folder.to_owned() }
    }

    /// All under `PILOTHOUSE_HOME`, else the platform's folders and the user's home.
    ///
    /// # Errors
    /// When the platform knows no home folder for this user.
    pub fn find(environment: &Environment) -> Result<Self, RuntimeError> {
        if let Some(folder) = environment.get("PILOTHOUSE_HOME") {
            let path = std::path::absolute(folder).map_err(RuntimeError::io("find", folder))?;
            return Ok(Self::under(&path));
        }
        let dirs = directories::ProjectDirs::from("", "", "pilothouse").zip(directories::BaseDirs::new());
        let (dirs, base) = dirs.ok_or_else(|| RuntimeError::Setting {
            what: "PILOTHOUSE_HOME".into(),
            message: "this user has no home folder; set the variable to a folder of your choice".into(),
        })?;
        let state = dirs.state_dir().map_or_else(|| dirs.data_dir().join("state"), Path::to_owned);
        Ok(Self { config: dirs.config_dir().to_owned(), state, user: base.home_dir().to_owned() })
    }

    /// Every folder of the program's own: what is in them steers it or is its memory.
    pub fn own(&self) -> Vec<PathBuf> {
        vec![self.config.clone(), self.state.clone()]
    }

    /// Where all sessions are.
    pub fn sessions(&self) -> PathBuf {
        self.state.join("sessions")
    }

    /// Where the sessions of one workspace are: its name and a hash of its real path.
    pub fn sessions_of(&self, workspace: &Path) -> PathBuf {
        self.sessions().join(Self::named(workspace))
    }

    fn named(workspace: &Path) -> String {
        let path = workspace.as_os_str().as_encoded_bytes();
        let hash = pilothouse_core::blob::BlobId::of(path).short(8);
        let name = workspace.file_name().map_or("root".into(), |n| n.to_string_lossy());
        let plain: String =
            name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).take(40).collect();
        format!("{plain}-{hash}")
    }

    /// Where the knowledge index of one workspace is.
    pub fn index_of(&self, workspace: &Path) -> PathBuf {
        self.state.join("index").join(Self::named(workspace))
    }

    /// Where log files are.
    pub fn logs(&self) -> PathBuf {
        self.state.join("logs")
    }
}

/// Makes a folder with its parents, readable by this user alone.
///
/// # Errors
/// What the file system says.
pub(crate) fn make_private(folder: &Path) -> Result<(), RuntimeError> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(RuntimeError::io("create", folder))
}

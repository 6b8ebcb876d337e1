//! Settings: the shipped defaults, the user's file, the environment, the command line.
//!
//! Owns reading, layering and checking. A project's own file arrives here only from a folder that
//! is trusted; it can only narrow, and never names an endpoint or a key.

pub mod intent;
mod layer;
mod project;
pub mod voice;

use std::{
    fs,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use pilothouse_core::scope::PermissionMode;
use pilothouse_model::Preset;
use pilothouse_tools::sandbox::Settings;
use secrecy::SecretString;

use crate::{
    error::RuntimeError,
    home::{Environment, Home},
};
pub use intent::{Intent, Vectors};
pub(crate) use layer::position;
pub use layer::{Layer, PriceLayer};
pub use project::ProjectLayer;
pub use voice::Voice;

/// The defaults as they are shipped.
pub const DEFAULTS: &str = include_str!("../../../assets/config.toml");

/// Every setting, decided.
#[derive(Clone, Debug)]
pub struct Config {
    /// Who answers.
    pub voice: Voice,
    /// The model's context window in tokens, if known.
    pub window: Option<u64>,
    /// The ceiling of a new session.
    pub permission: PermissionMode,
    /// Messages of the conversation that a model gets.
    pub history: usize,
    /// What holds commands.
    pub sandbox: Settings,
    /// How messages are read.
    pub intent: Intent,
    /// What goes to the log file.
    pub filter: String,
    /// What the user should know about the settings, a sentence each.
    pub notices: Vec<String>,
}

/// The longest time that a setting can ask for, in seconds.
const MAX_SECONDS: u64 = 3600;

impl Config {
    /// Reads all layers. `flags` is what the command line says and goes before everything; `project`
    /// is what the folder says where it is trusted.
    ///
    /// # Errors
    /// When a file cannot be read or holds something unknown (with line and column), when a key
    /// file can be read by others, or when the settings contradict each other.
    pub fn load(
        home: &Home,
        project: Option<&ProjectLayer>,
        environment: &Environment,
        flags: Layer,
    ) -> Result<Self, RuntimeError> {
        let defaults = Layer::parse(Path::new("assets/config.toml"), DEFAULTS)?;
        let file = home.config.join("config.toml");
        let user = match fs::read_to_string(&file) {
            Ok(text) => Layer::parse(&file, &text)?,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Layer::default(),
            Err(e) => return Err(RuntimeError::io("read", file)(e)),
        };
        let embedder = user.embedder.clone();
        let all = flags.over(Layer::from_environment(environment)).over(user).over(defaults);
        let keys = Credentials::read(&home.config.join("credentials.toml"))?;
        let voice = Voice::choose(&all.model, environment, &keys)?;
        let embedder = intent::vectors(&embedder, environment, &keys)?;
        let mut notices = Vec::new();
        let intent = Intent::read(home, &all.intent, embedder, &mut notices);
        let config = Self {
            voice,
            intent,
            window: all.model.window,
            permission: all.session.permission.unwrap_or_default(),
            sandbox: all.sandbox.settings(environment),
            history: all.session.history.unwrap_or(20).min(200),
            filter: environment
                .get("PILOTHOUSE_LOG")
                .map(str::to_owned)
                .or(all.log.filter)
                .unwrap_or_else(|| "info".into()),
            notices,
        };
        Ok(project.map_or(config.clone(), |p| p.narrow(config)))
    }
}

fn seconds(value: Option<u64>, default: u64) -> Duration {
    Duration::from_secs(value.unwrap_or(default).clamp(1, MAX_SECONDS))
}

/// Keys by preset, from a file that only this user can read.
#[derive(Clone, Debug, Default)]
pub struct Credentials {
    keys: Vec<(String, SecretString)>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct CredentialFile {
    #[serde(default)]
    keys: std::collections::BTreeMap<String, String>,
}

impl Credentials {
    /// Reads the file; none at all when there is no such file.
    ///
    /// # Errors
    /// [`RuntimeError::Exposed`] when others can read it; what is wrong in it otherwise, without
    /// quoting it.
    pub fn read(path: &Path) -> Result<Self, RuntimeError> {
        let meta = match fs::metadata(path) {
            Ok(meta) => meta,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(e) => return Err(RuntimeError::io("read", path)(e)),
        };
        if meta.mode() & 0o077 != 0 {
            return Err(RuntimeError::Exposed { path: path.to_owned(), mode: meta.mode() & 0o777 });
        }
        let text = fs::read_to_string(path).map_err(RuntimeError::io("read", path))?;
        let file: CredentialFile = toml::from_str(&text).map_err(|e| {
            let (line, column) = layer::position(&text, e.span());
            // The parser's own message may quote the line, and the line may hold a key.
            let message = "not a table of keys".to_owned();
            let hint = "write `[keys]` and below it lines such as `openai = \"…\"`".to_owned();
            RuntimeError::Config { file: path.to_owned(), line, column, message, hint }
        })?;
        Ok(Self { keys: file.keys.into_iter().map(|(name, key)| (name, key.into())).collect() })
    }

    /// The key for a preset, or for `custom`.
    pub fn get(&self, name: &str) -> Option<&SecretString> {
        self.keys.iter().find(|(n, _)| n == name).map(|(_, k)| k)
    }

    /// Stores a key so that only this user can read it.
    ///
    /// # Errors
    /// What the file system says, or what is wrong in the file that is there.
    pub fn store(path: &Path, name: &str, key: &SecretString) -> Result<(), RuntimeError> {
        use secrecy::ExposeSecret;
        use std::io::Write;
        let mut all = Self::read(path)?;
        all.keys.retain(|(n, _)| n != name);
        all.keys.push((name.to_owned(), key.clone()));
        let table: toml::Table =
            all.keys.iter().map(|(n, k)| (n.clone(), toml::Value::from(k.expose_secret()))).collect();
        let text = toml::Table::from_iter([("keys".to_owned(), toml::Value::Table(table))]).to_string();
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
        crate::home::make_private(&folder)?;
        let temp = path.with_extension("tmp");
        drop(fs::remove_file(&temp));
        let write = || {
            let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temp)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&temp, path)?;
            crate::log::sync_folder(&folder)
        };
        write().map_err(RuntimeError::io("write", path))
    }
}

#[cfg(test)]
mod tests;

//! A workspace on disk and a lane's view of it, for the tests of the file tools.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
};

use pilothouse_core::{
    blob::BlobId,
    relpath::RelPath,
    tool::{FileCall, Tool, ToolCall, ToolOutcome},
    work::View,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    Jail, executor,
    sight::{LaneView, Lately},
};

#[derive(Default)]
pub(crate) struct Store(Mutex<BTreeMap<BlobId, Vec<u8>>>);

impl executor::BlobSource for Store {
    fn blob(&self, id: BlobId) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get(&id).cloned()
    }

    fn beginning(&self, id: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap().iter().find(|(i, _)| i.to_string().starts_with(id)).map(|(_, b)| b.clone())
    }
}

impl Store {
    pub(crate) fn put(&self, bytes: &[u8]) -> BlobId {
        let id = BlobId::of(bytes);
        self.0.lock().unwrap().insert(id, bytes.to_vec());
        id
    }
}

pub(crate) struct Desk {
    _dir: tempfile::TempDir,
    /// The workspace; other folders may stand beside it.
    pub root: PathBuf,
    pub jail: Jail,
    pub view: View,
    pub store: Store,
    pub redactor: pilothouse_core::redact::Redactor,
    pub lately: Lately,
    pub recipes: pilothouse_core::recipe::Recipes,
}

pub(crate) fn desk(files: &[(&str, &[u8])]) -> Desk {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("app");
    fs::create_dir(&root).unwrap();
    let desk = Desk {
        jail: Jail::open(&root).unwrap(),
        root,
        view: View::default(),
        store: Store::default(),
        redactor: pilothouse_core::redact::Redactor::default(),
        lately: Lately::default(),
        recipes: pilothouse_core::recipe::Recipes::default(),
        _dir: dir,
    };
    for (path, bytes) in files {
        desk.put(path, bytes);
    }
    desk
}

pub(crate) fn rel(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

/// What a call asks of the files, read as the session reads it.
pub(crate) fn asked(tool: Tool, args: &Value) -> Result<FileCall, String> {
    match ToolCall::read(tool, &args.to_string()).map_err(|e| e.to_string())? {
        ToolCall::File(call) => Ok(call),
        other
        @ (ToolCall::Run(_) | ToolCall::Session(_) | ToolCall::Knowledge(_) | ToolCall::External(_)) => {
            panic!("{other:?} is no call of a file tool")
        }
    }
}

impl Desk {
    pub(crate) fn put(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Calls a tool; what it saw and proposed is in the view from then on.
    #[allow(clippy::needless_pass_by_value)]
    pub(crate) fn call(&mut self, tool: Tool, args: Value) -> Result<ToolOutcome, String> {
        let held = std::cell::OnceCell::new();
        let eyes = LaneView {
            jail: &self.jail,
            view: &self.view,
            blobs: &self.store,
            held: &held,
            redactor: &self.redactor,
            lately: &self.lately,
            recipes: &self.recipes,
        };
        let got = crate::files::perform(&asked(tool, &args)?, eyes, &CancellationToken::new())?;
        for (path, of) in &got.seen {
            self.view.seen.insert(path.clone(), *of);
            self.view.parts.remove(path);
        }
        for (path, of, lines) in &got.parts {
            let part = self.view.parts.entry(path.clone()).or_insert_with(|| (*of, Vec::new()));
            part.1.push(*lines);
        }
        if let Some(path) = &got.withdrawn {
            self.view.overlay.remove(&**path);
            self.view.base.remove(&**path);
        }
        for draft in &got.proposals {
            let after = draft.after.as_ref().map(|b| self.store.put(b.bytes()));
            self.view.overlay.insert(draft.path.clone(), after);
            self.view
                .base
                .insert(draft.path.clone(), draft.before.as_ref().map(pilothouse_core::blob::Blob::id));
        }
        if got.failed { Err(got.text) } else { Ok(got) }
    }

    pub(crate) fn text(&mut self, tool: Tool, args: Value) -> String {
        match self.call(tool, args) {
            Ok(got) => got.text,
            Err(e) => panic!("{e}"),
        }
    }

    pub(crate) fn refused(&mut self, tool: Tool, args: Value) -> String {
        match self.call(tool, args) {
            Ok(got) => panic!("not refused: {}", got.text),
            Err(e) => e,
        }
    }

    /// Every file and link below the folder that holds the workspace, with its bytes.
    pub(crate) fn world(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut world = BTreeMap::new();
        let mut folders = vec![self.root.parent().unwrap().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let (path, kind) = entry.map(|e| (e.path(), e.file_type().unwrap())).unwrap();
                if kind.is_dir() {
                    folders.push(path.clone());
                    world.insert(path, b"folder".to_vec());
                } else if kind.is_symlink() {
                    world.insert(
                        path.clone(),
                        fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes(),
                    );
                } else if kind.is_file() {
                    world.insert(path.clone(), fs::read(&path).unwrap());
                }
            }
        }
        world
    }
}

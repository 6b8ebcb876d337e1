//! A sentence model of the BERT family, read from a folder.
//!
//! Owns the files of the folder and the order of the steps. Never downloads anything.

use std::{
    fmt::Write as _,
    fs,
    io::{Read, Seek, SeekFrom},
    path::Path,
};

use pilothouse_core::{blob::BlobId, embed::Embedder, intent::embed::unit, talk::Fault};
use serde::Deserialize;

use super::{
    bert::{Bert, Config, Pooling, pooled},
    fault,
    wordpiece::WordPiece,
};

/// Ids of a text beyond these say nothing more about what is wanted.
const MOST: usize = 256;

/// A sentence model in memory.
pub(super) struct Local {
    name: String,
    tokens: WordPiece,
    bert: Bert,
    pooling: Pooling,
}

#[derive(Deserialize)]
struct PoolingFile {
    #[serde(default)]
    pooling_mode_cls_token: bool,
}

impl Local {
    pub fn open(folder: &Path) -> Result<Self, Fault> {
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read(&path).map_err(|e| {
                fault(
                    format!("cannot read {}: {e}", path.display()),
                    "`folder` under [embedder] must hold config.json, tokenizer.json and model.safetensors",
                )
            })
        };
        let (config, tokenizer) = (read("config.json")?, read("tokenizer.json")?);
        let parsed: Config = serde_json::from_slice(&config).map_err(|e| {
            fault(format!("config.json cannot be read: {e}"), "it must be that of a model of the BERT family")
        })?;
        let tokens = WordPiece::parse(&tokenizer)?;
        let name = identity(folder, &config, &tokenizer)?;
        let bert = Bert::read(&parsed, &read("model.safetensors")?)?;
        if tokens.largest() as usize >= bert.vocabulary() {
            return Err(fault(
                format!(
                    "tokenizer.json knows {} words, the model {}",
                    tokens.largest() + 1,
                    bert.vocabulary()
                ),
                "both must come from one model",
            ));
        }
        let pooling = fs::read(folder.join("1_Pooling/config.json")).ok();
        let pooling = pooling.and_then(|text| serde_json::from_slice::<PoolingFile>(&text).ok());
        let first = pooling.is_some_and(|p| p.pooling_mode_cls_token);
        Ok(Self { name, tokens, bert, pooling: if first { Pooling::First } else { Pooling::Mean } })
    }
}

impl Embedder for Local {
    fn name(&self) -> &str {
        &self.name
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Fault> {
        let most = MOST.min(self.bert.longest());
        let vector = |text: &&str| {
            let ids = self.tokens.ids(text, most);
            if ids.len() <= 2 {
                // Nothing stands between the marks: no direction at all.
                return vec![0.0; pooled(&self.bert.forward(&ids), self.pooling).len()];
            }
            unit(pooled(&self.bert.forward(&ids), self.pooling))
        };
        Ok(texts.iter().map(vector).collect())
    }
}

/// What tells this model from every other: its small files, and samples of the large one, which
/// need not be read whole for it.
fn identity(folder: &Path, config: &[u8], tokenizer: &[u8]) -> Result<String, Fault> {
    let path = folder.join("model.safetensors");
    let samples = || {
        let mut file = fs::File::open(&path)?;
        let length = file.metadata()?.len();
        let mut seen = length.to_le_bytes().to_vec();
        for n in 0..16 {
            file.seek(SeekFrom::Start(length / 16 * n))?;
            let mut piece = Vec::new();
            file.by_ref().take(16 * 1024).read_to_end(&mut piece)?;
            seen.extend(piece);
        }
        Ok(seen)
    };
    let seen = samples().map_err(|e: std::io::Error| {
        fault(format!("cannot read {}: {e}", path.display()), "check the folder under [embedder]")
    })?;
    let mut all = String::new();
    for part in [config, tokenizer, &seen] {
        // Writing to a string cannot fail.
        let _ = write!(all, "{}", BlobId::of(part));
    }
    Ok(format!("local {}", BlobId::of(all.as_bytes()).short(16)))
}

//! Exemplar vectors of an embedder beside the built-in one: made once, kept on disk, compared here.
//!
//! Owns the cache file and how often a failing embedder is asked. A cache that is damaged, or of
//! other phrases or another model, is made again; without one everything still works.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use pilothouse_core::{
    blob::BlobId,
    embed::Embedder,
    intent::{Exemplars, Index, similar::Match},
    talk::{Fault, FaultKind},
};
use pilothouse_model::{Endpoint, embed};
use pilothouse_tools::atomic;

use crate::config::Vectors;

/// An embedder that failed is left alone this long.
const REST: Duration = Duration::from_secs(30);
/// Files of other models and phrases that are kept.
const KEPT: usize = 4;
/// What a cache file begins with.
const MAGIC: &[u8; 8] = b"PHVECT01";

/// The neighbours of a message among the exemplars.
pub struct Neighbours {
    place: Vectors,
    set: Exemplars,
    cache: PathBuf,
    limit: Duration,
    embedder: OnceLock<Box<dyn Embedder>>,
    ready: Mutex<Ready>,
}

#[derive(Default)]
struct Ready {
    index: Option<Index>,
    failed: Option<(Instant, Fault)>,
}

/// The embedder that is configured; each call of one at an endpoint may take as long as `limit`.
///
/// # Errors
/// Why it cannot be made.
pub(crate) fn embedder(place: &Vectors, limit: Duration) -> Result<Box<dyn Embedder>, Fault> {
    Ok(match place {
        Vectors::BuiltIn => Box::new(pilothouse_core::intent::embed::Hashed),
        Vectors::Local(folder) => embed::local(folder)?,
        Vectors::Remote(endpoint) => {
            let connect_timeout = limit.min(Duration::from_secs(3));
            let endpoint = Endpoint { connect_timeout, silence_timeout: limit, ..(**endpoint).clone() };
            Box::new(embed::Remote::new(endpoint, tokio::runtime::Handle::current()))
        }
    })
}

impl Neighbours {
    /// Of these exemplars by this embedder; nothing is read, loaded or asked yet.
    pub fn new(place: Vectors, set: Exemplars, cache: PathBuf, limit: Duration) -> Self {
        Self { place, set, cache, limit, embedder: OnceLock::new(), ready: Mutex::default() }
    }

    /// The exemplars nearest to a text. May take long the first time; blocks.
    ///
    /// # Errors
    /// Why the embedder cannot be used; within half a minute of a failure the same again, unasked.
    pub fn nearest(&self, text: &str) -> Result<Option<Match>, Fault> {
        self.unless_failed(|ready| self.look(ready, text))
    }

    /// Makes the vectors of the exemplars, so that the first message need not wait for them; those
    /// that are kept ask nobody.
    ///
    /// # Errors
    /// As [`Neighbours::nearest`].
    pub fn warm(&self) -> Result<(), Fault> {
        self.unless_failed(|ready| self.fill(ready, self.embedder()?, Kept::AsFound))
    }

    fn unless_failed<T>(&self, work: impl FnOnce(&mut Ready) -> Result<T, Fault>) -> Result<T, Fault> {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((when, fault)) = &ready.failed
            && when.elapsed() < REST
        {
            return Err(fault.clone());
        }
        let done = work(&mut ready);
        ready.failed = done.as_ref().err().map(|fault| (Instant::now(), fault.clone()));
        done
    }

    fn look(&self, ready: &mut Ready, text: &str) -> Result<Option<Match>, Fault> {
        let embedder = self.embedder()?;
        self.fill(ready, embedder, Kept::AsFound)?;
        let vector = embedder.embed(&[text])?.into_iter().next().unwrap_or_default();
        let width = |ready: &Ready| ready.index.as_ref().map_or(0, Index::width);
        if width(ready) != vector.len() {
            // The endpoint has another model under the same name by now.
            ready.index = None;
            self.fill(ready, embedder, Kept::Stale)?;
        }
        if width(ready) != vector.len() {
            let lengths = (width(ready), vector.len());
            ready.index = None;
            return Err(uneven(lengths));
        }
        Ok(ready.index.as_ref().and_then(|index| index.nearest(&vector)))
    }

    fn fill(&self, ready: &mut Ready, embedder: &dyn Embedder, kept: Kept) -> Result<(), Fault> {
        if ready.index.is_none() {
            ready.index = self.index(embedder, kept)?;
        }
        Ok(())
    }

    fn embedder(&self) -> Result<&dyn Embedder, Fault> {
        if let Some(embedder) = self.embedder.get() {
            return Ok(embedder.as_ref());
        }
        let made = embedder(&self.place, self.limit)?;
        Ok(self.embedder.get_or_init(|| made).as_ref())
    }

    fn index(&self, embedder: &dyn Embedder, kept: Kept) -> Result<Option<Index>, Fault> {
        let phrases: Vec<&str> = self.set.entries().iter().map(|e| e.phrase.as_str()).collect();
        let path = self.cache.join(format!("{}.bin", key(embedder.name(), &phrases)));
        if kept == Kept::AsFound
            && let Some(vectors) = read(&path, phrases.len())
        {
            return Ok(Index::levelled(&self.set, vectors));
        }
        let vectors = embedder.embed(&phrases)?;
        if let Err(e) = write(&path, &vectors) {
            tracing::warn!(error = %e, "the vectors of the exemplars could not be kept");
        }
        Ok(Index::levelled(&self.set, vectors))
    }
}

/// What a cache file is worth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    AsFound,
    Stale,
}

fn uneven((phrases, text): (usize, usize)) -> Fault {
    Fault {
        kind: FaultKind::Malformed,
        message: format!("its vectors have {phrases} numbers for phrases and {text} for a message"),
        hint: "check that one model answers at the address under [embedder]".to_owned(),
        status: None,
    }
}

/// The content hash that a cache file is named by: the embedder's identity and the phrases.
fn key(name: &str, phrases: &[&str]) -> String {
    let all = std::iter::once(name).chain(phrases.iter().copied()).collect::<Vec<_>>().join("\u{1e}");
    BlobId::of(all.as_bytes()).to_string()
}

/// `None` for whatever is not exactly what was written.
fn read(path: &Path, count: usize) -> Option<Vec<Vec<f32>>> {
    let bytes = fs::read(path).ok()?;
    let (body, sum) = bytes.split_last_chunk::<4>()?;
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return None;
    }
    let (head, rest) = body.split_first_chunk::<8>()?;
    let (rows, rest) = rest.split_first_chunk::<4>()?;
    let (width, rest) = rest.split_first_chunk::<4>()?;
    let rows = usize::try_from(u32::from_le_bytes(*rows)).ok()?;
    let width = usize::try_from(u32::from_le_bytes(*width)).ok()?;
    if head != MAGIC
        || rows != count
        || width == 0
        || rest.len() != rows.checked_mul(width)?.checked_mul(4)?
    {
        return None;
    }
    let numbers = rest.chunks_exact(4).map(|c| c.try_into().map_or(0.0, f32::from_le_bytes));
    let numbers: Vec<f32> = numbers.collect();
    Some(numbers.chunks_exact(width).map(<[f32]>::to_vec).collect())
}

fn write(path: &Path, vectors: &[Vec<f32>]) -> std::io::Result<()> {
    let folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
    crate::home::make_private(&folder).map_err(|e| std::io::Error::other(e.to_string()))?;
    let size = |n: usize| u32::try_from(n).unwrap_or_default().to_le_bytes();
    let mut bytes = MAGIC.to_vec();
    bytes.extend(size(vectors.len()));
    bytes.extend(size(vectors.first().map_or(0, Vec::len)));
    bytes.extend(vectors.iter().flatten().flat_map(|x| x.to_le_bytes()));
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    atomic::replace(path, &bytes, 0o600)?;
    forget_old(&folder, path);
    Ok(())
}

/// Other models' and older phrases' files go, the oldest first.
fn forget_old(folder: &Path, keep: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut files: Vec<_> = entries
        .flatten()
        .map(|e| e.path())
        .filter(|p| p != keep && p.extension().is_some_and(|e| e == "bin"))
        .filter_map(|p| Some((fs::metadata(&p).ok()?.modified().ok()?, p)))
        .collect();
    files.sort();
    let old = files.len().saturating_sub(KEPT);
    for (_, path) in files.into_iter().take(old) {
        // Another process may have been quicker.
        drop(fs::remove_file(path));
    }
}

#[cfg(test)]
mod tests;

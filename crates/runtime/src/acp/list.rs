//! The sessions of before, as a client lists them.
//!
//! Owns the size of a page and where the next one begins.

use std::path::Path;

use pilothouse_core::clean::Clean;
use serde_json::{Value, json};

use super::{params::Fields, wire::Fault};
use crate::{driver::Setup, sessions};

/// Sessions of one page.
const PAGE: usize = 50;

/// One page of them, the newest first.
///
/// # Errors
/// When a parameter has another shape, or the cursor is none that was given.
pub(super) async fn page(setup: &Setup, params: &mut Fields) -> Result<Value, Fault> {
    let cwd = params.path_or_none("cwd")?;
    let from: usize = match params.text_or_none("cursor")? {
        Some(cursor) => cursor.parse().map_err(|_| Fault::params("params.cursor is none that was given"))?,
        None => 0,
    };
    let (home, secrets) = (setup.home.clone(), setup.secrets.clone());
    let listed = tokio::task::spawn_blocking(move || {
        let cwd = cwd.map(|cwd| cwd.canonicalize().unwrap_or(cwd));
        let of = |place: &sessions::Place| cwd.as_ref().is_none_or(|cwd| place.workspace == *cwd);
        let mut places: Vec<_> = sessions::all(&home).into_iter().filter(of).collect();
        places.sort_by_key(|place| std::cmp::Reverse(place.created));
        let more = places.len() > from.saturating_add(PAGE);
        let shown = places.into_iter().skip(from).take(PAGE).filter_map(|place| {
            let summary = sessions::summary(&place).ok().filter(|summary| !summary.archived)?;
            let title = Clean::line(&secrets.mask(&summary.title)).into_string();
            Some(info(&place.slug, &place.workspace, &title, summary.updated))
        });
        let mut listed = json!({"sessions": shown.collect::<Vec<_>>()});
        if let (true, Some(fields)) = (more, listed.as_object_mut()) {
            fields.insert("nextCursor".to_owned(), json!((from + PAGE).to_string()));
        }
        listed
    });
    listed
        .await
        .map_err(|_| Fault::internal("the sessions could not be listed; the log file has the details"))
}

fn info(slug: &str, workspace: &Path, title: &str, updated: u64) -> Value {
    let at = i64::try_from(updated).ok().and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    json!({
        "sessionId": slug, "cwd": workspace, "title": title, "updatedAt": at.map(|at| at.to_string()),
    })
}

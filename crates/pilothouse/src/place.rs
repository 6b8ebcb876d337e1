//! Which session is meant: by name, or by the folder that holds its log.

use std::path::Path;

use pilothouse_runtime::{Home, RuntimeError, sessions};

/// The session called `name`, or the one whose own folder `name` is.
///
/// # Errors
/// When there is none.
pub fn find(home: &Home, here: &Path, name: &str) -> Result<sessions::Place, RuntimeError> {
    let folder = Path::new(name);
    if folder.join(pilothouse_runtime::log::FILE).is_file() {
        let slug = folder.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        return Ok(sessions::Place {
            folder: folder.to_owned(),
            slug,
            workspace: here.to_owned(),
            created: 0,
        });
    }
    sessions::find(home, here, name)
}

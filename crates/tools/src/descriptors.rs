//! Open files that whoever started this program left to it.
//!
//! Owns that none of them goes on to a program that is started from here, whatever starts it: only
//! standard input, output and error do. Its own files are never passed on.

/// The first that is not input, output or error.
const FIRST: i32 = 3;

/// Keeps every open file but input, output and error from the programs that this one starts. To be
/// called before anything else.
pub fn keep_descriptors() {
    close_fds::set_fds_cloexec_threadsafe(FIRST, &[]);
}

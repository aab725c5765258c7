//! `file:` addresses of places, as results and resources spell them.

use percent_encoding::{AsciiSet, CONTROLS, percent_encode};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// What cannot stand in the path of an address as it is.
const NEEDED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The address under which the granted folders of a caller are read.
pub(super) const FOLDERS: &str = "file:///";
/// The addresses of all places.
pub(super) const TEMPLATE: &str = "file:///{+path}";

/// The address of an absolute path.
pub(super) fn address_of(path: &Path) -> String {
    format!("file://{}", percent_encode(path.as_os_str().as_bytes(), NEEDED))
}

/// The address of something beneath a folder, whose way down is percent-encoded already.
pub(super) fn address_beneath(folder: &Path, encoded: &str) -> String {
    let folder = address_of(folder);
    format!("{}/{encoded}", folder.strip_suffix('/').unwrap_or(&folder))
}

//! `file:` URIs of paths, as results and resources spell them.

use percent_encoding::{AsciiSet, CONTROLS, percent_encode};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// The bytes that must be percent-encoded in the path of a URI.
const ESCAPED: &AsciiSet = &CONTROLS
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

/// The URI of the list of a caller's granted folders.
pub(super) const FOLDERS: &str = "file:///";
/// The URI template of all paths.
pub(super) const TEMPLATE: &str = "file:///{+path}";

/// The URI of an absolute path.
pub(super) fn address_of(path: &Path) -> String {
    format!("file://{}", percent_encode(path.as_os_str().as_bytes(), ESCAPED))
}

/// The URI of a path below a folder, where the path is percent-encoded already.
pub(super) fn address_beneath(folder: &Path, encoded: &str) -> String {
    let folder = address_of(folder);
    format!("{}/{encoded}", folder.strip_suffix('/').unwrap_or(&folder))
}

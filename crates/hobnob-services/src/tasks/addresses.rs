//! The addresses of tasks, and which of them have new contents after a change.

use super::service::TaskService;
use crate::face::Face;
use hobnob_store::changes::{Changed, What};

impl TaskService {
    /// Addresses whose contents a change made new.
    pub fn uris_of(&self, face: &Face, changed: &Changed) -> Vec<String> {
        let What::Task { list, id } = &changed.what else { return Vec::new() };
        let mut uris = vec![task_uri(face, id), list_uri(face, list)];
        if list == self.list.as_str() {
            uris.push(ready_uri(face));
        }
        uris
    }
}

impl TaskService {
    /// Addresses that may have new contents when nobody knows what changed.
    pub fn all_news(&self, face: &Face) -> Vec<String> {
        vec![ready_uri(face), list_uri(face, self.list.as_str())]
    }
}

/// What can be begun now.
pub(super) fn ready_uri(face: &Face) -> String {
    format!("{}://ready", face.task_scheme)
}

/// A list; the template's is [`list_template`].
pub(super) fn list_uri(face: &Face, list: &str) -> String {
    format!("{}://list/{}", face.task_scheme, escaped(list))
}

/// All lists.
pub(super) fn list_template(face: &Face) -> String {
    format!("{}://list/{{list}}", face.task_scheme)
}

/// A task; the template's is [`task_template`].
pub(super) fn task_uri(face: &Face, id: &str) -> String {
    format!("{}://task/{}", face.task_scheme, escaped(id))
}

/// All tasks.
pub(super) fn task_template(face: &Face) -> String {
    format!("{}://task/{{id}}", face.task_scheme)
}

/// RFC 6570: everything that is not unreserved, byte by byte. Lists of projects have slashes.
fn escaped(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut escaped, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
        escaped
    })
}

//! The addresses of tasks, and which of them have new contents after a change.

use super::service::TaskService;
use crate::presentation::Presentation;
use hobnob_mcp_server::toolbox::encode_uri_component;
use hobnob_store::changes::{ChangedRecord, RecordChange};

impl TaskService {
    /// Addresses whose contents a change made new.
    pub fn uris_of(&self, presentation: &Presentation, changed: &RecordChange) -> Vec<String> {
        let ChangedRecord::Task { list, id } = &changed.what else { return Vec::new() };
        let mut uris = vec![task_uri(presentation, id), list_uri(presentation, list)];
        if list == self.list.as_str() {
            uris.push(ready_uri(presentation));
        }
        uris
    }
}

impl TaskService {
    /// Addresses that may have new contents when nobody knows what changed.
    pub fn all_news(&self, presentation: &Presentation) -> Vec<String> {
        vec![ready_uri(presentation), list_uri(presentation, self.list.as_str())]
    }
}

/// What can be begun now.
pub(super) fn ready_uri(presentation: &Presentation) -> String {
    format!("{}://ready", presentation.task_scheme)
}

/// A list; the template's is [`list_template`].
pub(super) fn list_uri(presentation: &Presentation, list: &str) -> String {
    format!("{}://list/{}", presentation.task_scheme, encode_uri_component(list))
}

/// All lists.
pub(super) fn list_template(presentation: &Presentation) -> String {
    format!("{}://list/{{list}}", presentation.task_scheme)
}

/// A task; the template's is [`task_template`].
pub(super) fn task_uri(presentation: &Presentation, id: &str) -> String {
    format!("{}://task/{}", presentation.task_scheme, encode_uri_component(id))
}

/// All tasks.
pub(super) fn task_template(presentation: &Presentation) -> String {
    format!("{}://task/{{id}}", presentation.task_scheme)
}

//! The task service as a `BuiltInService`: its kit for a presentation, and which resources a change
//! of the store affects.

use super::addresses::{list_uri, ready_uri, task_uri};
use super::next::with_prompt;
use super::resources::with_resources;
use super::service::{PresentedTasks, TaskService};
use super::tools::with_tools;
use crate::built_in::BuiltInService;
use crate::presentation::{ListedOwner, Presentation};
use hobnob_mcp_toolbox::{Kit, KitError};
use hobnob_store::changes::{ChangedRecord, RecordChange};
use std::sync::Arc;

impl BuiltInService for TaskService {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn kit(&self, presentation: &Presentation) -> Result<Kit, KitError> {
        let presentation = Arc::new(presentation.clone());
        let presented =
            PresentedTasks { service: self.clone(), presentation: Arc::clone(&presentation) };
        let kit = with_tools(Kit::service(Self::NAME).with_state(presented));
        with_prompt(with_resources(kit, &presentation)).build()
    }

    fn is_everyday(&self, tool: &str, _listed: ListedOwner) -> bool {
        ["create", "list", "ready", "claim", "update", "release", "get"].contains(&tool)
    }

    fn changed_resources(&self, presentation: &Presentation, change: &RecordChange) -> Vec<String> {
        let ChangedRecord::Task { list, id } = &change.what else { return Vec::new() };
        let mut uris = vec![task_uri(presentation, id), list_uri(presentation, list)];
        if list == self.list.as_str() {
            uris.push(ready_uri(presentation));
        }
        uris
    }

    fn all_resources(&self, presentation: &Presentation) -> Vec<String> {
        vec![ready_uri(presentation), list_uri(presentation, self.list.as_str())]
    }
}

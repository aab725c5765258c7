//! The capabilities that a toolbox declares: what it has now, once had, or will have. The toolbox
//! updates them with each change of its kits.

use crate::inventory::Inventory;
use crate::task_mode::Declared;
use hobnob_mcp_types::capabilities::{
    CapabilitySettings, ListCapability, ResourcesCapability, ServerCapabilities,
    ServerTaskRequests, ServerTasksCapability, ToolTaskRequests,
};
use hobnob_mcp_types::tasks_ext;
use std::sync::atomic::{AtomicBool, Ordering};

/// The declared kinds of items. A declaration is never withdrawn: a client that has seen prompts
/// may ask for them after the last one is gone.
#[derive(Debug, Default)]
pub(crate) struct Offered {
    resources: AtomicBool,
    prompts: AtomicBool,
}

impl Offered {
    /// Declares what the inventory has.
    pub(crate) fn record(&self, inventory: &Inventory) {
        if !inventory.resources.is_empty() || !inventory.templates.is_empty() {
            self.offer_resources();
        }
        if !inventory.prompts.is_empty() {
            self.offer_prompts();
        }
    }

    pub(crate) fn offer_resources(&self) {
        self.resources.store(true, Ordering::Relaxed);
    }

    pub(crate) fn offer_prompts(&self) {
        self.prompts.store(true, Ordering::Relaxed);
    }

    pub(crate) fn has_resources(&self) -> bool {
        self.resources.load(Ordering::Relaxed)
    }

    pub(crate) fn has_prompts(&self) -> bool {
        self.prompts.load(Ordering::Relaxed)
    }

    /// The capabilities, in the superset of all revisions.
    pub(crate) fn capabilities(&self, inventory: &Inventory) -> ServerCapabilities {
        let list = ListCapability { list_changed: true };
        let resources = ResourcesCapability { subscribe: true, list_changed: true };
        let mut all = ServerCapabilities {
            tools: Some(list.clone()),
            resources: self.has_resources().then_some(resources),
            prompts: self.has_prompts().then_some(list),
            completions: (!inventory.completions.is_empty()).then(CapabilitySettings::default),
            logging: Some(CapabilitySettings::default()),
            ..ServerCapabilities::default()
        };
        if inventory.tasks == Declared::Yes {
            let call = ToolTaskRequests { call: Some(CapabilitySettings::default()) };
            all.tasks = Some(ServerTasksCapability {
                list: Some(CapabilitySettings::default()),
                cancel: Some(CapabilitySettings::default()),
                requests: Some(ServerTaskRequests { tools: Some(call) }),
            });
            all.extensions.insert(tasks_ext::EXTENSION, CapabilitySettings::default());
        }
        all
    }
}

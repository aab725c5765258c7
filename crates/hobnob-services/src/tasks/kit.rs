//! The whole kit for one presentation.

use super::next::with_prompt;
use super::resources::with_resources;
use super::service::{Desk, TaskService};
use super::tools::with_tools;
use crate::presentation::Presentation;
use hobnob_mcp_server::toolbox::{Context, Kit, KitError};
use std::sync::Arc;

impl TaskService {
    /// The service for one presentation.
    pub fn kit(&self, presentation: &Presentation) -> Result<Kit, KitError> {
        let desk = Desk { service: self.clone(), presentation: Arc::new(presentation.clone()) };
        let kit = with_tools(Kit::service("tasks"), &desk)?;
        with_prompt(with_resources(kit, &desk)?, &desk)
    }
}

/// A handler with its desk at hand.
pub(super) fn with<A, Output>(
    desk: &Desk,
    run: fn(Desk, A, Context) -> Output,
) -> impl Fn(A, Context) -> Output + Send + Sync + 'static
where
    A: 'static,
    Output: 'static,
{
    let desk = desk.clone();
    move |arguments, context| run(desk.clone(), arguments, context)
}

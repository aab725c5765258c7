//! The service `digest`: how many tasks are open on the project's list.
//!
//! The binary opens it and shows it in views. It reads tasks and writes nothing.

use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_toolbox::{CallContext, Context, Kit, KitError, Structured, ToolError, ToolSpec};
use hobnob_mcp_types::tools::ToolAnnotations;
use hobnob_services::{BuiltInService, Failure, Presentation};
use hobnob_store::changes::{ChangedRecord, RecordChange};
use hobnob_store::memory::PageRequest;
use hobnob_store::tasks::{ListName, StoredTaskStatus, TaskAccess, TaskFilter, TaskRepository};
use hobnob_store::{Owner, Time};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio_util::sync::CancellationToken;

/// What a user may set.
#[derive(Debug, Clone)]
pub struct DigestOptions {
    /// The list whose tasks are counted.
    pub list: ListName,
    /// Where counting ends; more open tasks than that are reported as that many.
    pub limit: usize,
}

/// Counts open tasks. Cheap to clone: each view's kit holds a clone of it.
#[derive(Clone)]
pub struct DigestService {
    tasks: Arc<dyn TaskRepository>,
    options: DigestOptions,
    /// Number of calls that were answered.
    answered: Arc<AtomicU64>,
}

#[derive(Serialize, JsonSchema)]
struct Digest {
    /// Tasks that are pending or in progress.
    open: usize,
}

impl DigestService {
    /// The service's name in settings and profiles.
    pub const NAME: &'static str = "digest";

    /// Reads tasks through `tasks`, as the options say.
    pub fn new(tasks: Arc<dyn TaskRepository>, options: DigestOptions) -> Self {
        Self { tasks, options, answered: Arc::default() }
    }

    /// Counts only the caller's own tasks.
    async fn digest(
        &self,
        context: &CallContext,
        presentation: &Presentation,
    ) -> Result<Digest, ToolError> {
        let owner = Owner::named(context.caller().principal.as_str());
        let filter = TaskFilter {
            list: Some(self.options.list.clone()),
            statuses: vec![StoredTaskStatus::Pending, StoredTaskStatus::InProgress],
            ..TaskFilter::default()
        };
        let page = PageRequest { after: None, limit: self.options.limit };
        let listed = self.tasks.list(TaskAccess { owner, now: Time::now() }, filter, page).await;
        let listed =
            listed.map_err(|error| presentation.fail(Failure::Storage, error.to_string()))?;
        self.answered.fetch_add(1, Ordering::Relaxed);
        Ok(Digest { open: listed.items.len() })
    }

    /// A profile may choose the scheme, so it is never spelled out.
    fn uri(presentation: &Presentation) -> String {
        format!("{}://open", presentation.uri_scheme(Self::NAME))
    }
}

impl BuiltInService for DigestService {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn kit(&self, presentation: &Presentation) -> Result<Kit, KitError> {
        let annotations =
            ToolAnnotations { read_only_hint: Some(true), ..ToolAnnotations::default() };
        let count = ToolSpec::new("Count the open tasks of the project")
            .title("Count open tasks")
            .annotations(annotations);
        Kit::service(Self::NAME)
            .with_state((self.clone(), presentation.clone()))
            .tool("count", count, count_open)
            .resource(Self::uri(presentation), "Open tasks", read_open)
            .build()
    }

    fn changed_resources(&self, presentation: &Presentation, change: &RecordChange) -> Vec<String> {
        match &change.what {
            ChangedRecord::Task { list, .. } if list == self.options.list.as_str() => {
                vec![Self::uri(presentation)]
            }
            _ => Vec::new(),
        }
    }

    fn all_resources(&self, presentation: &Presentation) -> Vec<String> {
        vec![Self::uri(presentation)]
    }

    fn run(&self, stop: CancellationToken) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            tracing::debug!(list = self.options.list.as_str(), "counting tasks");
            stop.cancelled().await;
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            tracing::debug!(answered = self.answered.load(Ordering::Relaxed), "no more counting");
        })
    }
}

/// What the handlers of one view share.
type DigestContext = Context<(DigestService, Presentation)>;

async fn count_open(context: DigestContext) -> Result<Structured<Digest>, ToolError> {
    let (service, presentation) = context.state();
    service.digest(&context, presentation).await.map(Structured)
}

async fn read_open(context: DigestContext) -> Result<String, ToolError> {
    let (service, presentation) = context.state();
    let digest = service.digest(&context, presentation).await?;
    Ok(format!("{} open tasks", digest.open))
}

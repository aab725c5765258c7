//! A registered tool: its list entry, the schemas of its arguments and results, its handler.
//! `KitBuilder` makes it, `call_tool` runs it.
//!
//! Handlers that block run on the runtime's blocking threads; one limit for the whole process
//! bounds how many run at once.

use crate::context::ContextSource;
use crate::error::ToolError;
use crate::handler::{KitHandler, RunHandler};
use crate::mirror::{self, Mirror};
use crate::name::RegisteredNames;
use crate::paged_list::Listed;
use crate::reply::{IntoToolResult, ToolReply};
use crate::schema::CompiledSchema;
use crate::slow_polls::SlowPolls;
use crate::spec::{ToolSpec, ToolTypes};
use crate::task_mode::TaskMode;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio_util::task::AbortOnDropHandle;

/// How many blocking handlers run at once in this process; further calls wait.
///
/// The runtime's own queue for blocking work is unbounded, and all code shares its threads.
static BLOCKING_HANDLERS: Semaphore = Semaphore::const_new(64);

/// A tool that is ready to be listed and called.
pub(crate) struct RegisteredTool {
    pub(crate) name: Arc<str>,
    pub(crate) listing: Box<str>,
    pub(crate) input: CompiledSchema,
    pub(crate) output: Option<Arc<CompiledSchema>>,
    pub(crate) mirrors: Vec<Mirror>,
    pub(crate) tasks: TaskMode,
    pub(crate) polls: SlowPolls,
    pub(crate) run: RunHandler<ToolReply>,
}

impl RegisteredTool {
    /// Registers a tool; fails with a message for the author.
    pub(crate) fn new(
        name: &str,
        spec: ToolSpec,
        names: &RegisteredNames,
        types: &ToolTypes,
        run: RunHandler<ToolReply>,
    ) -> Result<Self, String> {
        let wrong = |problem: String| format!("tool `{name}`: {problem}");
        let mut compiled = spec.compile(name, types)?;
        compiled.listing.name = names.listed.to_string();
        let listing = serde_json::to_string(&compiled.listing);
        Ok(Self {
            name: Arc::from(&*names.listed),
            listing: listing.map_err(|error| wrong(error.to_string()))?.into(),
            mirrors: mirror::collect(compiled.input.schema()).map_err(&wrong)?,
            input: compiled.input,
            output: compiled.output.map(Arc::new),
            tasks: compiled.tasks,
            polls: SlowPolls::default(),
            run,
        })
    }
}

impl Listed for RegisteredTool {
    fn listing(&self) -> &str {
        &self.listing
    }
}

/// Boxes a handler that blocks its thread, so it runs on a thread of the blocking pool.
pub(crate) fn blocking<S, Shape, H>(state: Arc<S>, handler: H) -> RunHandler<ToolReply>
where
    S: Send + Sync + 'static,
    H: KitHandler<S, Shape> + Send + Sync + 'static,
    H::Arguments: DeserializeOwned + Send + 'static,
    H::Returned: IntoToolResult,
{
    blocking_in_turn(&BLOCKING_HANDLERS, state, handler)
}

/// Like [`blocking`], but the caller's semaphore bounds how many handlers run at once.
pub(crate) fn blocking_in_turn<S, Shape, H>(
    turns: &'static Semaphore,
    state: Arc<S>,
    handler: H,
) -> RunHandler<ToolReply>
where
    S: Send + Sync + 'static,
    H: KitHandler<S, Shape> + Send + Sync + 'static,
    H::Arguments: DeserializeOwned + Send + 'static,
    H::Returned: IntoToolResult,
{
    let handler = Arc::new(handler);
    Box::new(move |arguments, parts| {
        let arguments: H::Arguments = serde_json::from_value(arguments)?;
        let (handler, state) = (Arc::clone(&handler), Arc::clone(&state));
        Ok(Box::pin(async move {
            let stopping = || ToolError::failed("the server is stopping");
            // Cancelling a call that waits here leaves nothing behind.
            let turn = turns.acquire().await.map_err(|_| stopping())?;
            let mut running = None;
            let context = ContextSource::new(parts, &state, &mut running).make();
            let work = move || {
                // The turn ends with the work itself, even if the call was cancelled before.
                let _turn = turn;
                handler.handle(arguments, ContextSource::made(context)).into_tool_result()
            };
            // Work that has not started when its call is cancelled never starts.
            match AbortOnDropHandle::new(tokio::task::spawn_blocking(work)).await {
                Ok(ended) => ended,
                // Passes the panic on to the edge, which catches those of every call.
                Err(failed) if failed.is_panic() => std::panic::resume_unwind(failed.into_panic()),
                Err(_) => Err(stopping()),
            }
        }))
    })
}

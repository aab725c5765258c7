//! The service `echo`: repeats a message, event by event, so that a client can see how streams
//! reach it.
//!
//! Only views whose profile names it show it. It stores nothing and has no effect outside the call.

use crate::built_in::{BuiltInService, ServiceVisibility};
use crate::presentation::{Failure, Presentation};
use crate::stream_result::StreamResult;
use hobnob_mcp_engine::StreamEvent;
use hobnob_mcp_toolbox::{Context, Kit, KitError, ToolError, ToolReply, ToolSpec};
use hobnob_mcp_types::tools::ToolAnnotations;
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;

/// Longest message, in bytes. Times [`MAX_COUNT`], it stays below the limit of a result.
const MAX_MESSAGE: usize = 16 << 10;
/// Most repetitions of a message.
const MAX_COUNT: u32 = 100;
/// Longest pause between two events, in milliseconds.
const MAX_INTERVAL: u64 = 1000;

/// The echo service, which behaves the same in every view that shows it.
#[derive(Debug, Clone, Copy)]
pub struct EchoService;

impl EchoService {
    /// The service's name in settings and profiles.
    pub const NAME: &'static str = "echo";
}

#[derive(Deserialize, JsonSchema)]
struct EchoArguments {
    /// What comes back, 16 KiB at most.
    message: String,
    /// How often it comes back, each time as one event; once unless you say otherwise.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    count: Option<u32>,
    /// Milliseconds between two of them; none unless you say otherwise.
    #[serde(default)]
    #[schemars(range(max = 1000))]
    interval_ms: Option<u64>,
}

impl BuiltInService for EchoService {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn visibility(&self) -> ServiceVisibility {
        ServiceVisibility::WhereNamed
    }

    fn kit(&self, presentation: &Presentation) -> Result<Kit, KitError> {
        let annotations = ToolAnnotations {
            read_only_hint: Some(true),
            idempotent_hint: Some(true),
            open_world_hint: Some(false),
            ..ToolAnnotations::default()
        };
        let spec = ToolSpec::new("Say a message back, each time as one event of a stream")
            .title("Echo")
            .annotations(annotations);
        Kit::service(Self::NAME).with_state(presentation.clone()).tool("echo", spec, echo).build()
    }
}

async fn echo(
    arguments: EchoArguments,
    context: Context<Presentation>,
) -> Result<ToolReply, ToolError> {
    let EchoArguments { message, count, interval_ms } = arguments;
    let (count, interval) = (count.unwrap_or(1), interval_ms.unwrap_or(0));
    let refuse = |problem: String| Err(context.state().fail(Failure::Invalid, problem));
    if MAX_MESSAGE < message.len() {
        return refuse(format!("message: {} bytes, at most {MAX_MESSAGE}", message.len()));
    }
    if count == 0 || MAX_COUNT < count {
        return refuse(format!("count: {count}, it must be 1 to {MAX_COUNT}"));
    }
    if MAX_INTERVAL < interval {
        return refuse(format!("interval_ms: {interval}, at most {MAX_INTERVAL}"));
    }
    // A client that reads slowly gets the overdue events at once; the delay does not add up.
    let mut due = (0 < interval).then(|| tokio::time::interval(Duration::from_millis(interval)));
    let mut result = StreamResult::default();
    result.emit(&context, StreamEvent::start()).await;
    for number in 1..=count {
        if let Some(due) = &mut due {
            due.tick().await;
        }
        // Each repetition is on a line of its own.
        let line_end = if number < count { "\n" } else { "" };
        result.emit(&context, StreamEvent::content(format!("{message}{line_end}"))).await;
    }
    result.emit(&context, StreamEvent::complete().with("count", &count)).await;
    Ok(result.into_reply())
}

//! Tools that send something before their result: progress, log messages, a pause of the stream, or
//! the notification that a list changed (no list really changes).

use hobnob_mcp_server::Server;
use hobnob_mcp_toolbox::{Context, Kit, KitBuilder, Toolbox};
use hobnob_mcp_types::logging::LoggingLevel;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::sleep;

const STEP: Duration = Duration::from_millis(50);

/// A tool's handle to its toolbox, which is built after the tool.
#[derive(Clone, Default)]
pub(crate) struct Handle(Arc<OnceLock<Arc<Toolbox>>>);

impl Handle {
    /// Sets the toolbox: from now on the tools can notify this server's clients.
    pub(crate) fn connect(&self, server: &Server) {
        if let Some(toolbox) = server.toolbox() {
            self.0.get_or_init(|| Arc::clone(toolbox));
        }
    }

    fn notify(&self, notify: fn(&Toolbox)) {
        if let Some(toolbox) = self.0.get() {
            notify(toolbox);
        }
    }
}

pub(crate) fn kit(handle: &Handle) -> KitBuilder<Handle> {
    Kit::plain("notes")
        .with_state(handle.clone())
        .tool(
            "test_tool_with_progress",
            "Tells how far it is",
            |context: Context<Handle>| async move {
                for done in [0.0, 50.0, 100.0] {
                    context.progress(done, Some(100.0), Some("Working"));
                    sleep(STEP).await;
                }
                Ok("Progress is complete.")
            },
        )
        .tool("test_tool_with_logging", "Logs three times", |context: Context<Handle>| async move {
            context.log(LoggingLevel::Info, &"Tool execution started");
            sleep(STEP).await;
            context.log(LoggingLevel::Info, &"Tool processing data");
            sleep(STEP).await;
            context.log(LoggingLevel::Info, &"Tool execution completed");
            Ok("Logged three messages.")
        })
        .tool("test_logging_tool", "Logs once", |context: Context<Handle>| async move {
            context.log(LoggingLevel::Info, &"The tool runs");
            Ok("Logged one message.")
        })
        .tool(
            "test_reconnection",
            "Lets its client go and come back",
            |context: Context<Handle>| async move {
                context.pause_stream(Duration::from_millis(500));
                sleep(2 * STEP).await;
                Ok("The client came back.")
            },
        )
        .tool(
            "test_trigger_tool_change",
            "Says that the tools have changed",
            |context: Context<Handle>| async move {
                context.state().notify(Toolbox::notify_tools_changed);
                "Listeners know."
            },
        )
        .tool(
            "test_trigger_prompt_change",
            "Says that the prompts have changed",
            |context: Context<Handle>| async move {
                context.state().notify(Toolbox::notify_prompts_changed);
                "Listeners know."
            },
        )
}

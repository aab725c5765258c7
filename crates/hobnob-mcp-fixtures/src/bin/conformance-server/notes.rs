//! Tools that notify the client before their result: progress, logs, pauses, changed lists.

use hobnob_mcp_server::Server;
use hobnob_mcp_server::toolbox::{Context, Kit, KitError, NoArguments, ToolSpec, Toolbox};
use hobnob_mcp_types::logging::LoggingLevel;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::sleep;

const STEP: Duration = Duration::from_millis(50);

/// The way from a tool to the toolbox it is in, which exists only later.
#[derive(Clone, Default)]
pub(crate) struct Bell(Arc<OnceLock<Arc<Toolbox>>>);

impl Bell {
    /// From here on the bell rings for this server's clients.
    pub(crate) fn hang_in(&self, server: &Server) {
        if let Some(toolbox) = server.toolbox() {
            self.0.get_or_init(|| Arc::clone(toolbox));
        }
    }

    fn ring(&self, ring: fn(&Toolbox)) {
        if let Some(toolbox) = self.0.get() {
            ring(toolbox);
        }
    }
}

pub(crate) fn kit(bell: &Bell) -> Result<Kit, KitError> {
    let (tools_bell, prompts_bell) = (bell.clone(), bell.clone());
    Kit::plain("notes")
        .tool(
            ToolSpec::new("test_tool_with_progress", "Tells how far it is"),
            |_: NoArguments, context: Context| async move {
                for done in [0.0, 50.0, 100.0] {
                    context.progress(done, Some(100.0), Some("Working"));
                    sleep(STEP).await;
                }
                Ok("Progress is complete.")
            },
        )?
        .tool(
            ToolSpec::new("test_tool_with_logging", "Logs three times"),
            |_: NoArguments, context: Context| async move {
                context.log(LoggingLevel::Info, &"Tool execution started");
                sleep(STEP).await;
                context.log(LoggingLevel::Info, &"Tool processing data");
                sleep(STEP).await;
                context.log(LoggingLevel::Info, &"Tool execution completed");
                Ok("Logged three messages.")
            },
        )?
        .tool(
            ToolSpec::new("test_logging_tool", "Logs once"),
            |_: NoArguments, context: Context| async move {
                context.log(LoggingLevel::Info, &"The tool runs");
                Ok("Logged one message.")
            },
        )?
        .tool(
            ToolSpec::new("test_reconnection", "Lets its client go and come back"),
            |_: NoArguments, context: Context| async move {
                context.pause_stream(Duration::from_millis(500));
                sleep(2 * STEP).await;
                Ok("The client came back.")
            },
        )?
        .tool(
            ToolSpec::new("test_trigger_tool_change", "Says that the tools have changed"),
            move |_: NoArguments, _: Context| {
                tools_bell.ring(Toolbox::notify_tools_changed);
                async move { Ok("Listeners know.") }
            },
        )?
        .tool(
            ToolSpec::new("test_trigger_prompt_change", "Says that the prompts have changed"),
            move |_: NoArguments, _: Context| {
                prompts_bell.ring(Toolbox::notify_prompts_changed);
                async move { Ok("Listeners know.") }
            },
        )
}

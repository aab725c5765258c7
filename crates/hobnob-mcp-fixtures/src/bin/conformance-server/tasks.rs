//! Tools whose calls may or must continue as tasks, and `greet`, whose calls never do.

use crate::forms;
use hobnob_mcp_toolbox::{Context, Kit, KitBuilder, TaskMode, ToolError, ToolSpec};
use hobnob_mcp_types::elicitation::ElicitResult;
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::{ErrorCode, RpcError};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use tokio::time::sleep;

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// The name that the greeting is for.
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct SlowCompute {
    /// How long it takes.
    #[schemars(range(min = 0.0, max = 60.0))]
    seconds: f64,
    /// What to call it.
    label: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct ConfirmDelete {
    /// The name of the file that the person must confirm.
    filename: String,
}

pub(crate) fn kit() -> KitBuilder {
    let kit = Kit::plain("tasks")
        .tool("greet", "Greets at once", |args: Greet| async move {
            Ok(format!("Hello, {}!", args.name))
        })
        .tool(
            "slow_compute",
            ToolSpec::new("Takes as long as told").tasks(TaskMode::Optional),
            |args: SlowCompute| async move {
                sleep(Duration::try_from_secs_f64(args.seconds)?).await;
                let label = args.label.unwrap_or_else(|| "computation".into());
                Ok(format!("{label} took {} seconds.", args.seconds))
            },
        )
        .tool(
            "failing_job",
            ToolSpec::new("Fails after a while").tasks(TaskMode::Required),
            || async move {
                sleep(Duration::from_secs(1)).await;
                Err::<(), _>(ToolError::failed("The job failed, as it always does."))
            },
        )
        .tool(
            "protocol_error_job",
            ToolSpec::new("Ends in an error").tasks(TaskMode::Required),
            || async move {
                sleep(Duration::from_millis(100)).await;
                let error = RpcError::new(ErrorCode::INTERNAL, "the job broke, as it always does");
                Err::<(), ToolError>(error.into())
            },
        );
    asking(kit)
}

/// Tools that ask back while they are tasks, or before.
fn asking(kit: KitBuilder) -> KitBuilder {
    kit.tool(
        "confirm_delete",
        ToolSpec::new("Asks before it deletes").tasks(TaskMode::Optional),
        |args: ConfirmDelete, context: Context| async move {
            let question = format!("Delete {}?", args.filename);
            let answer = context.elicit_with("confirm", forms::yes_or_no(&question, "confirm"))?;
            Ok(format!("{}: {:?}", args.filename, answer.action))
        },
    )
    .tool(
        "multi_input",
        ToolSpec::new("Asks two things at once").tasks(TaskMode::Optional),
        |context: Context| async move {
            let needed = InputRequests::new()
                .elicit("name", forms::text("What is your name?", "name"))
                .elicit("confirm", forms::yes_or_no("Go on?", "confirm"));
            context.ask(needed)?;
            let name: ElicitResult = context.answer("name")?;
            Ok(format!("Thank you, {}.", forms::field(&name, "name")))
        },
    )
    .tool(
        "test_tool_with_task",
        ToolSpec::new("Asks first, then works").tasks(TaskMode::Chosen),
        |context: Context| async move {
            let question = forms::text("What is your name?", "name");
            let name = forms::field(&context.elicit_with("user_name", question)?, "name");
            context.start_task(move |_| greet_slowly(name.clone())).await
        },
    )
}

async fn greet_slowly(name: String) -> Result<String, ToolError> {
    sleep(Duration::from_millis(100)).await;
    Ok(format!("Hello, {name}!"))
}

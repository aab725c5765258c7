//! Tools that need input first, in one round or several, with and without request state.

use crate::forms;
use hobnob_mcp_toolbox::{Context, Kit, KitBuilder};
use hobnob_mcp_types::elicitation::ElicitResult;
use hobnob_mcp_types::input::InputRequests;

pub(crate) fn kit() -> KitBuilder {
    let kit = Kit::plain("rounds")
        .tool(
            "test_input_required_result_elicitation",
            "Needs a name first",
            |context: Context| async move {
                let answer =
                    context.elicit_with("user_name", forms::text("What is your name?", "name"))?;
                Ok(format!("Hello, {}!", forms::field(&answer, "name")))
            },
        )
        .tool(
            "test_input_required_result_sampling",
            "Needs a model's answer first",
            |context: Context| async move {
                let question = forms::say("What is the capital of France?", 100);
                let said = context.sample("capital_question", question)?;
                let texts = said.content.as_slice().iter().filter_map(|piece| piece.as_text());
                Ok(format!("The model said: {}", texts.collect::<String>()))
            },
        )
        .tool(
            "test_input_required_result_list_roots",
            "Needs the roots first",
            |context: Context| async move {
                let found = context.roots("client_roots")?;
                let uris: Vec<String> = found.roots.into_iter().map(|root| root.uri).collect();
                Ok(format!("Roots: {}", uris.join(", ")))
            },
        );
    with_state(kit)
}

/// Tools that also get their own state back with the answers.
fn with_state(kit: KitBuilder) -> KitBuilder {
    kit.tool(
        "test_input_required_result_request_state",
        "Needs its own state back",
        |context: Context| async move {
            context.ask_with_request_state(confirm(), "state-ok")?;
            Ok(format!("Confirmed: {}", context.request_state().unwrap_or("no state")))
        },
    )
    .tool(
        "test_input_required_result_tampered_state",
        "Notices a changed state",
        |context: Context| async move {
            context.ask_with_request_state(confirm(), "untouched")?;
            Ok(format!("The state is {}", context.request_state().unwrap_or("missing")))
        },
    )
    .tool(
        "test_input_required_result_multiple_inputs",
        "Needs three things at once",
        |context: Context| async move {
            let needed = InputRequests::new()
                .elicit("user_name", forms::text("What is your name?", "name"))
                .create_message("greeting", forms::say("Generate a greeting", 50))
                .list_roots("client_roots");
            context.ask_with_request_state(needed, "all")?;
            let answer: ElicitResult = context.answer("user_name")?;
            Ok(format!("Got everything, {}.", forms::field(&answer, "name")))
        },
    )
    .tool(
        "test_input_required_result_multi_round",
        "Needs one thing after another",
        |context: Context| async move {
            let first = forms::text("Step 1: What is your name?", "name");
            context
                .ask_with_request_state(InputRequests::new().elicit("step1", first), "round 1")?;
            let second = forms::text("Step 2: What is your favorite color?", "color");
            context
                .ask_with_request_state(InputRequests::new().elicit("step2", second), "round 2")?;
            let name: ElicitResult = context.answer("step1")?;
            let color: ElicitResult = context.answer("step2")?;
            let (name, color) = (forms::field(&name, "name"), forms::field(&color, "color"));
            Ok(format!("{name} likes {color}."))
        },
    )
    .tool(
        "test_input_required_result_capabilities",
        "Asks only who can be asked",
        |context: Context| async move {
            let mut needed = InputRequests::new();
            if context.client_can_sample() {
                needed = needed.create_message("greeting", forms::say("Generate a greeting", 50));
            }
            if context.client_can_elicit() {
                needed = needed.elicit("user_name", forms::text("What is your name?", "name"));
            }
            if context.client_can_list_roots() {
                needed = needed.list_roots("client_roots");
            }
            context.ask(needed)?;
            Ok("Got everything there was to ask for.")
        },
    )
}

fn confirm() -> InputRequests {
    InputRequests::new().elicit("confirm", forms::yes_or_no("Please confirm", "ok"))
}

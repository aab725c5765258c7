//! `hobnob logout NAME`: ends a login at the authorization server and here. `main` runs it.
//!
//! What must stay true: nothing is stored afterwards, even if the authorization server fails.

use super::completions;
use super::login::find;
use crate::context::CommandContext;
use crate::runtime;
use clap::Args;
use hobnob_hub::control::{self, ControlRequest};
use hobnob_mcp_auth::LogoutOutcome;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde_json::json;

#[derive(Debug, Args)]
pub(crate) struct LogoutArgs {
    /// The name of the server.
    #[arg(add = completions::servers())]
    name: String,

    /// End the login of this user of the hub instead of your own.
    #[arg(long = "as", value_name = "PRINCIPAL")]
    principal: Option<String>,
}

pub(crate) fn run(args: &LogoutArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let server = find(&places, &args.name, args.principal.as_deref())?;
    let name = server.name();
    let authorizer = server.builder()?.build();
    let outcome = runtime::with_threads(1)?.block_on(async {
        let outcome = authorizer.log_out().await;
        // A running hub must not keep using the token in its memory.
        let request =
            ControlRequest::Restart { server: name.to_owned(), principal: args.principal.clone() };
        drop(control::ask(&places, &request).await);
        outcome
    });
    let failed = |why: String| Ended::new(Code::Failed, format!("server `{name}`: {why}"));
    let outcome = outcome.map_err(|error| failed(error.to_string()))?;
    let (word, sentence) = match &outcome {
        LogoutOutcome::NotLoggedIn => {
            ("not-logged-in", format!("you were not logged in to {name}"))
        }
        LogoutOutcome::Revoked => ("revoked", format!("logged out of {name}")),
        LogoutOutcome::Forgotten => (
            "forgotten",
            format!(
                "logged out of {name}; its authorization server ends no logins, so a copy of the \
                 token would be good until its time is over"
            ),
        ),
        LogoutOutcome::NotRevoked(why) => (
            "not-revoked",
            format!(
                "logged out of {name} on this machine, but its authorization server did not end \
                 the login: {why}"
            ),
        ),
    };
    match context.output {
        Output::Json => render::json(&json!({ "server": name, "outcome": word })),
        Output::People => render::line(&sentence),
    }
}

//! `hobnob restart NAME`: a running `hobnob serve` ends the server and starts it again. `main` runs
//! it.
//!
//! What must stay true: without a running hub it says so and starts nothing.

use super::completions;
use super::scope::{typed_name, unknown};
use crate::context::CommandContext;
use crate::runtime;
use clap::Args;
use hobnob_config::{Servers, process_environment};
use hobnob_hub::control::{self, ControlAnswer, ControlRequest};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde_json::json;

#[derive(Debug, Args)]
pub(crate) struct RestartArgs {
    /// The name of the server.
    #[arg(add = completions::servers())]
    name: String,
}

pub(crate) fn run(args: &RestartArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let name = typed_name(&args.name)?;
    if Servers::load(&places, &process_environment).get(name.as_str()).is_none() {
        return Err(unknown(&places, name.as_str()));
    }
    let request = ControlRequest::Restart { server: name.to_string(), principal: None };
    let runtime = runtime::with_threads(1)?;
    match runtime.block_on(control::ask(&places, &request))? {
        None => {
            let message = format!(
                "no `hobnob serve` runs for {}, so there is nothing to restart; \
                 `{name}` starts when it is next needed",
                places.project.display()
            );
            Err(Ended::new(Code::Failed, message).into())
        }
        Some(ControlAnswer::Unknown(_)) => {
            let message = format!("the running `hobnob serve` has no server `{name}`");
            Err(Ended::new(Code::Failed, message).into())
        }
        Some(ControlAnswer::Failed(why)) => Err(Ended::new(Code::Unavailable, why).into()),
        Some(ControlAnswer::Done) => match context.output {
            Output::Json => render::json(&json!({ "restarted": name.as_str() })),
            Output::People => render::line(&format!("restarted {name}")),
        },
    }
}

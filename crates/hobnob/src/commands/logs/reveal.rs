//! `hobnob logs reveal`: what a token in a log stands for, for the person alone. `logs` runs it.
//!
//! What must stay true: no tool does this, and nothing about tokens is stored; the granted logs are
//! read again.

use crate::context::CommandContext;
use hobnob_config::GrantsFile;
use hobnob_hub::grants::understand;
use hobnob_hub::services::{anonymiser_of_person, log_reader};
use hobnob_machine::logs::LogControl;
use hobnob_secrets::PersonalToken;
use hobnob_services::logs::reveal;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde::Serialize;

/// What was found, as `--json` shows it.
#[derive(Debug, Serialize)]
struct Revealed {
    token: String,
    value: String,
    /// The log it was found in; absent for an account or the name of this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<String>,
}

pub(super) fn run(token: String, context: &CommandContext) -> anyhow::Result<()> {
    let parsed: PersonalToken =
        token.parse().map_err(|error| Ended::new(Code::Usage, format!("{error}")))?;
    let places = context.places.detect()?;
    let grants = understand(&GrantsFile::new(&places.grants()).load()?)?;
    let (reader, anonymiser) = (log_reader(&places), anonymiser_of_person(&places)?);
    let found = reveal(&grants, &reader, &anonymiser, &parsed, &LogControl::default())?;
    let Some(found) = found else {
        anyhow::bail!(
            "no granted log has what `{token}` stands for; it may have been rotated away"
        );
    };
    match context.output {
        Output::Json => render::json(&Revealed { token, value: found.value, log: found.log }),
        Output::People => render::line(&found.value),
    }
}

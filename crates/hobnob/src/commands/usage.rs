//! `hobnob usage`: how often tools were called, how long they took and how many tokens they carried.
//! `main` runs it.
//!
//! What must stay true: it needs no hub and starts no server; it reads the store, as the page of a hub
//! does.

mod show;

use crate::context::CommandContext;
use crate::runtime;
use clap::{Args, ValueEnum};
use hobnob_config::Settings;
use hobnob_hub::store::{open_store, store_maintenance};
use hobnob_hub::usage::{Usage, UsageDays, UsageRequest, read};
use hobnob_store::Time;
use hobnob_store::usage::{UsageGroup, UsageScope};
use hobnob_terminal::ended::Ended;
use hobnob_terminal::render;
use hobnob_terminal::render::Output;

#[derive(Debug, Args)]
pub(crate) struct UsageArgs {
    /// How many days to look back, with today.
    #[arg(long, value_name = "N", default_value_t = 7)]
    days: u16,

    /// What to show a row for.
    #[arg(long, value_enum, default_value_t = GroupName::Tool)]
    by: GroupName,
}

/// The values of `--by`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum GroupName {
    /// The name by which the tool is called.
    Tool,
    /// The server behind the tool.
    Server,
    /// The name that the client gives itself.
    Client,
    /// The caller, as a listener knows it.
    Principal,
}

impl From<GroupName> for UsageGroup {
    fn from(name: GroupName) -> Self {
        match name {
            GroupName::Tool => Self::Tool,
            GroupName::Server => Self::Server,
            GroupName::Client => Self::Client,
            GroupName::Principal => Self::Principal,
        }
    }
}

pub(crate) fn run(args: UsageArgs, context: &CommandContext) -> anyhow::Result<()> {
    let days = UsageDays::new(args.days).ok_or_else(|| {
        Ended::usage(format!("--days: {} is not from 1 to {}", args.days, UsageDays::MAX))
    })?;
    let request = UsageRequest { days, by: args.by.into() };
    let places = context.places.detect()?;
    let settings = Settings::load(&places.settings())?;
    let usage = match store_maintenance(&places).exists() {
        true => {
            let store = open_store(&places, &settings.limits)?;
            // Only the owner of the hub can read its store.
            let usage = read(&*store, UsageScope::Everyone, request, Time::now());
            runtime::current_thread()?.block_on(usage)?
        }
        false => Usage::empty(request, Time::now()),
    };
    match context.output {
        Output::Json => render::json(&usage),
        Output::People if usage.rows.is_empty() => {
            render::note(&show::nothing(args.days, settings.usage.enabled));
            Ok(())
        }
        Output::People => {
            render::text(&show::table(&usage).to_text())?;
            render::note(&show::sum(&usage, args.days));
            Ok(())
        }
    }
}

//! `hobnob audit`: shows the audit log, filtered, and follows it. `main` runs it.
//!
//! What must stay true: it reads the log and never writes it.

mod follow;
mod verify;

use crate::context::CommandContext;
use crate::file_tail::FileTail;
use anyhow::Context as _;
use clap::{Args, Subcommand, ValueEnum};
use hobnob_config::parse_duration;
use hobnob_policy::Glob;
use hobnob_policy::audit::{AuditEntry, AuditFilter, AuditStream, Decision, last};
use hobnob_terminal::ended::Ended;
use hobnob_terminal::render::Output;
use hobnob_terminal::render::{self, Cell, Table, Tone};
use jiff::Timestamp;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    command: Option<AuditCommand>,

    /// Show only calls that ended within this time, for example 1h.
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,

    /// Show only calls of this principal; '' shows those of callers without a name.
    #[arg(long, value_name = "NAME")]
    pub(crate) principal: Option<String>,

    /// Show only calls of this server.
    #[arg(long, value_name = "NAME", add = super::completions::servers())]
    pub(crate) server: Option<String>,

    /// Show only tools whose public name matches.
    #[arg(long, value_name = "GLOB")]
    pub(crate) tool: Option<String>,

    /// Show only calls with this decision.
    #[arg(long, value_enum)]
    pub(crate) decision: Option<DecisionName>,

    /// Show only calls with this outcome.
    #[arg(long, value_enum)]
    pub(crate) outcome: Option<OutcomeName>,

    /// Show at most this number of records, the newest ones.
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,

    /// Keep running and show new records.
    #[arg(long, short)]
    pub(crate) follow: bool,
}

#[derive(Debug, Subcommand)]
enum AuditCommand {
    /// Check whether a line of the log was changed, removed, moved or inserted.
    Verify(verify::VerifyArgs),
}

/// The values of `--decision`, as the log spells them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DecisionName {
    /// A rule or a default allowed the call.
    Allow,
    /// A rule denied the call.
    Deny,
    /// A person was asked and agreed.
    AskGranted,
    /// The call needed a person's consent and did not get it.
    AskRefused,
    /// No decision was necessary.
    None,
}

impl From<DecisionName> for Decision {
    fn from(name: DecisionName) -> Self {
        match name {
            DecisionName::Allow => Self::Allow,
            DecisionName::Deny => Self::Deny,
            DecisionName::AskGranted => Self::AskGranted,
            DecisionName::AskRefused => Self::AskRefused,
            DecisionName::None => Self::None,
        }
    }
}

/// The values of `--outcome`, as the log spells them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum OutcomeName {
    /// The call returned a result.
    Ok,
    /// The call returned a result in which the tool reports an error.
    ToolError,
    /// The call ended with an error.
    Error,
    /// The caller cancelled the call.
    Cancelled,
    /// The server did not answer in time.
    Timeout,
    /// The call was refused before it began.
    Refused,
    /// The server went away during the call.
    UpstreamLost,
    /// The call was about to run (only in strict mode).
    Begun,
}

pub(crate) fn run(args: AuditArgs, context: &CommandContext) -> anyhow::Result<()> {
    if let Some(AuditCommand::Verify(args)) = &args.command {
        return verify::run(args, context);
    }
    let places = context.places.detect()?;
    let filter = filter(&args)?;
    let file = places.audit();
    // Open the tails before reading the log: a record written in between is read twice, shown once.
    let tails = AuditStream::ALL.map(|stream| FileTail::at_the_end(&stream.path(&file)));
    let tail = args.follow.then_some(tails);
    let entries = last(&file, &filter, args.limit)
        .with_context(|| format!("cannot read the audit log {}", file.display()))?;
    match context.output {
        Output::Json => entries.iter().try_for_each(render::json_line)?,
        Output::People if entries.is_empty() && tail.is_none() => {
            render::note("no matching records");
        }
        Output::People => render::text(&table(&entries).to_text())?,
    }
    let Some(tails) = tail else { return Ok(()) };
    follow::follow(tails.into(), &entries, |entry| {
        if !filter.wants(entry) {
            return Ok(());
        }
        match context.output {
            Output::Json => render::json_line(entry),
            Output::People => render::text(&plain(entry)),
        }
    })
}

fn filter(args: &AuditArgs) -> anyhow::Result<AuditFilter> {
    let usage = |message: String| Ended::usage(message);
    let since = match &args.since {
        None => None,
        Some(text) => {
            let length = parse_duration(text).map_err(|bad| usage(format!("--since: {bad}")))?;
            Some(Timestamp::now() - jiff::SignedDuration::try_from(length)?)
        }
    };
    let tool = args.tool.as_deref().map(Glob::for_name).transpose();
    let outcome = args.outcome.and_then(|name| name.to_possible_value());
    Ok(AuditFilter {
        since,
        principal: args.principal.clone(),
        server: args.server.clone(),
        tool: tool.map_err(|bad| usage(format!("--tool: {bad}")))?,
        decision: args.decision.map(Decision::from),
        outcome: outcome.map(|name| name.get_name().to_owned()),
    })
}

fn table(entries: &[AuditEntry]) -> Table {
    let mut table =
        Table::new(&["TIME", "CLIENT", "WHAT", "SERVER", "DECISION", "OUTCOME", "TOOK"]);
    for entry in entries {
        table.row(cells(entry).map(|(tone, text)| Cell::toned(tone, &text)));
    }
    table
}

/// One line for a new record. It is not a table row, because later records may be wider.
fn plain(entry: &AuditEntry) -> String {
    let words = cells(entry).map(|(tone, text)| render::paint(tone, &render::one_line(&text)));
    words.join("  ") + "\n"
}

fn cells(entry: &AuditEntry) -> [(Tone, String); 7] {
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".into());
    let target = [&entry.tool, &entry.uri, &entry.prompt, &entry.program, &entry.grant];
    let target = target.into_iter().find_map(Option::as_deref);
    // Show the method of a change to grants, rules or approvals; calls have lines of their own.
    let is_decision = |method: &&str| {
        ["grants/", "rules/", "approvals/"].iter().any(|kind| method.starts_with(kind))
    };
    let decision = entry.method.as_deref().filter(is_decision);
    let what = match (decision, target, entry.lost) {
        (Some(method), Some(target), _) => format!("{method} {target}"),
        (None, Some(target), _) => target.to_owned(),
        (_, None, Some(lost)) => format!("{} lost", render::counted(lost, "record")),
        (_, None, None) if entry.torn.is_some() => "a line that a crash cut off".to_owned(),
        (_, None, None) if entry.head.is_some() => "the head record was lost".to_owned(),
        (_, None, None) => text(&entry.method),
    };
    let what = match &entry.via {
        Some(via) => format!("{what} (by {via})"),
        None => what,
    };
    let what = match entry.repeated {
        Some(more) => format!("{what} (repeated {})", render::counted(more, "time")),
        None => what,
    };
    let decision = match entry.decision.as_deref() {
        Some("deny" | "ask-refused") => Tone::Warn,
        _ => Tone::Plain,
    };
    let outcome = match entry.outcome.as_deref() {
        Some("ok") => Tone::Good,
        None => Tone::Plain,
        _ => Tone::Bad,
    };
    let outcome_text = match entry.code {
        Some(code) => format!("{} {code}", text(&entry.outcome)),
        None => text(&entry.outcome),
    };
    let took = entry.duration_us.map_or_else(|| "-".into(), render::short_duration);
    // The name of a client is only its own claim, so the principal comes first.
    let client = match entry.principal() {
        "" => text(&entry.client),
        principal => format!("{principal} ({})", text(&entry.client)),
    };
    let client = match &entry.address {
        Some(address) => format!("{client} from {address}"),
        None => client,
    };
    [
        (Tone::Dim, entry.at.to_string()),
        (Tone::Plain, client),
        (Tone::Plain, what),
        (Tone::Plain, text(&entry.server)),
        (decision, text(&entry.decision)),
        (outcome, outcome_text),
        (Tone::Dim, took),
    ]
}

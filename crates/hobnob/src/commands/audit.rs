//! `hobnob audit`: what was called, by whom, and what was decided.

mod follow;

use crate::context::{Context, Output};
use crate::exit::{Code, Ended};
use crate::render::{self, Cell, Table, Tone};
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use hobnob_config::parse_duration;
use hobnob_policy::Glob;
use hobnob_policy::audit::{AuditEntry, AuditFilter, Decision, last};
use jiff::Timestamp;

/// What may be typed after it.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// Only what ended within this time, for example 1h.
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,

    /// Only this server.
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,

    /// Only tools with such a public name.
    #[arg(long, value_name = "GLOB")]
    pub(crate) tool: Option<String>,

    /// Only with this decision.
    #[arg(long, value_enum)]
    pub(crate) decision: Option<DecisionWord>,

    /// Only with this outcome.
    #[arg(long, value_enum)]
    pub(crate) outcome: Option<OutcomeWord>,

    /// The most lines, counted from the newest.
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,

    /// Go on with what comes.
    #[arg(long, short)]
    pub(crate) follow: bool,
}

/// A decision as the log spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DecisionWord {
    /// A rule or a default allowed it.
    Allow,
    /// A rule denied it.
    Deny,
    /// A person was asked and said yes.
    AskGranted,
    /// A person was to be asked, and nobody said yes.
    AskRefused,
    /// Nothing had to be decided.
    None,
}

impl From<DecisionWord> for Decision {
    fn from(word: DecisionWord) -> Self {
        match word {
            DecisionWord::Allow => Self::Allow,
            DecisionWord::Deny => Self::Deny,
            DecisionWord::AskGranted => Self::AskGranted,
            DecisionWord::AskRefused => Self::AskRefused,
            DecisionWord::None => Self::None,
        }
    }
}

/// An outcome as the log spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum OutcomeWord {
    /// With a result.
    Ok,
    /// With a result that says the tool failed.
    ToolError,
    /// With an error.
    Error,
    /// By the caller's wish.
    Cancelled,
    /// Without an answer in time.
    Timeout,
    /// Before it began.
    Refused,
    /// With the loss of the server.
    UpstreamLost,
}

/// Does it.
pub(crate) fn run(args: AuditArgs, context: &Context) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let filter = filter(&args)?;
    let file = places.audit();
    // Opened first: what is written between the two is met twice and told once.
    let tail = args.follow.then(|| follow::Tail::at_the_end(&file));
    let entries = last(&file, &filter, args.limit)
        .with_context(|| format!("the audit log {} cannot be read", file.display()))?;
    match context.output {
        Output::Json => entries.iter().try_for_each(render::json_line)?,
        Output::People if entries.is_empty() && tail.is_none() => {
            render::note("nothing is recorded that fits");
        }
        Output::People => render::text(&table(&entries).to_text())?,
    }
    let Some(tail) = tail else { return Ok(()) };
    tail.follow(&entries, |entry| {
        if !follow::wants(&filter, entry) {
            return Ok(());
        }
        match context.output {
            Output::Json => render::json_line(entry),
            Output::People => render::text(&plain(entry)),
        }
    })
}

fn filter(args: &AuditArgs) -> anyhow::Result<AuditFilter> {
    let usage = |message: String| Ended::new(Code::Usage, message);
    let since = match &args.since {
        None => None,
        Some(text) => {
            let length = parse_duration(text).map_err(|bad| usage(format!("--since: {bad}")))?;
            Some(Timestamp::now() - jiff::SignedDuration::try_from(length)?)
        }
    };
    let tool = args.tool.as_deref().map(Glob::for_name).transpose();
    let outcome = args.outcome.and_then(|word| word.to_possible_value());
    Ok(AuditFilter {
        since,
        server: args.server.clone(),
        tool: tool.map_err(|bad| usage(format!("--tool: {bad}")))?,
        decision: args.decision.map(Decision::from),
        outcome: outcome.map(|word| word.get_name().to_owned()),
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

/// One line for what comes later, when the widths of columns are not known.
fn plain(entry: &AuditEntry) -> String {
    let words = cells(entry).map(|(tone, text)| render::paint(tone, &render::one_line(&text)));
    words.join("  ") + "\n"
}

fn cells(entry: &AuditEntry) -> [(Tone, String); 7] {
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".into());
    let what = match (&entry.tool, &entry.uri, &entry.prompt, entry.lost) {
        (Some(what), ..) | (_, Some(what), ..) | (_, _, Some(what), _) => what.clone(),
        (.., Some(lost)) => format!("{lost} records were lost"),
        _ if entry.program.is_some() => text(&entry.program),
        _ => text(&entry.method),
    };
    let what = match entry.repeated {
        Some(more) => format!("{what} ({more} times more)"),
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
    let took = entry.duration_us.map_or_else(|| "-".into(), took);
    [
        (Tone::Dim, entry.at.to_string()),
        (Tone::Plain, text(&entry.client)),
        (Tone::Plain, what),
        (Tone::Plain, text(&entry.server)),
        (decision, text(&entry.decision)),
        (outcome, outcome_text),
        (Tone::Dim, took),
    ]
}

fn took(microseconds: u64) -> String {
    match microseconds {
        0..1_000 => format!("{microseconds} µs"),
        1_000..1_000_000 => format!("{} ms", microseconds / 1_000),
        _ => format!("{}.{} s", microseconds / 1_000_000, microseconds / 100_000 % 10),
    }
}

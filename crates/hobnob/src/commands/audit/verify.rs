//! `hobnob audit verify`: follows the chains of the audit log and says what breaks them.
//!
//! What must stay true: it reads and never repairs, and fails unless both chains hold.

use crate::context::CommandContext;
use anyhow::Context as _;
use clap::Args;
use hobnob_policy::audit::{AuditStream, ChainReport, LineHash, LinePlace, verify_chain};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render::{self, Block, Output, Tone};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Also fail unless a line has this hash, which an earlier verify printed; may be repeated.
    #[arg(long, value_name = "HASH")]
    anchor: Vec<String>,
}

/// The document that `--json` prints.
#[derive(Debug, Serialize)]
struct Verified {
    intact: bool,
    streams: Vec<VerifiedStream>,
    anchors: Vec<FoundAnchor>,
}

#[derive(Debug, Serialize)]
struct VerifiedStream {
    stream: &'static str,
    file: PathBuf,
    report: ChainReport,
}

/// A hash that the user kept elsewhere, and the line that still has it, if any.
#[derive(Debug, Serialize)]
struct FoundAnchor {
    hash: LineHash,
    line: Option<LinePlace>,
}

pub(super) fn run(args: &VerifyArgs, context: &CommandContext) -> anyhow::Result<()> {
    let log = context.places.detect()?.audit();
    let anchors = args.anchor.iter().map(|digits| {
        let wrong = || Ended::usage(format!("--anchor: `{digits}` is not a hash of 64 digits"));
        LineHash::parse(digits).ok_or_else(wrong)
    });
    let anchors: Vec<LineHash> = anchors.collect::<Result<_, _>>()?;
    let mut streams = Vec::new();
    for stream in AuditStream::ALL {
        let file = stream.path(&log);
        let report = verify_chain(&file, &anchors);
        let report = report.with_context(|| format!("cannot read {}", file.display()))?;
        streams.push(VerifiedStream { stream: stream.as_str(), file, report });
    }
    let anchors = anchors.into_iter().map(|hash| FoundAnchor { hash, line: found(&streams, hash) });
    let anchors: Vec<FoundAnchor> = anchors.collect();
    let intact = streams.iter().all(|it| it.report.fault.is_none())
        && anchors.iter().all(|anchor| anchor.line.is_some());
    let verified = Verified { intact, streams, anchors };
    match context.output {
        Output::Json => render::json(&verified)?,
        Output::People => show(&verified)?,
    }
    match intact {
        true => Ok(()),
        false => Err(Ended::silently(Code::Failed).into()),
    }
}

fn found(streams: &[VerifiedStream], hash: LineHash) -> Option<LinePlace> {
    let mut checks = streams.iter().flat_map(|stream| &stream.report.anchors);
    checks.find(|check| check.hash == hash && check.line.is_some())?.line.clone()
}

fn show(verified: &Verified) -> anyhow::Result<()> {
    let blocks: Vec<String> =
        verified.streams.iter().map(|stream| block(stream).to_text()).collect();
    render::text(&blocks.join("\n"))?;
    for FoundAnchor { hash, line } in &verified.anchors {
        match line {
            Some(line) => render::line(&format!("anchor {hash}: {line}"))?,
            None => render::error(&format!(
                "no line has the hash {hash}: the log is another one, or the line was removed or \
                 changed"
            )),
        }
    }
    if !verified.intact {
        render::note(
            "keep the files as they are and find out who changed them; to begin new chains, move \
             all files of the log away, with the head records",
        );
    }
    Ok(())
}

fn block(stream: &VerifiedStream) -> Block {
    let report = &stream.report;
    let mut block = Block::new();
    let state = match (&report.fault, &report.holds) {
        (Some(fault), _) => render::paint(Tone::Bad, &fault.to_string()),
        (None, Some(_)) => render::paint(Tone::Good, "intact"),
        (None, None) => "no lines with hashes".to_owned(),
    };
    block.pair(stream.stream, &state);
    if let Some(span) = &report.holds {
        block.pair("from", &place(&span.first));
        block.pair("to", &place(&span.last));
        block.pair("hash", &span.hash.to_string());
    }
    let counted = |count: u64, thing: &str, what: &str| {
        (0 < count).then(|| format!("{} {what}", render::counted(count, thing)))
    };
    let unchained = counted(report.unchained, "line", "without a hash, of earlier versions");
    let newer = counted(report.newer_than_head, "line", "not in the head record yet");
    let lost = counted(report.lost, "record", "that could not be written");
    block.maybe("before", unchained.as_deref());
    block.maybe("newer", newer.as_deref());
    block.maybe("lost", lost.as_deref());
    for line in &report.repaired {
        block.pair("repaired", &format!("{}: a crash cut the line before it off", place(line)));
    }
    if let Some(line) = &report.unfinished {
        let next = "the next start of Hobnob repairs it";
        block.pair("unfinished", &format!("{}: cut off by a crash; {next}", place(line)));
    }
    block
}

fn place(line: &LinePlace) -> String {
    match line.at {
        Some(at) => format!("{line}, {at}"),
        None => line.to_string(),
    }
}

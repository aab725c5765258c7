//! `hobnob logs NAME`: what a server wrote to standard error, and when it started, failed and
//! ended. `logs` runs it.
//!
//! The hub writes the file as events happen, so it is right with and without a running hub.

use crate::commands::completions;
use crate::commands::scope::{typed_name, unknown};
use crate::context::CommandContext;
use crate::file_tail::FileTail;
use anyhow::Context as _;
use clap::Args;
use hobnob_config::{Places, Servers, process_environment};
use hobnob_terminal::ended::Ended;
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde::Serialize;
use std::io;
use std::path::Path;

#[derive(Debug, Args)]
pub(super) struct ServerLogArgs {
    /// The server whose log is shown.
    #[arg(add = completions::servers())]
    name: Option<String>,

    /// Show at most this many of the newest lines.
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 100)]
    lines: usize,

    /// Go on with new lines until you press Ctrl-C.
    #[arg(short, long)]
    follow: bool,
}

/// One line, as `--json` prints it.
#[derive(Debug, Serialize)]
struct LogLine<'a> {
    at: &'a str,
    line: &'a str,
}

pub(super) fn run(args: &ServerLogArgs, context: &CommandContext) -> anyhow::Result<()> {
    let Some(name) = &args.name else {
        return Err(Ended::usage("name a server: hobnob logs NAME").into());
    };
    let name = typed_name(name)?;
    let places = context.places.detect()?;
    let servers = Servers::load(&places, &process_environment);
    let Some(server) = servers.get(name.as_str()) else {
        return Err(unknown(&places, name.as_str()));
    };
    let file = places.server_log(name.as_str(), &server.identity);
    // Open the tail before reading the file: new lines may then be shown twice, but are never lost.
    let tail = args.follow.then(|| FileTail::at_the_end(&file));
    let text = whole_log(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() && tail.is_none() && context.output == Output::People {
        render::note(&format!("{name} has written nothing yet"));
    }
    let newest = &lines[lines.len().saturating_sub(args.lines)..];
    newest.iter().try_for_each(|line| show(line, context.output))?;
    match tail {
        None => Ok(()),
        Some(tail) => tail.follow(|line| show(&String::from_utf8_lossy(line), context.output)),
    }
}

/// The text of the previous, rotated file and of the current one.
fn whole_log(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    for file in [&Places::previous_log(file), file] {
        match std::fs::read(file) {
            Ok(bytes) => text.push_str(&String::from_utf8_lossy(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(text)
}

fn show(line: &str, output: Output) -> anyhow::Result<()> {
    match output {
        Output::People => render::line(line),
        Output::Json => {
            let (at, line) = line.split_once(' ').unwrap_or(("", line));
            render::json_line(&LogLine { at, line })
        }
    }
}

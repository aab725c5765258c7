//! `hobnob trees …`: lists, draws and searches conversation trees with the tree tools (`arbor_…`) of the
//! hub. It changes nothing. `main` runs it.
//!
//! What must stay true: every subcommand calls tools that clients have too, so both do the same.

mod show;

use super::service::{ServiceClient, call_and_show, given, text, with_services};
use crate::context::CommandContext;
use clap::{Args, Subcommand, ValueEnum};
use dialoguer::console::Term;
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde_json::{Value, json};

/// Trees per page of a list.
const PAGE_SIZE: u16 = 200;
/// Lines per part of a drawing.
const PART_LINES: usize = 2_000;
/// The width of a drawing that is not for a terminal.
const DEFAULT_COLUMNS: u16 = 120;
/// The widths that a drawing may have.
const POSSIBLE_COLUMNS: std::ops::RangeInclusive<u16> = 40..=1_000;

#[derive(Debug, Args)]
pub(crate) struct TreesArgs {
    #[command(subcommand)]
    command: Option<TreesCommand>,
}

#[derive(Debug, Subcommand)]
enum TreesCommand {
    /// List trees, newest first; this is what `hobnob trees` does.
    List(ListArgs),
    /// Draw a tree, one line for each node.
    Render(RenderArgs),
    /// Find nodes by their words, newest first.
    Search(SearchArgs),
}

#[derive(Debug, Args)]
struct ListArgs {
    /// List trees in this state; active by default.
    #[arg(short, long, value_enum, default_value_t = StateName::Active)]
    state: StateName,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum StateName {
    Active,
    Scheduled,
    Archived,
}

impl StateName {
    fn tool(self) -> &'static str {
        match self {
            Self::Active => "arbor_tree_list",
            Self::Scheduled => "arbor_tree_list_scheduled",
            Self::Archived => "arbor_tree_list_archived",
        }
    }
}

#[derive(Debug, Args)]
struct RenderArgs {
    /// The id or the name of the tree.
    tree: String,

    /// How many lines to print at most.
    #[arg(long, value_name = "COUNT", default_value_t = 1_000)]
    lines: usize,
}

#[derive(Debug, Args)]
struct SearchArgs {
    /// Words that a text must have, all of them, in any case.
    #[arg(required = true)]
    words: Vec<String>,

    /// How many nodes to list at most.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=500))]
    limit: Option<u32>,
}

pub(crate) fn run(args: TreesArgs, context: &CommandContext) -> anyhow::Result<()> {
    match args.command {
        None => list(StateName::Active, context),
        Some(TreesCommand::List(args)) => list(args.state, context),
        Some(TreesCommand::Render(args)) => draw(&args, context),
        Some(TreesCommand::Search(args)) => {
            let query =
                given([("query", args.words.join(" ").into()), ("limit", args.limit.into())]);
            call_and_show(context, "arbor_node_search", query, show::found)
        }
    }
}

/// Shows the trees in one state, from all pages.
fn list(state: StateName, context: &CommandContext) -> anyhow::Result<()> {
    with_services(context, "trees", async |services| {
        let trees =
            services.every_page(state.tool(), "trees", json!({ "limit": PAGE_SIZE })).await?;
        services.clear();
        match context.output {
            Output::Json => render::json(&json!({ "count": trees.len(), "trees": trees })),
            Output::People => show::list(&trees),
        }
    })
}

/// Prints a drawing part by part; as JSON, all parts in one document.
fn draw(args: &RenderArgs, context: &CommandContext) -> anyhow::Result<()> {
    with_services(context, "trees", async |services| {
        let (mut drawing, mut lines, mut cursor) = (String::new(), 0, Value::Null);
        loop {
            let part = part(services, args, args.lines - lines, cursor).await?;
            services.clear();
            lines += part["lines"].as_u64().and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
            match context.output {
                Output::Json => drawing.push_str(text(&part, "text")),
                Output::People => render::text(text(&part, "text"))?,
            }
            cursor = part.get("next_cursor").cloned().unwrap_or_default();
            if cursor.is_null() || args.lines <= lines {
                break;
            }
        }
        let truncated = !cursor.is_null();
        match context.output {
            Output::Json => render::json(&json!({
                "tree_id": args.tree, "text": drawing, "lines": lines, "truncated": truncated,
            })),
            Output::People if truncated => {
                render::note(&format!(
                    "these are the first {}; --lines prints more",
                    render::counted(lines, "line")
                ));
                Ok(())
            }
            Output::People => Ok(()),
        }
    })
}

async fn part(
    services: &ServiceClient<'_>,
    args: &RenderArgs,
    left: usize,
    cursor: Value,
) -> anyhow::Result<Value> {
    let wanted = given([
        ("tree_id", args.tree.clone().into()),
        ("limit", left.clamp(1, PART_LINES).into()),
        ("width", columns().into()),
        ("cursor", cursor),
    ]);
    services.call("arbor_tree_render", wanted).await
}

/// The width of the terminal, if there is one.
fn columns() -> u16 {
    let size = Term::stdout().size_checked();
    let columns = size.map_or(DEFAULT_COLUMNS, |(_, columns)| columns);
    columns.clamp(*POSSIBLE_COLUMNS.start(), *POSSIBLE_COLUMNS.end())
}

//! `cargo xtask api`: prints, compares or writes the records.
//!
//! `main` runs it, and `ci` runs the comparison. Each record is a file beside its crate's manifest.

use std::path::PathBuf;

use anyhow::Context;

use super::{record, rustdoc};
use crate::workspace::Workspace;

/// The crates that authors of servers and clients use.
const AUTHOR_CRATES: [&str; 12] = [
    "hobnob-mcp",
    "hobnob-mcp-types",
    "hobnob-mcp-schema",
    "hobnob-mcp-engine",
    "hobnob-mcp-transport",
    "hobnob-mcp-tasks",
    "hobnob-mcp-toolbox",
    "hobnob-mcp-server",
    "hobnob-mcp-http",
    "hobnob-mcp-client",
    "hobnob-mcp-auth",
    "hobnob-mcp-testkit",
];

/// The arguments of `cargo xtask api`; without an option it prints every public item.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Compare the public items with the recorded ones, and fail if they differ.
    #[arg(long)]
    check: bool,
    /// Write the current public items as the new record.
    #[arg(long, conflicts_with = "check")]
    write: bool,
}

/// One crate: the file of its record, and its current items.
struct Described<'a> {
    package: &'a str,
    file: PathBuf,
    items: String,
}

/// Prints the items, compares them with the records or writes the records.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    if args.check {
        return check(&workspace);
    }
    for Described { package, file, items } in describe(&workspace)? {
        if args.write {
            std::fs::write(&file, &items)
                .with_context(|| format!("cannot write {}", file.display()))?;
            eprintln!("{package}: {} lines", items.lines().count());
        } else {
            print!("{items}");
        }
    }
    Ok(())
}

/// Fails if a crate's public items differ from its record.
pub(crate) fn check(workspace: &Workspace) -> anyhow::Result<()> {
    let mut differs = Vec::new();
    for Described { package, file, items } in describe(workspace)? {
        let recorded = std::fs::read_to_string(&file).unwrap_or_default();
        let lines = record::difference(&recorded, &items);
        if !lines.is_empty() {
            eprintln!("\n{package}:\n{}", lines.join("\n"));
            differs.push(package);
        }
    }
    anyhow::ensure!(
        differs.is_empty(),
        "the public items of {} are not the recorded ones: run `cargo xtask api --write`, and say \
         in CHANGELOG.md what breaks",
        differs.join(", ")
    );
    Ok(())
}

/// The current public items of each crate.
fn describe(workspace: &Workspace) -> anyhow::Result<Vec<Described<'static>>> {
    let folder = rustdoc::describe(workspace, &AUTHOR_CRATES)?;
    let one = |package: &'static str| {
        let found = workspace.packages.iter().find(|it| it.name == package);
        let manifest =
            &found.with_context(|| format!("there is no crate `{package}`"))?.manifest_path;
        let items = record::read(&rustdoc::described(&folder, package))?;
        Ok(Described { package, file: manifest.with_file_name("public-api.txt"), items })
    };
    AUTHOR_CRATES.into_iter().map(one).collect()
}

//! The help of the whole program, which lists the commands in groups.
//!
//! `main` parses with it. The description of each command comes from `cli`; only groups are here.

use crate::cli::Cli;
use crate::exit;
use clap::CommandFactory as _;
use hobnob_terminal::render::{WrapAt, wrapped};
use std::fmt::Write as _;

/// Every command in its group, the most used first.
const GROUPS: [(&str, &[&str]); 7] = [
    (
        "Servers",
        &[
            "add", "add-json", "remove", "list", "show", "enable", "disable", "import", "login",
            "logout", "restart", "logs", "sandbox",
        ],
    ),
    ("Use", &["tools", "call", "resources", "read", "watch", "prompts", "prompt", "run", "chat"]),
    (
        "Permissions",
        &["approve", "allow", "ask", "deny", "rules", "questions", "answer", "audit", "usage"],
    ),
    ("Machine", &["grant", "revoke", "grants"]),
    ("Memory and tasks", &["memory", "tasks", "trees", "embeddings", "backup", "restore"]),
    ("People", &["user", "token", "approve-login"]),
    (
        "Hub",
        &[
            "serve",
            "connect",
            "ui",
            "status",
            "doctor",
            "hubs",
            "stop",
            "service",
            "profiles",
            "config",
            "edit",
            "completions",
            "man-pages",
        ],
    ),
];

/// The width of the column of command names, with its indentation.
const NAME_COLUMNS: usize = 17;

/// The widest help text, and the width assumed for a terminal that reports none.
const MAX_COLUMNS: usize = 100;

/// The command line with the grouped help.
pub(crate) fn command() -> clap::Command {
    let command = Cli::command();
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    // Some terminals report a width of zero, which says nothing.
    let width = size.ok().map(|size| usize::from(size.ws_col)).filter(|width| 0 < *width);
    let groups = groups(&command, width.unwrap_or(MAX_COLUMNS).clamp(40, MAX_COLUMNS));
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{groups}\n{{options}}{{after-help}}"
    );
    command
        .help_template(template)
        .after_help(format!("`hobnob COMMAND --help` says more about one.\n\n{}", exit::HELP))
}

fn groups(command: &clap::Command, width: usize) -> String {
    let mut text = String::new();
    for (heading, names) in GROUPS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{heading}:");
        for name in names {
            let found = command.find_subcommand(name).and_then(clap::Command::get_about);
            let about = found.map(ToString::to_string).unwrap_or_default();
            let mut start = format!("  {name}");
            for line in wrapped(&about, width - NAME_COLUMNS, WrapAt::Words) {
                let _ = writeln!(text, "{start:NAME_COLUMNS$}{line}");
                start.clear();
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{GROUPS, command};
    use std::collections::BTreeSet;

    #[test]
    fn every_command_is_in_one_group_with_its_words() {
        let command = command();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let shown = command.get_subcommands().filter(|it| !it.is_hide_set());
        let known: BTreeSet<&str> =
            shown.map(clap::Command::get_name).filter(|it| *it != "help").collect();
        assert_eq!(grouped.iter().copied().collect::<BTreeSet<_>>(), known);
        assert_eq!(grouped.len(), known.len(), "one is in two groups");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let help = words(&command.clone().render_help().to_string());
        for name in known {
            let about = command.find_subcommand(name).unwrap().get_about().unwrap().to_string();
            assert!(help.contains(&words(&about)), "{name}: {help}");
        }
        assert!(help.contains("--json") && help.contains(" Permissions: approve "), "{help}");
    }
}

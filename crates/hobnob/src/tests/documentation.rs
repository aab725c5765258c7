//! Checks every code block of the README and the book by its language.
//!
//! Commands go to our own parser, settings to our own readers, and Rust must stand in a file that
//! is compiled. A block in a language without a check fails, so that none escapes unnoticed.

mod blocks;
mod client_page;
mod server_page;
mod shell;
mod threats_page;

use std::fs;
use std::path::{Path, PathBuf};

use blocks::{Block, blocks, inline_code};
use clap::{CommandFactory as _, Parser as _};
use hobnob_config::clients::ClientProgram;
use hobnob_config::import::{Source, read};
use hobnob_config::{Profile, ServerName, Settings, check_entry, read_mcp_json};
use hobnob_gateway::permission_rules;

use crate::cli::Cli;

/// Files that are compiled, here or as an example, and that Rust blocks quote.
const COMPILED: [&str; 7] = [
    include_str!("documentation/server_page.rs"),
    include_str!("documentation/client_page.rs"),
    include_str!("../../../hobnob-mcp/examples/echo.rs"),
    include_str!("../../../hobnob-mcp/examples/notes.rs"),
    include_str!("../../../hobnob-mcp/examples/notes_rmcp.rs"),
    include_str!("../../../hobnob-mcp/examples/counter.rs"),
    include_str!("../../../hobnob-mcp/examples/counter_rmcp.rs"),
];

/// The server in Python that the guide shows; a test of `hobnob-mcp` runs it.
const PYTHON: &str = include_str!("../../../hobnob-mcp/examples/notes_fastmcp.py");

/// Programs of others that commands in the documentation run, besides ours.
const OTHER_PROGRAMS: [&str; 14] = [
    "cargo",
    "claude",
    "curl",
    "echo",
    "git",
    "man",
    "mkdir",
    "npx",
    "printf",
    "sed",
    "sha256sum",
    "sudo",
    "tr",
    "SESSION",
];

/// Why the commands of a block are parsed here but typed in no test: CONTRIBUTING.md says what each
/// of them means.
const NEEDS: [&str; 6] = ["build", "client", "login", "model", "network", "root"];

/// Every page as its name and text.
fn pages() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let book = fs::read_dir(root.join("docs/src")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        book.chain([root.join("README.md"), root.join("SECURITY.md")]).collect();
    files.retain(|file| file.extension().is_some_and(|it| it == "md"));
    files.sort();
    assert!(20 < files.len(), "the book is not where this test looks for it");
    files.into_iter().map(|file| (file.clone(), fs::read_to_string(&file).unwrap())).collect()
}

#[test]
fn every_code_block_is_what_it_claims_to_be() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for (file, text) in pages() {
        for block in blocks(&text) {
            checked += 1;
            if let Err(why) = check(&file, &block) {
                wrong.push(format!("{}:{}: {why}", file.display(), block.line));
            }
        }
    }
    assert!(100 < checked, "only {checked} blocks were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check(file: &Path, block: &Block<'_>) -> Result<(), String> {
    let page = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if let Some(needs) = block.attribute("needs").filter(|it| !NEEDS.contains(it)) {
        return Err(format!("`needs={needs}` is none of the reasons {NEEDS:?}"));
    }
    match (block.language, page) {
        ("sh", _) => shell::commands(block.text).iter().try_for_each(|words| check_command(words)),
        // What follows a prompt is typed; the test of the README compares the rest, the output.
        ("console", _) => {
            let typed = block.text.lines().filter_map(|line| line.strip_prefix("$ "));
            let mut commands = typed.flat_map(shell::commands);
            commands.try_for_each(|words| check_command(&words))
        }
        ("rust", _) => check_rust(block.text),
        ("python", _) if PYTHON.contains(block.text) => Ok(()),
        ("python", _) => Err("this is not in crates/hobnob-mcp/examples/notes_fastmcp.py".into()),
        ("toml", "writing-a-server.md" | "writing-a-client.md") => check_dependencies(block.text),
        ("toml", "profiles.md") => {
            let services = ["health", "memory", "tasks", "arbor", "cone"];
            let profile = Profile::parse(Path::new("profile.toml"), block.text, &services);
            profile.map(drop).map_err(|problem| problem.to_string())
        }
        ("toml", _) => check_settings(block.text),
        ("json", _) => check_json(block.text),
        // Output of programs, a text for a person's own files, and a format of our own.
        ("text" | "markdown", _) => Ok(()),
        (other, _) => Err(format!("no check is known for blocks of `{other}`")),
    }
}

/// Our own commands must parse; other programs must be known, so that a typo in ours is found.
fn check_command(words: &[String]) -> Result<(), String> {
    let shown = words.join(" ");
    let mut words = words;
    // `cargo run … -- ARGUMENTS` and `claude mcp add hobnob -- hobnob serve` start ours as well.
    if let Some(at) = words.iter().position(|word| word == "--") {
        match words[0].as_str() {
            "cargo" if words.iter().any(|word| word == "hobnob") => words = &words[at..],
            "claude" => words = &words[at + 1..],
            _ => {}
        }
    }
    match words[0].as_str() {
        "hobnob" | "--" => parse(words).map_err(|error| format!("`{shown}`: {error}")),
        other if OTHER_PROGRAMS.contains(&other) => Ok(()),
        other => Err(format!("`{shown}` runs `{other}`, which is not a program we know")),
    }
}

fn parse(words: &[String]) -> Result<(), String> {
    match Cli::try_parse_from(words) {
        Ok(_) => Ok(()),
        // Help and the version are what was asked for.
        Err(error) if !error.use_stderr() => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// Checks that the block stands, apart from white space, in a file that is compiled.
fn check_rust(text: &str) -> Result<(), String> {
    let squeeze = |text: &str| text.split_whitespace().collect::<String>();
    let block = squeeze(text);
    match COMPILED.iter().any(|file| squeeze(file).contains(&block)) {
        true => Ok(()),
        false => Err("this is not, word for word, in a file that is compiled: see \
                      crates/hobnob/src/tests/documentation"
            .into()),
    }
}

/// Checks that dependencies by path name crates that exist.
fn check_dependencies(text: &str) -> Result<(), String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let paths = text.lines().filter_map(|line| line.split_once("\"../hobnob/crates/"));
    for (line, path) in paths {
        let folder = path.split('"').next().unwrap_or_default();
        let name = line.split(' ').next().unwrap_or_default();
        if name != folder || !crates.join(folder).join("Cargo.toml").is_file() {
            return Err(format!("there is no crate `{name}` in crates/{folder}"));
        }
    }
    Ok(())
}

fn check_settings(text: &str) -> Result<(), String> {
    let settings = Settings::parse(Path::new("config.toml"), text);
    let settings = settings.map_err(|problem| problem.to_string())?;
    permission_rules(&settings, None).map(drop).map_err(|error| error.to_string())
}

/// Checks files of servers with their readers; any other text must at least be JSON.
fn check_json(text: &str) -> Result<(), String> {
    let value =
        serde_json::from_str::<serde_json::Value>(text).map_err(|error| error.to_string())?;
    let folder = std::env::temp_dir().join(format!("hobnob-documentation-{}", std::process::id()));
    let file = folder.join(".vscode/mcp.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, text).unwrap();
    let result = if value.get("mcpServers").is_some() {
        let servers = read_mcp_json(&file).map_err(|problem| problem.to_string());
        servers.and_then(|servers| {
            servers.unwrap_or_default().iter().try_for_each(|(name, entry)| {
                let name = ServerName::parse(name).map_err(|bad| bad.to_string())?;
                check_entry(&name, entry).map_err(|problem| problem.to_string())
            })
        })
    } else if value.get("servers").is_some() {
        let found = read(&Source::at(ClientProgram::VsCode, &file));
        match found.map_err(|problem| problem.to_string()) {
            Ok(found) if found.iter().all(|server| server.notes.is_empty()) => Ok(()),
            Ok(found) => Err(format!("{:?}", found[0].notes)),
            Err(problem) => Err(problem),
        }
    } else {
        Ok(())
    };
    fs::remove_dir_all(&folder).unwrap();
    result
}

#[test]
fn commands_and_options_in_the_text_exist() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    let mut program = Cli::command();
    program.build();
    for (file, text) in pages() {
        for (line, code) in inline_code(&text) {
            let Some(rest) = code.strip_prefix("hobnob ") else { continue };
            checked += 1;
            if let Err(why) = check_mention(&program, rest) {
                wrong.push(format!("{}:{line}: `{code}`: {why}", file.display()));
            }
        }
    }
    assert!(100 < checked, "only {checked} commands were found in the text");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A command in the text may leave out arguments, but its commands and options must exist.
fn check_mention(program: &clap::Command, mention: &str) -> Result<(), String> {
    let mut command = program;
    let mut words = mention.split(' ').take_while(|word| !["--", "|"].contains(word));
    while let Some(word) = words.next() {
        let is_command = word.starts_with(|it: char| it.is_ascii_lowercase());
        if let Some(inner) = command.find_subcommand(word) {
            command = inner;
        } else if is_command && command.has_subcommands() {
            return Err(format!("`{}` has no command `{word}`", command.get_name()));
        } else if let Some(option) = word.strip_prefix("--") {
            let (long, value) =
                option.split_once('=').map_or((option, None), |it| (it.0, Some(it.1)));
            match command.get_arguments().find(|it| it.get_long() == Some(long)) {
                Some(known) if known.get_action().takes_values() && value.is_none() => {
                    words.next();
                }
                Some(_) => {}
                None => return Err(format!("`{}` has no option `--{long}`", command.get_name())),
            }
        }
    }
    Ok(())
}

/// Each table of limits on the page about safety names a file; its rows are fields in that file.
#[test]
fn limits_in_the_book_are_fields_of_the_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/src/safety.md")).unwrap();
    let mut fields = String::new();
    let mut wrong = Vec::new();
    let mut checked = 0;
    for line in page.lines() {
        let code: Vec<_> = line.split('`').skip(1).step_by(2).collect();
        if line.starts_with('#') {
            fields.clear();
        } else if line.starts_with('`') && line.contains("` in `crates/") {
            let files = code.iter().filter(|it| it.starts_with("crates/"));
            fields = files.map(|file| fs::read_to_string(root.join(file)).unwrap()).collect();
        } else if line.starts_with("| `") && !fields.is_empty() {
            let cell = line.split('|').nth(1).unwrap_or_default();
            for field in cell.split('`').skip(1).step_by(2) {
                let name = field.rsplit('.').next().unwrap_or(field);
                checked += 1;
                if !fields.contains(&format!("pub {name}:")) {
                    wrong.push(field.to_owned());
                }
            }
        }
    }
    assert!(50 < checked, "only {checked} limits were found");
    assert!(wrong.is_empty(), "not in the files that the page names: {}", wrong.join(", "));
}

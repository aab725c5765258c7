//! Banned code: token sequences in a table, and two rules in code.

use super::finding::Finding;
use super::source::{Place, Source};
use super::tokens::Token;

/// Where a sequence is banned.
#[derive(Clone, Copy)]
enum Where {
    /// In every line of every file.
    Everywhere,
    /// In shipped code; tests and tools may use it.
    Product,
    /// Like `Product`, but a `render` module may use it, because it prints. A build script may too:
    /// it has no other way to talk to Cargo.
    Printing,
    /// As `Product`, except for the files in `WRITERS`.
    Writing,
    /// In tests only; the product may use it.
    Tests,
}

struct Ban {
    row: &'static [&'static str],
    place: Where,
    why: &'static str,
}

const fn ban(place: Where, row: &'static [&'static str], why: &'static str) -> Ban {
    Ban { row, place, why }
}

const PANIC: &str = "input never panics us: return an error";
const PRINT: &str = "stdout belongs to the protocol: use tracing, or print from `render`";
const OWNER: &str = "every task has an owner that joins it: use a JoinSet";
const BOUND: &str = "every queue has a bound";
const SLEEP: &str = "tests wait for events or pause the clock, they do not sleep";
const WRITE: &str =
    "files are written by `hobnob-disk`, whole and flushed, or they are in `WRITERS`";
const EXPECT: &str = "use #[expect(lint, reason = \"…\")]";

/// Stands for any string literal: a parser may have an `expect` of its own that takes a byte.
/// Clippy knows the types and catches a message in a variable.
const MESSAGE: &str = "\"";

const BANS: &[Ban] = &[
    ban(Where::Product, &[".", "unwrap", "("], PANIC),
    ban(Where::Product, &[".", "expect", "(", MESSAGE], PANIC),
    ban(Where::Product, &[".", "unwrap_err", "("], PANIC),
    ban(Where::Product, &[".", "expect_err", "(", MESSAGE], PANIC),
    ban(Where::Everywhere, &["todo", "!"], "finish it or leave it out"),
    ban(Where::Everywhere, &["unimplemented", "!"], "finish it or leave it out"),
    ban(Where::Everywhere, &["dbg", "!"], "left over from debugging"),
    ban(Where::Printing, &["println", "!"], PRINT),
    ban(Where::Printing, &["print", "!"], PRINT),
    ban(Where::Writing, &["fs", "::", "write", "("], WRITE),
    ban(Where::Writing, &["File", "::", "create", "("], WRITE),
    ban(Where::Everywhere, &["tokio", "::", "spawn"], OWNER),
    ban(Where::Everywhere, &["task", "::", "spawn", "("], OWNER),
    ban(Where::Everywhere, &["unbounded_channel"], BOUND),
    ban(Where::Everywhere, &["UnboundedSender"], BOUND),
    ban(Where::Everywhere, &["#", "[", "allow"], EXPECT),
    ban(Where::Everywhere, &["#", "!", "[", "allow"], EXPECT),
    ban(Where::Everywhere, &["#", "[", "ignore"], "slow tests ask for SLOW_TESTS=1 instead"),
    ban(Where::Tests, &["thread", "::", "sleep"], SLEEP),
    ban(Where::Tests, &["time", "::", "sleep"], SLEEP),
];

/// Where the product writes files without `hobnob-disk`, and why.
const WRITERS: [(&str, &str); 5] = [
    ("crates/hobnob-mcp-process/src/supervisor/namespace.rs", "files of the kernel"),
    ("crates/hobnob-mcp-process/src/supervisor/all_ids.rs", "files of the kernel"),
    ("crates/hobnob-mcp-process/src/runner/restrict.rs", "files of the kernel"),
    ("crates/hobnob/src/commands/read.rs", "the file that the person named"),
    ("crates/hobnob-ranking/examples", "files of an evaluation"),
];

/// The revisions, which only their enum spells out.
const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// Every banned sequence and literal of a file.
pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, token) in source.tokens.iter().enumerate() {
        let rest = &source.tokens[at..];
        let mut report = |what: String| findings.push(Finding::new(&source.path, token.line, what));
        for ban in BANS {
            if begins(rest, ban.row) && applies(ban.place, source, token.line) {
                report(format!("`{}`: {}", ban.row.concat().trim_end_matches(MESSAGE), ban.why));
            }
        }
        if let Some(word) = loose_serde(rest) {
            report(format!("`serde({word})`: dispatch on the method or tag, then decode"));
        }
        if names_revision(source, token) {
            report(format!("{}: only `revision.rs` spells a revision", token.text));
        }
    }
    findings
}

fn applies(place: Where, source: &Source, line: usize) -> bool {
    let product = source.place == Place::Product && !source.is_test(line);
    let printing = ["render", "render.rs", "build.rs"];
    let prints = source.path.ends_with("build/main.rs")
        || source.path.iter().any(|part| printing.iter().any(|name| part == *name));
    match place {
        Where::Everywhere => true,
        Where::Product => product,
        Where::Printing => product && !prints,
        Where::Writing => product && !WRITERS.iter().any(|(path, _)| source.path.starts_with(path)),
        Where::Tests => source.is_test(line),
    }
}

fn begins(tokens: &[Token], row: &[&str]) -> bool {
    let same = |(token, word): (&Token, &&str)| match *word {
        MESSAGE => token.text.starts_with(MESSAGE),
        word => token.text == word,
    };
    row.len() <= tokens.len() && tokens.iter().zip(row).all(same)
}

/// Finds `serde(…untagged…)` and `serde(…flatten…)`, even with other attributes in between.
fn loose_serde(tokens: &[Token]) -> Option<&str> {
    if !begins(tokens, &["serde", "("]) {
        return None;
    }
    let inside = tokens.iter().take_while(|token| token.text != ")");
    inside.map(|token| token.text.as_str()).find(|text| ["untagged", "flatten"].contains(text))
}

fn names_revision(source: &Source, token: &Token) -> bool {
    let text = token.text.trim_start_matches('b');
    let named = text.starts_with('"') && REVISIONS.contains(&text.trim_matches('"'));
    let exempt = || {
        source.place != Place::Product
            || source.is_test(token.line)
            || source.path.file_name().is_some_and(|name| name == "revision.rs")
    };
    named && !exempt()
}

//! Prints the report for people: one line per finding, with hints below problems. `doctor` calls it
//! unless the user asks for JSON.
//!
//! What must stay true: text of servers is made safe for terminals.

use super::finding::{Report, ServerFinding};
use hobnob_hub::finding::Verdict;
use hobnob_terminal::render::{self, Tone, counted, paint, safe};

/// Prints the whole report.
pub(super) fn show(report: &Report) -> anyhow::Result<()> {
    let mut text = String::new();
    for check in &report.checks {
        let what = format!("{}: {}", check.what, check.message);
        text.push_str(&format!("{} {}\n", mark(check.verdict), safe(&what)));
        push_hint(&mut text, check.hint.as_deref());
    }
    if !report.servers.is_empty() {
        text.push('\n');
    }
    for server in &report.servers {
        push_server(&mut text, server);
    }
    let broken = report.servers.iter().filter(|it| it.verdict == Verdict::Broken).count();
    let broken = broken + report.checks.iter().filter(|it| it.verdict == Verdict::Broken).count();
    text.push_str(&match broken {
        0 => paint(Tone::Good, "\nno problems found\n"),
        1 => paint(Tone::Bad, "\n1 problem found\n"),
        count => paint(Tone::Bad, &format!("\n{count} problems found\n")),
    });
    render::text(&text)
}

fn push_server(text: &mut String, server: &ServerFinding) {
    let mut line = server.name.clone();
    if let Some(says) = &server.server {
        line.push_str(&format!(
            ": {says}, {}, {}, {}, {}",
            server.revision.as_deref().unwrap_or("?"),
            counted(server.tools, "tool"),
            counted(server.resources, "resource"),
            counted(server.prompts, "prompt")
        ));
    }
    if let Some(level) = server.sandbox {
        line.push_str(&format!(", sandbox: {level}"));
    }
    if let Some(took) = server.took_ms {
        line.push_str(&format!(" ({took} ms)"));
    }
    text.push_str(&format!("{} {}\n", mark(server.verdict), safe(&line)));
    for (key, value) in [("target", &server.target), ("why", &server.reason)] {
        let shown = server.verdict == Verdict::Broken || key != "target";
        if let Some(value) = value.as_ref().filter(|_| shown) {
            push_lines(text, &format!("{key}: {value}"));
        }
    }
    for warning in &server.warnings {
        push_lines(text, &format!("warning: {warning}"));
    }
    push_hint(text, server.hint.as_deref());
}

fn push_hint(text: &mut String, hint: Option<&str>) {
    if let Some(hint) = hint {
        push_lines(text, &format!("→ {hint}"));
    }
}

fn push_lines(text: &mut String, lines: &str) {
    for line in safe(lines).lines() {
        text.push_str(&format!("        {line}\n"));
    }
}

fn mark(verdict: Verdict) -> String {
    match verdict {
        Verdict::Ok => paint(Tone::Good, "ok     "),
        Verdict::Note => paint(Tone::Dim, "note   "),
        Verdict::Warning => paint(Tone::Warn, "warning"),
        Verdict::Broken => paint(Tone::Bad, "broken "),
    }
}

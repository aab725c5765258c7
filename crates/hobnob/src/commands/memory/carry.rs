//! Memories to a file and from one, a page at a time.

use super::{ExportArgs, ImportArgs};
use crate::commands::service::{given, items, text, with_services};
use crate::context::{Context, Output};
use crate::exit::{Code, Ended};
use crate::render;
use anyhow::Context as _;
use hobnob_config::{Mode, write_atomic};
use serde_json::{Value, json};
use std::path::Path;

/// Bytes of a file that are imported at once; lines and sections stay whole.
const AT_ONCE: usize = 4 << 20;

/// Writes memories.
pub(super) fn export(args: ExportArgs, context: &Context) -> anyhow::Result<()> {
    with_services(context, "exporting", async |desk| {
        let (mut data, mut count, mut cursor) = (String::new(), 0, Value::Null);
        loop {
            let page = given([
                ("format", args.format.word().into()),
                ("filter", args.filter.clone().into()),
                ("cursor", cursor),
            ]);
            let page = desk.call("memory_export", page).await?;
            data.push_str(text(&page, "data"));
            count += page.get("count").and_then(Value::as_u64).unwrap_or_default();
            cursor = page.get("next_cursor").cloned().unwrap_or_default();
            if cursor.is_null() {
                break;
            }
        }
        desk.clear();
        let Some(file) = &args.file else { return render::text(&data) };
        let file = &std::path::absolute(file).unwrap_or_else(|_| file.clone());
        // What is in it is nobody else's business.
        write_atomic(file, data.as_bytes(), Mode::Private)
            .with_context(|| format!("{} cannot be written", file.display()))?;
        match context.output {
            Output::Json => render::json(&json!({ "count": count, "file": file })),
            Output::People => render::line(&format!("{count} memories in {}", file.display())),
        }
    })
}

/// Reads memories.
pub(super) fn import(args: ImportArgs, context: &Context) -> anyhow::Result<()> {
    let data = read(&args.file)?;
    let (mut imported, mut known, mut problems) = (0, 0, Vec::new());
    with_services(context, "importing", async |desk| {
        for (line, part) in parts(&data, args.format.word()) {
            let arguments = json!({
                "data": part, "format": args.format.word(), "redact": args.redact,
            });
            let done = desk.call("memory_import", arguments).await?;
            let number = |name: &str| done.get(name).and_then(Value::as_u64).unwrap_or_default();
            imported += number("imported");
            known += number("known");
            for problem in items(&done, "problems") {
                let at = problem.get("line").and_then(Value::as_u64).unwrap_or_default();
                problems.push(json!({ "line": line + at, "problem": text(problem, "problem") }));
            }
        }
        desk.clear();
        match context.output {
            Output::Json => {
                let all = json!({ "imported": imported, "known": known, "problems": problems });
                render::json(&all)?;
            }
            Output::People => {
                render::line(&format!("imported {imported}, known already {known}"))?;
                for problem in &problems {
                    let at = problem.get("line").and_then(Value::as_u64).unwrap_or_default();
                    render::warn(&format!("line {at}: {}", text(problem, "problem")));
                }
            }
        }
        match problems.is_empty() {
            true => Ok(()),
            false => Err(Ended::quietly(Code::Failed).into()),
        }
    })
}

fn read(file: &Path) -> anyhow::Result<String> {
    if file == Path::new("-") {
        return Ok(std::io::read_to_string(std::io::stdin().lock())?);
    }
    std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))
}

/// Pieces of a text that can be read by themselves, each with how many lines come before it.
fn parts<'a>(data: &'a str, format: &str) -> Vec<(u64, &'a str)> {
    let is_begin = |at: usize| match format {
        // A header follows an empty line, and no content has a line like that.
        "markdown" => {
            data[at..].starts_with("---\nid:") || data[at..].starts_with("---\nnamespace:")
        }
        _ => true,
    };
    let mut parts = Vec::new();
    let (mut begin, mut lines, mut passed) = (0, 0, 0);
    for (end, _) in data.match_indices('\n') {
        passed += 1;
        if AT_ONCE < end - begin && is_begin(end + 1) {
            parts.push((lines, &data[begin..=end]));
            (begin, lines) = (end + 1, passed);
        }
    }
    parts.push((lines, &data[begin..]));
    parts
}

//! `hobnob memory export` and `import`: write memories to a file and read them from one, page by
//! page. `memory` calls it.
//!
//! What must stay true: line numbers in messages are those of the whole file.

mod parts;

use self::parts::{Cuts, PartSize, Parts};
use super::args::{ExportArgs, FormatName, ImportArgs};
use crate::commands::service::{given, items, text, with_services};
use crate::content;
use crate::context::CommandContext;
use anyhow::Context as _;
use hobnob_disk::{FileMode, write_atomic};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// How much of a file one call imports.
const PART_SIZE: PartSize = PartSize { target: 4 << 20, max: 64 << 20 };

/// Writes the matching memories to a file or to standard output.
pub(super) fn export(args: ExportArgs, context: &CommandContext) -> anyhow::Result<()> {
    let named = args.file.as_deref().and_then(FormatName::of_name);
    let format = args.format.or(named).unwrap_or(FormatName::Jsonl);
    with_services(context, "exporting", async |services| {
        let (mut data, mut count, mut cursor) = (String::new(), 0, Value::Null);
        loop {
            let page = given([
                ("format", format.as_str().into()),
                ("filter", args.filter.clone().into()),
                ("cursor", cursor),
            ]);
            let page = services.call("memory_export", page).await?;
            data.push_str(text(&page, "data"));
            count += page.get("count").and_then(Value::as_u64).unwrap_or_default();
            cursor = page.get("next_cursor").cloned().unwrap_or_default();
            if cursor.is_null() {
                break;
            }
        }
        services.clear();
        let Some(file) = args.file.as_ref().filter(|file| *file != Path::new("-")) else {
            return content::exact(&data);
        };
        let file = &std::path::absolute(file).unwrap_or_else(|_| file.clone());
        // Memories are private.
        write_atomic(file, data.as_bytes(), FileMode::Private)
            .with_context(|| format!("cannot write {}", file.display()))?;
        match context.output {
            Output::Json => render::json(&json!({ "count": count, "file": file })),
            Output::People => render::line(&format!(
                "wrote {} to {}",
                render::counted(count, "memory"),
                file.display()
            )),
        }
    })
}

/// Reads memories from a file; ends with an error if some were not imported.
pub(super) fn import(args: ImportArgs, context: &CommandContext) -> anyhow::Result<()> {
    let mut source = open(&args.file)?;
    let cannot_read = || format!("cannot read {}", args.file.display());
    let format = match args.format.or_else(|| FormatName::of_name(&args.file)) {
        Some(format) => format,
        None => FormatName::of_content(source.fill_buf().with_context(cannot_read)?),
    };
    let cuts = match format {
        FormatName::Jsonl => Cuts::Lines,
        FormatName::Markdown => Cuts::Headers,
    };
    let mut parts = Parts::new(source, cuts, PART_SIZE);
    let mut next = || parts.next().with_context(cannot_read);
    let (mut imported, mut known, mut merged, mut problems) = (0, 0, 0, Vec::new());
    with_services(context, "importing", async |services| {
        while let Some((line, part)) = next()? {
            let arguments = json!({
                "data": part, "format": format.as_str(), "redact": args.redact,
            });
            let done = services.call("memory_import", arguments).await?;
            let number = |name: &str| done.get(name).and_then(Value::as_u64).unwrap_or_default();
            imported += number("imported");
            known += number("known");
            merged += number("merged");
            for problem in items(&done, "problems") {
                let at = problem.get("line").and_then(Value::as_u64).unwrap_or_default();
                problems.push(json!({ "line": line + at, "problem": text(problem, "problem") }));
            }
        }
        services.clear();
        match context.output {
            Output::Json => {
                let mut all = json!({ "imported": imported, "known": known, "problems": problems });
                if let (1.., Some(all)) = (merged, all.as_object_mut()) {
                    all.insert("merged".into(), merged.into());
                }
                render::json(&all)?;
            }
            Output::People => {
                let labels = match merged {
                    0 => String::new(),
                    merged => format!(" ({merged} of these got new tags or sources)"),
                };
                render::line(&format!("imported {imported}, already known {known}{labels}"))?;
                for problem in &problems {
                    let at = problem.get("line").and_then(Value::as_u64).unwrap_or_default();
                    render::warn(&format!("line {at}: {}", text(problem, "problem")));
                }
            }
        }
        match problems.is_empty() {
            true => Ok(()),
            false => Err(Ended::silently(Code::Failed).into()),
        }
    })
}

fn open(file: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if file == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let opened = File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Box::new(BufReader::new(opened)))
}

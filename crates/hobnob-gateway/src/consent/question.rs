//! The question a person is asked before a tool runs: it shows the call exactly as it will be made.
//!
//! Every byte of the arguments can be read. If they do not fit in the message, they are in a file,
//! and the message says that it does not show everything.

use super::asked_tool::AskedTool;
use super::file::ArgumentsFile;
use hobnob_mcp_types::elicitation::{ElicitFormParams, ElicitParams};
use hobnob_mcp_types::form::{FormSchema, PrimitiveSchema};
use hobnob_mcp_types::form_field::{TitledSingleSelectEnumSchema, TitledValue};
use hobnob_mcp_types::json::object;
use hobnob_text::{hex, quotable_name, visible, visible_json};
use ring::digest::{SHA256, digest};
use serde_json::value::RawValue;
use std::io;
use std::path::Path;

/// The answers a person may choose.
pub(crate) const ONCE: &str = "once";
pub(crate) const UNTIL_RESTART: &str = "until_restart";
pub(crate) const ALWAYS: &str = "always";
const NO: &str = "no";
pub(crate) const NEVER: &str = "never";

/// The most bytes of arguments, escaped for display, that a message contains.
const MAX_SHOWN_BYTES: usize = 16 << 10;

/// The answers offered besides "once" and "no".
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastingAnswers<'a> {
    pub(crate) until_restart: UntilRestart,
    /// The settings file for rules, if this person may change it.
    pub(crate) rules: Option<&'a Path>,
}

/// Whether this process goes on after the call, so that "until restart" means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UntilRestart {
    /// The process serves clients until it is stopped.
    Offered,
    /// The process ends with the command that made the call.
    Pointless,
}

/// One question, and the file with the arguments that did not fit into it.
pub(crate) struct ConsentQuestion {
    pub(crate) form: ElicitParams,
    pub(crate) file: Option<ArgumentsFile>,
}

impl ConsentQuestion {
    /// Writes the question and the reason for it; a file, if one is needed, goes into `folder`.
    pub(crate) fn new(
        tool: AskedTool<'_>,
        arguments: Option<&str>,
        folder: &Path,
        lasting: LastingAnswers<'_>,
        asked_because: &str,
    ) -> io::Result<Self> {
        let choices = choices(lasting, asked_because);
        let who = match tool.server() {
            Some(server) => format!(
                "Server `{}` would run its tool `{}` ({})",
                quotable_name(server),
                quotable_name(tool.original()),
                quotable_name(tool.public),
            ),
            None => format!("Hobnob would run its own tool `{}`", quotable_name(tool.public)),
        };
        let Some(exact) = arguments else {
            return Ok(Self::asking(format!("{who} without arguments."), choices, None, None));
        };
        let (shown, bytes, sum) = (visible_json(exact), exact.len(), sha256(exact));
        if shown.len() <= MAX_SHOWN_BYTES {
            let message = format!("{who} with these arguments:\n\n    {shown}");
            let meta = meta(&sum, bytes, None);
            return Ok(Self::asking(message, choices, Some(meta), None));
        }
        let file = ArgumentsFile::write(folder, exact)?;
        let path = file.path().display().to_string();
        let begin = beginning(&shown);
        let message = format!(
            "{who} with arguments that are too long for this question ({bytes} bytes, SHA-256 \
             {sum}).\nThis question does NOT show all of them. Read them in this file before you \
             agree: {}\nThey begin with:\n\n    {begin}\n\n{} of {} bytes are not shown here; the \
             file has everything.",
            visible(&path),
            shown.len() - begin.len(),
            shown.len(),
        );
        let meta = meta(&sum, bytes, Some(&path));
        Ok(Self::asking(message, choices, Some(meta), Some(file)))
    }

    fn asking(
        message: String,
        choices: PrimitiveSchema,
        meta: Option<String>,
        file: Option<ArgumentsFile>,
    ) -> Self {
        let form = ElicitFormParams {
            message,
            requested_schema: FormSchema::new().required("answer", choices),
            task: None,
            meta: meta.and_then(|meta| RawValue::from_string(meta).ok()),
        };
        Self { form: ElicitParams::Form(form), file }
    }
}

/// The digest of a text as `sha256sum` prints it.
fn sha256(text: &str) -> String {
    hex::encode(digest(&SHA256, text.as_bytes()).as_ref())
}

/// The digest, size and file for programs: Hobnob's own terminal reads them.
fn meta(sum: &str, bytes: usize, file: Option<&str>) -> String {
    object(|meta| {
        let arguments = object(|arguments| {
            arguments.string("sha256", sum).raw("bytes", &bytes.to_string());
            if let Some(file) = file {
                arguments.string("file", file);
            }
        });
        meta.raw("hobnob/arguments", &arguments);
    })
}

fn beginning(shown: &str) -> &str {
    &shown[..shown.floor_char_boundary(MAX_SHOWN_BYTES)]
}

fn choices(lasting: LastingAnswers<'_>, asked_because: &str) -> PrimitiveSchema {
    let named = |value: &str, title: &str| TitledValue { value: value.into(), title: title.into() };
    let mut one_of = vec![named(ONCE, "Yes, this once")];
    if lasting.until_restart == UntilRestart::Offered {
        one_of.push(named(UNTIL_RESTART, "Yes, with any arguments, until Hobnob restarts"));
    }
    let file = lasting.rules.map(|file| visible(&file.display().to_string()));
    if let Some(file) = &file {
        let title = format!("Yes, with any arguments, always (writes a rule to {file})");
        one_of.push(named(ALWAYS, &title));
    }
    one_of.push(named(NO, "No"));
    if let Some(file) = &file {
        // Not a "No …" title: a person who types `n` refuses this one call only.
        let title = format!("Refuse, now and always (writes a rule to {file})");
        one_of.push(named(NEVER, &title));
    }
    PrimitiveSchema::TitledSingleSelect(TitledSingleSelectEnumSchema {
        title: Some("May it run?".into()),
        description: Some(asked_because.into()),
        one_of,
        ..TitledSingleSelectEnumSchema::default()
    })
}

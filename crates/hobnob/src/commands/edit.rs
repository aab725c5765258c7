//! `hobnob edit`: opens the settings, or the file with a server, in an editor. `main` runs it.
//!
//! What must stay true: the file is replaced only by a text that passed the check, and only if no
//! other program changed it meanwhile; otherwise the text stays in a draft that the error names.

mod check;
mod editor;

use super::completions;
use super::person::require_person;
use super::scope::{ConfigScope, files_with, typed_name, unknown};
use crate::context::CommandContext;
use anyhow::Context as _;
use check::EditedFile;
use clap::Args;
use editor::Draft;
use hobnob_config::{Backup, Places, replace_file};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    /// Open the file with this server; without a name, open the settings (config.toml).
    #[arg(add = completions::servers())]
    name: Option<String>,

    /// Open this file of servers.
    #[arg(long, value_enum)]
    scope: Option<ConfigScope>,
}

/// What the command did, as `--json` prints it.
#[derive(Debug, Serialize)]
struct EditDone {
    file: PathBuf,
    changed: bool,
    /// The copy of the old file.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<PathBuf>,
}

pub(crate) fn run(args: &EditArgs, context: &CommandContext) -> anyhow::Result<()> {
    require_person("settings are")?;
    let places = context.places.detect()?;
    places.create().context("the folders for settings and state cannot be made")?;
    let file = chosen(args, &places)?;
    let before = read(file.path())?;
    let draft = Draft::new(&places, file.path(), before.as_deref().unwrap_or(file.template()))?;
    let Some(after) = edited(&file, &draft, before.as_deref())? else {
        draft.delete();
        return report(
            context,
            EditDone { file: file.path().into(), changed: false, backup: None },
        );
    };
    if read(file.path())? != before {
        let message = format!(
            "another program changed {} meanwhile, so it was not replaced; your text is in {}",
            file.path().display(),
            draft.path().display()
        );
        return Err(Ended::new(Code::Failed, message).into());
    }
    let written = replace_file(file.path(), &after, Backup::Into(places.backups()))
        .with_context(|| format!("your text is in {}", draft.path().display()))?;
    draft.delete();
    let done = EditDone { file: file.path().into(), changed: true, backup: written.backup };
    report(context, done)
}

/// The file that the options name.
fn chosen(args: &EditArgs, places: &Places) -> anyhow::Result<EditedFile> {
    match (&args.name, args.scope) {
        (None, None) => Ok(EditedFile::Settings(places.settings())),
        (None, Some(scope)) => Ok(EditedFile::Servers(scope.file(places)?)),
        (Some(name), scope) => {
            let name = typed_name(name)?;
            let found = files_with(places, &name)?;
            let mut fitting =
                found.into_iter().filter(|(in_scope, _)| scope.is_none_or(|it| it == *in_scope));
            match fitting.next() {
                Some((_, file)) => Ok(EditedFile::Servers(file)),
                None => Err(unknown(places, name.as_str())),
            }
        }
    }
}

/// Opens the editor until the text passes the check; `None` if the person did not change it.
fn edited(
    file: &EditedFile,
    draft: &Draft,
    before: Option<&str>,
) -> anyhow::Result<Option<String>> {
    loop {
        let text = draft.open_editor()?;
        if text == before.unwrap_or(file.template()) {
            return Ok(None);
        }
        let Some(problem) = file.check(&text, before) else { return Ok(Some(text)) };
        render::error(&problem);
        let left = format!(
            "{} stays as it was; your text is in {}",
            file.path().display(),
            draft.path().display()
        );
        if !render::is_interactive() {
            return Err(Ended::new(Code::Failed, left).into());
        }
        let answers = ["Edit again", "Leave the file as it was"];
        if render::choose("This cannot be saved", &answers, &left)? != 0 {
            return Err(Ended::new(Code::Failed, left).into());
        }
    }
}

fn read(file: &Path) -> anyhow::Result<Option<String>> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}

fn report(context: &CommandContext, done: EditDone) -> anyhow::Result<()> {
    if context.output == Output::Json {
        return render::json(&done);
    }
    match (done.changed, &done.backup) {
        (false, _) => render::line(&format!("{}: nothing changed", done.file.display())),
        (true, None) => render::line(&format!("wrote {}", done.file.display())),
        (true, Some(backup)) => render::line(&format!(
            "wrote {}; the old text is in {}",
            done.file.display(),
            backup.display()
        )),
    }
}

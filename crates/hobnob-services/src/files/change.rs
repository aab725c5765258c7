//! The tools that change files: write, edit, move, make a folder, delete.
//!
//! Writes are atomic, an edit that does not match changes nothing, and deleted files go to the
//! trash unless the caller asks for permanent removal.

use super::action::Performed;
use super::reply::FileReply;
use super::service::PresentedFiles;
use super::words::counted;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hobnob_machine::files::{Deleted, FileOutcome, FolderMade};
use hobnob_mcp_toolbox::{Context, ToolError};
use hobnob_policy::{
    Deletion, EditMatches, EditRun, FileOperation, MissingParents, MoveMode, TextEdit, WriteMode,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most edits in one call.
const MAX_EDITS: usize = 200;

/// How the content of a new file is written.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub(super) enum ContentEncoding {
    /// As the text stands
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// Base64, for what is no text
    #[serde(rename = "base64")]
    Base64,
}

/// What may be there before a file is written.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum WriteWord {
    /// A file that exists is replaced
    #[default]
    Replace,
    /// A file that exists is an error
    Create,
}

/// A file and what it is to have in it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteArguments {
    /// File: absolute path, `file:` address, or the name of a granted folder and the way down
    path: String,
    /// All that the file has afterwards
    content: String,
    /// How the content is given; utf-8 if not said
    #[serde(default)]
    encoding: ContentEncoding,
    /// What happens to a file that exists; replace if not said
    #[serde(default)]
    mode: WriteWord,
    /// Write only if the file still has the content with this `hash` of `files_read`
    expected_hash: Option<String>,
}

/// A file that was written.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownWritten {
    /// Absolute path of the file or folder
    path: String,
    /// Bytes it has now
    size: u64,
    /// Whether there was no such file before
    created: bool,
    /// SHA-256 of its content
    hash: String,
}

pub(super) async fn write(
    arguments: WriteArguments,
    context: Context<PresentedFiles>,
) -> Result<FileReply<ShownWritten>, ToolError> {
    let presented = context.state();
    let mode = match (&arguments.expected_hash, arguments.mode) {
        (Some(hash), WriteWord::Replace) => WriteMode::IfHash(
            hash.parse().map_err(|error| presented.invalid(format!("expected_hash: {error}")))?,
        ),
        (Some(_), WriteWord::Create) => {
            return Err(presented.invalid("expected_hash: a new file has no content yet"));
        }
        (None, WriteWord::Replace) => WriteMode::Replace,
        (None, WriteWord::Create) => WriteMode::New,
    };
    let bytes = match arguments.encoding {
        ContentEncoding::Utf8 => arguments.content.into_bytes(),
        ContentEncoding::Base64 => STANDARD
            .decode(arguments.content)
            .map_err(|error| presented.invalid(format!("content: {error}")))?,
    };
    let operation = FileOperation::Write { bytes, mode };
    let Performed { outcome, place } =
        presented.perform(&context, &arguments.path, operation).await?;
    let FileOutcome::Written(file) = outcome else { return Err(presented.unexpected(&outcome)) };
    let (path, size, created) = (place.text(), file.size, file.created);
    let done = if created { "created" } else { "replaced" };
    let text = format!("{done} {path}, {}", counted(size, "byte"));
    let hash = file.hash.to_string();
    Ok(FileReply::new(text, ShownWritten { path, size, created, hash }))
}

/// A file and the exact replacements in it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EditArguments {
    /// File: absolute path, `file:` address, or the name of a granted folder and the way down
    path: String,
    /// Replacements, applied one after the other; all of them or none
    #[schemars(length(min = 1, max = 200))]
    edits: Vec<OneEdit>,
    /// Only show the difference, and write nothing
    #[serde(default)]
    dry_run: bool,
}

/// One exact replacement in a text.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OneEdit {
    /// Text that must be in the file, byte for byte, exactly once
    old: String,
    /// Text that stands there afterwards
    new: String,
    /// Replace every place that has the old text, however many there are
    #[serde(default)]
    all: bool,
}

/// What edits changed or would change.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownEdit {
    /// Absolute path of the file or folder
    path: String,
    /// The difference in the unified format
    diff: String,
    /// How many places differ
    replaced: usize,
    /// Whether the file was written
    written: bool,
    /// SHA-256 of the new content
    hash: String,
}

pub(super) async fn edit(
    arguments: EditArguments,
    context: Context<PresentedFiles>,
) -> Result<FileReply<ShownEdit>, ToolError> {
    let presented = context.state();
    let count = arguments.edits.len();
    if count == 0 || MAX_EDITS < count {
        return Err(presented.invalid(format!("edits: {count}, there must be 1 to {MAX_EDITS}")));
    }
    let edit = |edit: OneEdit| TextEdit {
        old: edit.old,
        new: edit.new,
        matches: if edit.all { EditMatches::All } else { EditMatches::Once },
    };
    let run = if arguments.dry_run { EditRun::Preview } else { EditRun::Write };
    let edits = arguments.edits.into_iter().map(edit).collect();
    let operation = FileOperation::Edit { edits, run };
    let Performed { outcome, place } =
        presented.perform(&context, &arguments.path, operation).await?;
    let FileOutcome::Edited(edited) = outcome else { return Err(presented.unexpected(&outcome)) };
    let written = run == EditRun::Write;
    let places = counted(edited.replaced as u64, "place");
    let head = match run {
        EditRun::Write => format!("changed {places}"),
        EditRun::Preview => format!("would change {places}; nothing was written"),
    };
    let shown = ShownEdit {
        path: place.text(),
        diff: edited.diff,
        replaced: edited.replaced,
        written,
        hash: edited.hash.to_string(),
    };
    Ok(FileReply::new(format!("{head}\n{}", shown.diff), shown))
}

/// From where to where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MoveArguments {
    /// What is moved: absolute path, `file:` address, or the name of a granted folder and the way down
    from: String,
    /// Its new place, with its new name
    to: String,
    /// Replace a file that is there already; a folder never is
    #[serde(default)]
    replace: bool,
}

/// What has another place now.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownMove {
    /// Absolute path that it had
    from: String,
    /// Where it is now, as the caller wrote it
    to: String,
}

pub(super) async fn rename(
    arguments: MoveArguments,
    context: Context<PresentedFiles>,
) -> Result<FileReply<ShownMove>, ToolError> {
    let presented = context.state();
    let mode = if arguments.replace { MoveMode::ReplaceFile } else { MoveMode::New };
    let operation = FileOperation::Move { to: arguments.to.clone(), mode };
    let Performed { outcome, place } =
        presented.perform(&context, &arguments.from, operation).await?;
    let FileOutcome::Moved = outcome else { return Err(presented.unexpected(&outcome)) };
    let shown = ShownMove { from: place.text(), to: arguments.to };
    Ok(FileReply::new(format!("moved {} to {}", shown.from, shown.to), shown))
}

/// A folder that is to be there.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MakeFolderArguments {
    /// Folder: absolute path, `file:` address, or the name of a granted folder and the way down
    path: String,
}

/// A folder that is there now.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownFolder {
    /// Absolute path of the file or folder
    path: String,
    /// Whether it was not there before
    created: bool,
}

pub(super) async fn make_folder(
    arguments: MakeFolderArguments,
    context: Context<PresentedFiles>,
) -> Result<FileReply<ShownFolder>, ToolError> {
    let presented = context.state();
    let operation = FileOperation::MakeFolder(MissingParents::Make);
    let Performed { outcome, place } =
        presented.perform(&context, &arguments.path, operation).await?;
    let FileOutcome::FolderMade(made) = outcome else {
        return Err(presented.unexpected(&outcome));
    };
    let (path, created) = (place.text(), made == FolderMade::New);
    let text = if created { format!("made {path}") } else { format!("{path} was there already") };
    Ok(FileReply::new(text, ShownFolder { path, created }))
}

/// What is to go, and how.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeleteArguments {
    /// File or folder: absolute path, `file:` address, or the name of a granted folder and the way down
    path: String,
    /// Remove it for good instead of moving it to the trash
    #[serde(default)]
    permanently: bool,
}

/// Something that is gone from its place.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownDeletion {
    /// Absolute path that it had
    path: String,
    /// Where a person finds it, below the granted folder; absent if it is gone for good
    #[serde(skip_serializing_if = "Option::is_none")]
    trash: Option<String>,
}

pub(super) async fn delete(
    arguments: DeleteArguments,
    context: Context<PresentedFiles>,
) -> Result<FileReply<ShownDeletion>, ToolError> {
    let presented = context.state();
    let deletion = if arguments.permanently { Deletion::Forever } else { Deletion::Trash };
    let Performed { outcome, place } =
        presented.perform(&context, &arguments.path, FileOperation::Delete(deletion)).await?;
    let FileOutcome::Deleted(deleted) = outcome else {
        return Err(presented.unexpected(&outcome));
    };
    let path = place.text();
    let (text, trash) = match deleted {
        Deleted::Removed => (format!("removed {path} for good"), None),
        Deleted::Trashed(trash) => {
            presented.parts().housekeeping.after_deletion(&presented.parts().folders).await;
            let folder = place.root().path().display();
            (format!("moved {path} to the trash: {folder}/{trash}"), Some(trash))
        }
    };
    Ok(FileReply::new(text, ShownDeletion { path, trash }))
}

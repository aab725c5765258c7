//! The tools that describe entries: one entry, the entries of a folder, a tree of folders.

use super::action::{ActionPlace, Performed};
use super::address::{address_beneath, address_of};
use super::reply::FileReply;
use super::service::PresentedFiles;
use super::words::{KindWord, counted, time_text};
use hobnob_machine::files::{FileFacts, FileOutcome, FolderEntry, FolderPage, FolderTree};
use hobnob_mcp_toolbox::{CallContext, Context, ToolError};
use hobnob_policy::{DotFiles, FileOperation, IgnoreFiles, TreeWish};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Entries on a page if the caller sets no limit.
const DEFAULT_ENTRIES: u32 = 200;
/// Rows and depth of a tree if the caller sets no limit.
const DEFAULT_ROWS: u32 = 200;
const DEFAULT_DEPTH: u32 = 3;

/// A place in the file system.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OnePath {
    /// Absolute path, `file:` address, or the name of a granted folder and the way down from it
    path: String,
}

/// An entry with all that is known without reading it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownStat {
    /// Absolute path of the file or folder
    path: String,
    /// Address to read it as a resource
    uri: String,
    /// What it is; a link is not followed
    kind: KindWord,
    /// How many bytes it has
    size: u64,
    /// When its content last changed, RFC 3339
    modified: String,
    /// Permission bits as octal digits
    mode: String,
    /// How many names it has (hard links)
    names: u64,
    /// What is granted at this place: read or write
    access: &'static str,
    /// Where a link points, as it says itself
    #[serde(skip_serializing_if = "Option::is_none")]
    link_target: Option<String>,
    /// What a link leads to; absent if nothing is there or it leads out of the granted folder
    #[serde(skip_serializing_if = "Option::is_none")]
    leads_to: Option<KindWord>,
}

pub(super) async fn stat(
    arguments: OnePath,
    context: Context<PresentedFiles>,
) -> Result<FileReply<ShownStat>, ToolError> {
    let presented = context.state();
    let done = presented.perform(&context, &arguments.path, FileOperation::Stat).await?;
    let FileOutcome::Stat(stat) = done.outcome else {
        return Err(presented.unexpected(&done.outcome));
    };
    let FileFacts { kind, size, modified, mode, names } = stat.facts;
    let shown = ShownStat {
        path: done.place.text(),
        uri: address_of(&done.place.path()),
        kind: kind.into(),
        size,
        modified: time_text(modified),
        mode: format!("{mode:04o}"),
        names,
        access: presented.access_to(done.place.root()),
        leads_to: stat.link.as_ref().and_then(|link| link.leads_to).map(KindWord::from),
        link_target: stat.link.map(|link| link.target),
    };
    let mut text = format!("{}{}\n", shown.path, shown.kind.mark());
    let _ = write!(
        text,
        "{:?}, {}, modified {}, mode {}, granted: {}",
        shown.kind,
        counted(size, "byte"),
        shown.modified,
        shown.mode,
        shown.access,
    );
    if let Some(target) = &shown.link_target {
        let _ = write!(text, "\n-> {target}");
        if shown.leads_to.is_none() {
            text.push_str(" (nothing there, or outside of the granted folder)");
        }
    }
    Ok(FileReply::new(text, shown))
}

/// Which folder, and how much of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListArguments {
    /// Folder: absolute path, `file:` address, or the name of a granted folder and the way down;
    /// the granted folders themselves if not given
    path: Option<String>,
    /// How many entries at most; 200 if not given
    #[schemars(range(min = 1, max = 2000))]
    limit: Option<u32>,
    /// The `next_cursor` of the page before
    cursor: Option<String>,
}

/// One entry of a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownEntry {
    /// Its name in the folder, or the absolute path of a granted folder
    name: String,
    /// Only of a name that is not UTF-8: the address by which tools find it
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
    /// What it is; a link is not followed
    kind: KindWord,
    /// Bytes of a file
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// When its content last changed, RFC 3339
    #[serde(skip_serializing_if = "Option::is_none")]
    modified: Option<String>,
    /// Only of a granted folder: read or write
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<&'static str>,
}

/// A page of a folder's entries, in the order of their names.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownList {
    /// Absolute path of the folder; absent in the list of granted folders
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The entries, sorted by name
    entries: Vec<ShownEntry>,
    /// How many there are on all pages
    total: usize,
    /// Where the next page begins
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

pub(super) async fn list(
    arguments: ListArguments,
    context: Context<PresentedFiles>,
) -> Result<FileReply<ShownList>, ToolError> {
    let presented = context.state();
    let limit = arguments.limit.unwrap_or(DEFAULT_ENTRIES) as usize;
    let shown = match arguments.path {
        None => presented.granted_folders(&context).await?,
        Some(path) => presented.entries(&context, &path, arguments.cursor, limit).await?,
    };
    Ok(FileReply::new(list_text(&shown), shown))
}

impl PresentedFiles {
    /// The folders granted to the caller; if there are none, the error says how to grant one.
    pub(super) async fn granted_folders(
        &self,
        context: &CallContext,
    ) -> Result<ShownList, ToolError> {
        let roots = self.roots(context);
        if roots.is_empty() {
            // There is no such folder: the refusal says how to grant one.
            self.perform(context, "FOLDER", FileOperation::Stat).await?;
        }
        let entries: Vec<_> = roots
            .iter()
            .map(|root| ShownEntry {
                name: root.path().display().to_string(),
                uri: Some(address_of(root.path())),
                kind: KindWord::Folder,
                size: None,
                modified: None,
                access: Some(self.access_to(root)),
            })
            .collect();
        Ok(ShownList { path: None, total: entries.len(), entries, next_cursor: None })
    }

    /// A page of the entries of a folder.
    pub(super) async fn entries(
        &self,
        context: &CallContext,
        path: &str,
        after: Option<String>,
        limit: usize,
    ) -> Result<ShownList, ToolError> {
        let operation = FileOperation::List { after, limit };
        let Performed { outcome, place } = self.perform(context, path, operation).await?;
        let FileOutcome::List(page) = outcome else { return Err(self.unexpected(&outcome)) };
        Ok(shown_page(&place, page))
    }
}

fn shown_page(place: &ActionPlace, page: FolderPage) -> ShownList {
    let folder = place.path();
    let entry = |entry: FolderEntry| {
        let kind = KindWord::from(entry.facts.kind);
        ShownEntry {
            name: entry.name,
            uri: entry.encoded.map(|encoded| address_beneath(&folder, &encoded)),
            kind,
            size: (kind == KindWord::File).then_some(entry.facts.size),
            modified: Some(time_text(entry.facts.modified)),
            access: None,
        }
    };
    ShownList {
        path: Some(place.text()),
        entries: page.entries.into_iter().map(entry).collect(),
        total: page.total,
        next_cursor: page.next,
    }
}

fn list_text(list: &ShownList) -> String {
    let total = list.total as u64;
    let mut text = match &list.path {
        Some(path) => format!("{path}: {}", counted(total, "entry")),
        None => format!("{} granted", counted(total, "folder")),
    };
    for entry in &list.entries {
        let _ = write!(text, "\n{}{}", entry.name, entry.kind.mark());
        if let Some(size) = entry.size {
            let _ = write!(text, "  {}", counted(size, "byte"));
        }
        if let Some(access) = entry.access {
            let _ = write!(text, "  {access}");
        }
        if let Some(uri) = entry.uri.as_ref().filter(|_| list.path.is_some()) {
            let _ = write!(text, "  {uri}");
        }
    }
    if let Some(cursor) = &list.next_cursor {
        let _ = write!(text, "\n… more: cursor {cursor}");
    }
    text
}

/// Which folder, and how much of what is in it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TreeArguments {
    /// Folder: absolute path, `file:` address, or the name of a granted folder and the way down
    path: String,
    /// How many folders deep; 3 if not given
    #[schemars(range(min = 1, max = 50))]
    depth: Option<u32>,
    /// How many rows at most; 200 if not given
    #[schemars(range(min = 1, max = 5000))]
    limit: Option<u32>,
    /// Also what .gitignore and .ignore files leave out
    #[serde(default)]
    include_ignored: bool,
    /// Also names that begin with a dot
    #[serde(default)]
    include_hidden: bool,
}

/// One row of a tree.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownRow {
    /// How far it is indented; entries of the folder itself have 0
    depth: usize,
    /// Its name in its folder
    name: String,
    /// What it is; a link is not followed
    kind: KindWord,
}

/// A tree as rows: each folder is followed by what is in it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownTree {
    /// Absolute path of the folder
    path: String,
    /// The rows from top to bottom
    rows: Vec<ShownRow>,
    /// Whether there are more rows than the limit
    truncated: bool,
    /// Folders that could not be read
    #[serde(skip_serializing_if = "is_zero")]
    unreadable: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

pub(super) async fn tree(
    arguments: TreeArguments,
    context: Context<PresentedFiles>,
) -> Result<FileReply<ShownTree>, ToolError> {
    let presented = context.state();
    let wish = TreeWish {
        depth: arguments.depth.unwrap_or(DEFAULT_DEPTH) as usize,
        rows: arguments.limit.unwrap_or(DEFAULT_ROWS) as usize,
        ignore_files: match arguments.include_ignored {
            true => IgnoreFiles::Disregard,
            false => IgnoreFiles::Honour,
        },
        dot_files: match arguments.include_hidden {
            true => DotFiles::Include,
            false => DotFiles::Skip,
        },
    };
    let done = presented.perform(&context, &arguments.path, FileOperation::Tree(wish)).await?;
    let FileOutcome::Tree(tree) = done.outcome else {
        return Err(presented.unexpected(&done.outcome));
    };
    let path = done.place.text();
    let FolderTree { rows, cut, unreadable } = tree;
    let mut text = format!("{path}/");
    for row in &rows {
        let mark = KindWord::from(row.kind).mark();
        let _ = write!(text, "\n{}{}{mark}", "  ".repeat(row.depth + 1), row.name);
    }
    if cut {
        let _ = write!(text, "\n… more than {}", counted(rows.len() as u64, "row"));
    }
    let row = |row: hobnob_machine::files::TreeRow| ShownRow {
        depth: row.depth,
        name: row.name,
        kind: row.kind.into(),
    };
    let rows = rows.into_iter().map(row).collect();
    Ok(FileReply::new(text, ShownTree { path, rows, truncated: cut, unreadable }))
}

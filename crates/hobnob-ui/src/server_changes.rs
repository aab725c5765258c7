//! The port through which the owner changes servers on the page: adds, approves and removes them,
//! accepts changed tools, and logs in. The hub implements it.
//!
//! What must stay true: each change names the digest of what the person saw, and the hub makes no
//! change if that is different by now; secrets of entries are masked.

use crate::ports::NotDone;
use hobnob_mcp_engine::BoxFuture;
use serde::{Deserialize, Serialize};

/// What the owner changes about servers. The page has verified that the owner asks.
pub trait ServerChanges: Send + Sync + 'static {
    /// What adding the servers of a pasted text would write.
    fn preview(&self, paste: ServerPaste) -> BoxFuture<'_, Result<PastePreview, NotDone>>;

    /// Adds servers of a pasted text, and returns their names.
    fn add(&self, request: AddServers) -> BoxFuture<'_, Result<Vec<String>, NotDone>>;

    /// The entry of a server, as a removal would remove it.
    fn entry<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<ShownEntry, NotDone>>;

    /// Removes the entry with this digest.
    fn remove<'a>(&'a self, server: &'a str, digest: &'a str)
    -> BoxFuture<'a, Result<(), NotDone>>;

    /// What of a server waits for an approval.
    fn review<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<ServerReview, NotDone>>;

    /// Approves a server, or one of its tools.
    fn approve<'a>(
        &'a self,
        server: &'a str,
        approval: ServerApproval,
    ) -> BoxFuture<'a, Result<(), NotDone>>;

    /// Begins a login, or joins the one under way.
    fn begin_login<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<StartedLogin, NotDone>>;

    /// Waits a while for the end of the login.
    fn login_progress<'a>(
        &'a self,
        server: &'a str,
    ) -> BoxFuture<'a, Result<LoginProgress, NotDone>>;

    /// Ends a login, and says how.
    fn log_out<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<String, NotDone>>;
}

/// A text that a person pasted, to be previewed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerPaste {
    /// The text as pasted.
    pub text: String,
    /// The names that the person chose, in the order of the text; an empty one is not chosen.
    #[serde(default)]
    pub names: Vec<String>,
}

/// What adding the servers of a text would write.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct PastePreview {
    /// Why the text is not understood, and what to paste instead.
    pub problem: Option<String>,
    /// The file to which servers are added.
    pub file: String,
    /// The servers of the text, in its order.
    pub servers: Vec<PreviewedServer>,
}

/// A server that may be added.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct PreviewedServer {
    /// The name under which it would be added.
    pub name: String,
    /// The program and its arguments, or the URL alone.
    pub words: Vec<String>,
    /// Whether `words` is a URL.
    pub is_url: bool,
    /// Variables of a program, or headers of a URL.
    pub pairs: Vec<ShownPair>,
    /// The entry as it would be written, as JSON with masked secrets.
    pub entry: String,
    /// The entry that it would replace, in the same form.
    pub replaces: Option<String>,
    /// Risks, and what the person has to do besides.
    pub warnings: Vec<String>,
    /// Why it cannot be added.
    pub problem: Option<String>,
    /// Stands for the file, the name, the whole entry, and the entry that it would replace.
    pub digest: String,
}

/// A variable or a header.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct ShownPair {
    /// As the program or the server reads it.
    pub name: String,
    /// Its value, if it does not look like a secret.
    pub value: String,
}

/// Which servers of a text are added.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddServers {
    /// The text as pasted.
    pub text: String,
    /// The servers to add.
    pub servers: Vec<WantedServer>,
}

/// A server to add.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WantedServer {
    /// Its place in the text.
    pub at: usize,
    /// The name under which it is added.
    pub name: String,
    /// Whether it may replace the server of that name.
    #[serde(default)]
    pub replace: bool,
    /// The digest of what was shown.
    pub digest: String,
}

/// An entry of a file.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct ShownEntry {
    /// The path of the file that has it.
    pub file: String,
    /// The entry, as JSON with masked secrets.
    pub entry: String,
    /// Other files with an entry of the same name; one of these entries is used after a removal.
    pub also_in: Vec<String>,
    /// The folder in which a copy of the file is kept.
    pub backups: String,
    /// Stands for the file and the whole entry.
    pub digest: String,
}

/// What of a server waits for an approval.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct ServerReview {
    /// The server itself, if it comes from the project and was not approved.
    pub server: Option<ReviewedServer>,
    /// Why it cannot be shown.
    pub problem: Option<String>,
    /// Its tools that are held back.
    pub tools: Vec<ReviewedTool>,
    /// How many more tools wait than `tools` has.
    pub more: usize,
}

/// A server that waits for an approval.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct ReviewedServer {
    /// The file that has its entry.
    pub file: String,
    /// Exactly what would be started or reached.
    pub lines: Vec<String>,
    /// Whether the user's own server of the same name is used until this one is approved.
    pub replaces_yours: bool,
    /// Stands for everything above.
    pub digest: String,
}

/// A tool that waits for an approval.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct ReviewedTool {
    /// Its name at the server.
    pub name: String,
    /// Whether its server was approved without it.
    pub is_new: bool,
    /// The approved definition, if it is known for certain.
    pub before: Option<String>,
    /// The definition as the server gives it now; `None` if it is too long to be shown.
    pub now: Option<String>,
    /// Signs of manipulation in its texts.
    pub suspicions: Vec<String>,
    /// Stands for the server as it is started, the name, and the definition.
    pub digest: String,
}

/// What a person approves, and what they saw of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerApproval {
    /// The tool, if it is for one.
    pub tool: Option<String>,
    /// The digest of what was shown.
    pub digest: String,
}

/// A login that has begun.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct StartedLogin {
    /// The page to visit; `None` if no login is needed any more.
    pub page: Option<String>,
}

/// The state of a login.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum LoginProgress {
    /// No login was begun since the hub started.
    None,
    /// The person has not finished it.
    Waiting,
    /// The person is logged in.
    Done,
    /// It ended without a login.
    Failed {
        /// The reason, in the words of the hub or of a server.
        why: String,
    },
}

//! Each client: its file for the user, its file for a project, and the form of its entries.
//!
//! A new client is a variant here; the compiler finds the other places.

use std::fmt;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::folders::ClientFolders;

/// A client whose configuration Hobnob knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClientProgram {
    /// Claude Code, Anthropic's program for terminals.
    ClaudeCode,
    /// Claude Desktop, Anthropic's application.
    ClaudeDesktop,
    /// The editor of Anysphere.
    Cursor,
    /// Visual Studio Code of Microsoft.
    VsCode,
    /// OpenAI's `codex`, with its extensions for editors.
    Codex,
    /// The editor that Codeium began.
    Windsurf,
    /// The editor of Zed Industries.
    Zed,
    /// Google's program for terminals, `gemini`.
    Gemini,
}

/// Where a client's entry applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientScope {
    /// In every project of this user.
    User,
    /// In one project, for everyone who works on it.
    Project,
}

/// The syntax of a client's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientForm {
    /// JSON in which a comment is an error.
    Json,
    /// JSON in which comments and trailing commas are allowed.
    JsonWithComments,
    /// TOML, with a table for each server.
    Toml,
}

impl ClientProgram {
    /// All clients, in the order in which lists show them.
    pub const ALL: [Self; 8] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Cursor,
        Self::VsCode,
        Self::Codex,
        Self::Windsurf,
        Self::Zed,
        Self::Gemini,
    ];

    /// The file to write an entry to; `None` if the client has none for this scope.
    pub fn file(self, scope: ClientScope, folders: &ClientFolders) -> Option<PathBuf> {
        match scope {
            ClientScope::User => Some(self.user_file(folders)),
            ClientScope::Project => self.project_file(folders),
        }
    }

    fn user_file(self, folders: &ClientFolders) -> PathBuf {
        let ClientFolders { home, applications, zed, codex, claude, .. } = folders;
        match self {
            Self::ClaudeCode => claude.join(".claude.json"),
            Self::ClaudeDesktop => applications.join("Claude").join("claude_desktop_config.json"),
            Self::Cursor => home.join(".cursor").join("mcp.json"),
            Self::VsCode => applications.join("Code").join("User").join("mcp.json"),
            Self::Codex => codex.join("config.toml"),
            Self::Windsurf => home.join(".codeium").join("windsurf").join("mcp_config.json"),
            Self::Zed => zed.join("settings.json"),
            Self::Gemini => home.join(".gemini").join("settings.json"),
        }
    }

    fn project_file(self, folders: &ClientFolders) -> Option<PathBuf> {
        let project = &folders.project;
        match self {
            Self::ClaudeCode => Some(project.join(".mcp.json")),
            Self::Cursor => Some(project.join(".cursor").join("mcp.json")),
            Self::VsCode => Some(project.join(".vscode").join("mcp.json")),
            Self::Codex => Some(project.join(".codex").join("config.toml")),
            Self::Zed => Some(project.join(".zed").join("settings.json")),
            Self::Gemini => Some(project.join(".gemini").join("settings.json")),
            Self::ClaudeDesktop | Self::Windsurf => None,
        }
    }

    /// The syntax of its files.
    pub fn form(self) -> ClientForm {
        match self {
            Self::ClaudeCode | Self::ClaudeDesktop | Self::Windsurf => ClientForm::Json,
            Self::Cursor | Self::VsCode | Self::Zed | Self::Gemini => ClientForm::JsonWithComments,
            Self::Codex => ClientForm::Toml,
        }
    }

    /// The key of the object that holds the servers.
    pub fn servers_key(self) -> &'static str {
        match self {
            Self::ClaudeCode
            | Self::ClaudeDesktop
            | Self::Cursor
            | Self::Windsurf
            | Self::Gemini => "mcpServers",
            Self::VsCode => "servers",
            Self::Codex => "mcp_servers",
            Self::Zed => "context_servers",
        }
    }

    /// The client's name on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Codex => "codex",
            Self::Windsurf => "windsurf",
            Self::Zed => "zed",
            Self::Gemini => "gemini",
        }
    }

    /// Other names for it that the command line accepts.
    pub fn other_words(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &["claude-code"],
            Self::VsCode => &["vs-code", "code"],
            Self::Gemini => &["gemini-cli"],
            Self::ClaudeDesktop | Self::Cursor | Self::Codex | Self::Windsurf | Self::Zed => &[],
        }
    }

    /// The client with this name on the command line.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word || it.other_words().contains(&word))
    }

    /// An entry that starts this program, in the client's form.
    pub fn entry(self, command: &str, args: &[String], env: &[(String, String)]) -> Value {
        let mut entry = Map::new();
        if matches!(self, Self::ClaudeCode | Self::VsCode) {
            entry.insert("type".into(), json!("stdio"));
        }
        entry.insert("command".into(), json!(command));
        entry.insert("args".into(), json!(args));
        if !env.is_empty() {
            let pairs = env.iter().map(|(name, value)| (name.clone(), json!(value)));
            entry.insert("env".into(), Value::Object(pairs.collect()));
        }
        Value::Object(entry)
    }
}

impl fmt::Display for ClientProgram {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::ClaudeDesktop => "Claude Desktop",
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Codex => "Codex",
            Self::Windsurf => "Windsurf",
            Self::Zed => "Zed",
            Self::Gemini => "Gemini CLI",
        })
    }
}

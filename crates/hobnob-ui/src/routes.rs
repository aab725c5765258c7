//! The paths below `/ui`, as values: which there are, their methods, and how long their bodies may
//! be. `page_routes` finds the route of a request here.
//!
//! What must stay true: a path is parsed once, and a path that is not in this table is answered 404.

use crate::assets::Asset;
use http::Method;
use percent_encoding::percent_decode_str;

/// The most bytes of a request's body. Tool calls have arguments; all others have a few fields.
const MAX_BODY: usize = 4 << 10;
const MAX_CALL_BODY: usize = 1 << 20;

/// A text of 64 KiB as JSON, and the names of its servers.
const MAX_PASTE_BODY: usize = 256 << 10;

/// A signed token as JSON; a listener takes tokens of up to 8 KiB.
const MAX_SESSION_BODY: usize = 9 << 10;

/// The longest name of a server.
const MAX_NAME_CHARS: usize = 64;

/// What a path names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PageRoute {
    Asset(Asset),
    Session,
    SessionEnd,
    State,
    Events,
    CancelCall(u64),
    AnswerQuestion(u64),
    Server(Box<str>, ServerAction),
    ServerLog(Box<str>),
    AddServers,
    PreviewServers,
    ServerStep(Box<str>, ServerStep),
    ServerHistory(Box<str>),
    Histories,
    Mcp,
    Recordings,
    StopRecording(u64),
    RecordedMessages(u64),
    RecordedMessage(u64, u64),
    RecordingExport(u64),
    Usage,
    Audit,
    AuditExport,
    Rules,
    RulesAction(RulesAction),
    Health,
}

/// What the owner does with a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerAction {
    Restart,
    Enable,
    Disable,
}

/// What the owner looks at or does to change the settings of a server or to log in to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerStep {
    Entry,
    Remove,
    Review,
    Approve,
    Login,
    Logout,
}

/// What the owner asks or changes about rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RulesAction {
    Decide,
    Preview,
    Add,
    TakeBack,
}

/// Who may use a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RouteUsers {
    /// Every browser: the path shows and changes nothing of the hub.
    Anybody,
    /// The owner and every principal who has signed in; each gets what is theirs.
    Everyone,
    /// The owner of the hub.
    Owner,
}

/// Whether a path belongs to the page.
pub(crate) fn is_of_page(path: &str) -> bool {
    path.strip_prefix("/ui").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl PageRoute {
    /// The route of a path that belongs to the page.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let rest = path.strip_prefix("/ui")?;
        let Some(api) = rest.strip_prefix("/api/") else {
            return match rest {
                "" | "/" => Some(Self::Asset(Asset::Page)),
                "/app.js" => Some(Self::Asset(Asset::Script)),
                "/app.css" => Some(Self::Asset(Asset::Style)),
                "/icon.svg" => Some(Self::Asset(Asset::Icon)),
                "/licenses.txt" => Some(Self::Asset(Asset::Licenses)),
                "/events" => Some(Self::Events),
                _ => None,
            };
        };
        let parts: Vec<&str> = api.splitn(4, '/').collect();
        match parts.as_slice() {
            ["session"] => Some(Self::Session),
            ["session", "end"] => Some(Self::SessionEnd),
            ["state"] => Some(Self::State),
            ["calls", id, "cancel"] => number(id).map(Self::CancelCall),
            ["questions", id] => number(id).map(Self::AnswerQuestion),
            ["servers"] => Some(Self::AddServers),
            ["servers", "preview"] => Some(Self::PreviewServers),
            ["servers", name, "log"] => server_name(name).map(Self::ServerLog),
            ["servers", name, "history"] => server_name(name).map(Self::ServerHistory),
            ["histories"] => Some(Self::Histories),
            ["servers", name, step] if ServerStep::of(step).is_some() => {
                Some(Self::ServerStep(server_name(name)?, ServerStep::of(step)?))
            }
            ["servers", name, action] => {
                let action = match *action {
                    "restart" => ServerAction::Restart,
                    "enable" => ServerAction::Enable,
                    "disable" => ServerAction::Disable,
                    _ => return None,
                };
                Some(Self::Server(server_name(name)?, action))
            }
            ["mcp"] => Some(Self::Mcp),
            ["recordings"] => Some(Self::Recordings),
            ["recordings", id, "stop"] => number(id).map(Self::StopRecording),
            ["recordings", id, "messages"] => number(id).map(Self::RecordedMessages),
            ["recordings", id, "messages", message] => {
                Some(Self::RecordedMessage(number(id)?, number(message)?))
            }
            ["recordings", id, "export"] => number(id).map(Self::RecordingExport),
            ["usage"] => Some(Self::Usage),
            ["audit"] => Some(Self::Audit),
            ["audit", "export"] => Some(Self::AuditExport),
            ["rules"] => Some(Self::Rules),
            ["rules", "decide"] => Some(Self::RulesAction(RulesAction::Decide)),
            ["rules", "preview"] => Some(Self::RulesAction(RulesAction::Preview)),
            ["rules", "add"] => Some(Self::RulesAction(RulesAction::Add)),
            ["rules", "take-back"] => Some(Self::RulesAction(RulesAction::TakeBack)),
            ["health"] => Some(Self::Health),
            _ => None,
        }
    }

    /// The methods of the path, as `Allow` lists them.
    pub(crate) fn allowed(&self) -> &'static str {
        match self {
            Self::Session | Self::Recordings | Self::ServerStep(_, ServerStep::Login) => {
                "GET, POST"
            }
            Self::ServerStep(_, ServerStep::Entry | ServerStep::Review) => "GET",
            Self::ServerStep(..) | Self::AddServers | Self::PreviewServers => "POST",
            Self::SessionEnd
            | Self::CancelCall(_)
            | Self::AnswerQuestion(_)
            | Self::StopRecording(_)
            | Self::Server(..)
            | Self::RulesAction(_)
            | Self::Mcp => "POST",
            Self::Asset(_)
            | Self::State
            | Self::Events
            | Self::ServerLog(_)
            | Self::ServerHistory(_)
            | Self::Histories
            | Self::RecordedMessages(_)
            | Self::RecordedMessage(..)
            | Self::RecordingExport(_)
            | Self::Usage
            | Self::Audit
            | Self::AuditExport
            | Self::Rules
            | Self::Health => "GET",
        }
    }

    /// Who may use the path. A new path has to be added here, and is the owner's unless its answer
    /// is made for each principal.
    pub(crate) fn users(&self) -> RouteUsers {
        match self {
            Self::Asset(_) => RouteUsers::Anybody,
            Self::Session
            | Self::SessionEnd
            | Self::State
            | Self::Events
            | Self::CancelCall(_)
            | Self::Mcp
            | Self::Usage
            | Self::Audit
            | Self::AuditExport
            | Self::Health => RouteUsers::Everyone,
            Self::AnswerQuestion(_)
            | Self::Server(..)
            | Self::ServerLog(_)
            | Self::AddServers
            | Self::PreviewServers
            | Self::ServerStep(..)
            | Self::ServerHistory(_)
            | Self::Histories
            | Self::Recordings
            | Self::StopRecording(_)
            | Self::RecordedMessages(_)
            | Self::RecordedMessage(..)
            | Self::RecordingExport(_)
            | Self::Rules
            | Self::RulesAction(_) => RouteUsers::Owner,
        }
    }

    pub(crate) fn allows(&self, method: &Method) -> bool {
        self.allowed().split(", ").any(|allowed| allowed == method.as_str())
    }

    /// The longest body that a request for the path may have.
    pub(crate) fn max_body(&self) -> usize {
        match self {
            Self::Mcp => MAX_CALL_BODY,
            Self::Session => MAX_SESSION_BODY,
            Self::AddServers | Self::PreviewServers => MAX_PASTE_BODY,
            _ => MAX_BODY,
        }
    }
}

/// The longest body of a request for any path of the page.
pub(crate) fn max_body(path: &str) -> usize {
    PageRoute::of(path).map_or(MAX_BODY, |route| route.max_body())
}

impl ServerStep {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "entry" => Self::Entry,
            "remove" => Self::Remove,
            "review" => Self::Review,
            "approve" => Self::Approve,
            "login" => Self::Login,
            "logout" => Self::Logout,
            _ => return None,
        })
    }
}

fn number(digits: &str) -> Option<u64> {
    // `u64::from_str` would also accept a plus sign.
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

fn server_name(encoded: &str) -> Option<Box<str>> {
    let name = percent_decode_str(encoded).decode_utf8().ok()?;
    let is_short = name.chars().count() <= MAX_NAME_CHARS;
    (!name.is_empty() && is_short).then(|| name.into())
}

//! The method table: every method, which side may send it, and which revisions have it.

use crate::revision::Revision::{self, V2024_11_05, V2025_06_18, V2025_11_25, V2026_07_28};
use std::fmt;

/// Which side sends a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// The client to the server.
    Client,
    /// The server to the client. In the modern era only inside `inputRequests`.
    Server,
    /// Either side may send it to the other.
    Both,
}

/// Whether the sender expects an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// The message has an id and is answered.
    Request,
    /// The message has no id and is never answered.
    Notification,
}

/// The facts about one method: one row of the table.
#[derive(Debug, Clone, Copy)]
pub struct MethodFacts {
    /// Its name on the wire.
    pub name: &'static str,
    /// Which side may send it; a message from the other side is refused.
    pub sender: Sender,
    /// Whether it is answered (a request) or not (a notification).
    pub shape: Shape,
    /// The first revision that has it.
    pub since: Revision,
    /// The last revision that has it.
    pub until: Revision,
}

macro_rules! methods {
    ($($(#[$doc:meta])* $variant:ident $name:literal $sender:ident $shape:ident $since:ident ..= $until:ident;)*) => {
        /// A method the protocol defines.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Method { $(#[doc = $name] $variant,)* }

        impl Method {
            /// Every method of every revision, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Looks up a method by its name on the wire.
            pub fn parse(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }

            /// The method's row of the table.
            pub fn facts(self) -> MethodFacts {
                match self {
                    $(Self::$variant => MethodFacts {
                        name: $name, sender: Sender::$sender, shape: Shape::$shape,
                        since: $since, until: $until,
                    },)*
                }
            }
        }
    };
}

methods! {
    Initialize "initialize" Client Request V2024_11_05..=V2025_11_25;
    Initialized "notifications/initialized" Client Notification V2024_11_05..=V2025_11_25;
    Ping "ping" Both Request V2024_11_05..=V2025_11_25;
    Discover "server/discover" Client Request V2026_07_28..=V2026_07_28;
    ToolsList "tools/list" Client Request V2024_11_05..=V2026_07_28;
    ToolsCall "tools/call" Client Request V2024_11_05..=V2026_07_28;
    ToolsListChanged "notifications/tools/list_changed" Server Notification V2024_11_05..=V2026_07_28;
    ResourcesList "resources/list" Client Request V2024_11_05..=V2026_07_28;
    ResourcesTemplatesList "resources/templates/list" Client Request V2024_11_05..=V2026_07_28;
    ResourcesRead "resources/read" Client Request V2024_11_05..=V2026_07_28;
    ResourcesSubscribe "resources/subscribe" Client Request V2024_11_05..=V2025_11_25;
    ResourcesUnsubscribe "resources/unsubscribe" Client Request V2024_11_05..=V2025_11_25;
    ResourcesListChanged "notifications/resources/list_changed" Server Notification V2024_11_05..=V2026_07_28;
    ResourcesUpdated "notifications/resources/updated" Server Notification V2024_11_05..=V2026_07_28;
    PromptsList "prompts/list" Client Request V2024_11_05..=V2026_07_28;
    PromptsGet "prompts/get" Client Request V2024_11_05..=V2026_07_28;
    PromptsListChanged "notifications/prompts/list_changed" Server Notification V2024_11_05..=V2026_07_28;
    Complete "completion/complete" Client Request V2024_11_05..=V2026_07_28;
    SetLevel "logging/setLevel" Client Request V2024_11_05..=V2025_11_25;
    LogMessage "notifications/message" Server Notification V2024_11_05..=V2026_07_28;
    Cancelled "notifications/cancelled" Both Notification V2024_11_05..=V2026_07_28;
    Progress "notifications/progress" Both Notification V2024_11_05..=V2026_07_28;
    RootsList "roots/list" Server Request V2024_11_05..=V2026_07_28;
    RootsListChanged "notifications/roots/list_changed" Client Notification V2024_11_05..=V2025_11_25;
    CreateMessage "sampling/createMessage" Server Request V2024_11_05..=V2026_07_28;
    Elicit "elicitation/create" Server Request V2025_06_18..=V2026_07_28;
    ElicitationComplete "notifications/elicitation/complete" Server Notification V2025_11_25..=V2025_11_25;
    SubscriptionsListen "subscriptions/listen" Client Request V2026_07_28..=V2026_07_28;
    SubscriptionsAcknowledged "notifications/subscriptions/acknowledged" Server Notification V2026_07_28..=V2026_07_28;
    TasksGet "tasks/get" Both Request V2025_11_25..=V2026_07_28;
    TasksResult "tasks/result" Both Request V2025_11_25..=V2025_11_25;
    TasksList "tasks/list" Both Request V2025_11_25..=V2025_11_25;
    TasksCancel "tasks/cancel" Both Request V2025_11_25..=V2026_07_28;
    TasksUpdate "tasks/update" Client Request V2026_07_28..=V2026_07_28;
    TaskStatus "notifications/tasks/status" Both Notification V2025_11_25..=V2025_11_25;
    TaskChanged "notifications/tasks" Server Notification V2026_07_28..=V2026_07_28;
}

impl Method {
    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        self.facts().name
    }

    /// Whether a client of this revision may send it to a server as a request.
    pub fn is_asked_of_servers(self, revision: Revision) -> bool {
        let facts = self.facts();
        facts.shape == Shape::Request
            && facts.sender != Sender::Server
            && (facts.since..=facts.until).contains(&revision)
    }
}

/// A method name as it arrived: one of ours, or a name to refuse or to pass on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MethodName {
    /// A method of the table, in any revision.
    Known(Method),
    /// Not in the table.
    Other(Box<str>),
}

impl MethodName {
    /// Looks a name up.
    pub fn parse(name: &str) -> Self {
        Method::parse(name).map_or_else(|| Self::Other(name.into()), Self::Known)
    }

    /// The name on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(method) => method.as_str(),
            Self::Other(name) => name,
        }
    }
}

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<Method> for MethodName {
    fn from(method: Method) -> Self {
        Self::Known(method)
    }
}

//! The page of a hub, for the browsers of its owner and of principals: the server behind `/ui`.
//!
//! The modules are listed bottom up: secrets, refusals, answers, the page's files and paths; what the
//! page shows: the ports to the hub, calls, states, events; whose sessions there are, and the guard.
//! `api` answers the requests of a session, `page` holds everything together, and `page_routes` puts
//! it behind a listener. What must stay true: a session has the rights of its holder and no more, and
//! everything the page sends is JSON or its own files.

mod user_sign_in;

mod answers;
mod links;
mod refusal;
mod secret;

mod assets;
mod routes;

mod health;
mod message_recordings;
mod page_change;
mod page_use;
mod ports;
mod rules;
mod server_changes;

mod observed_call;

mod server_calls;

mod feed;
mod server_history;
mod waiting;

mod principal_state;

mod hub_state;

mod session_life;

mod events;

mod principal_page;

mod sessions;

mod guard;

mod page;

mod api;
mod page_routes;

pub use feed::CallFeed;
pub use guard::PageConnection;
pub use health::{
    AdviceHealth, AdviceLevel, AuditHealth, HealthReport, LimitHealth, LimitUnit, ProcessUse,
    ServerProcessHealth, StoreFileHealth,
};
pub use message_recordings::{
    MessageDirection, MessageRecordings, MessageSide, NotStarted, RecordedKind, RecordedMessage,
    RecordingSubject, RecordingSummary, WantedRecording,
};
pub use page::{HubPage, HubPageOptions, PageFacts, RefusalReport, SignInReport};
pub use page_change::PageChange;
pub use page_routes::{PageVisitors, page_routes};
pub use ports::{
    NoUsage, NotDone, PageActions, PageSource, PageSwitch, UsageQuery, ViewAnswer, ViewCalls,
    ViewRequest,
};
pub use refusal::{PageRefusal, RefusedPageRequest};
pub use rules::{
    ApprovalKind, ChangePreview, DecidingPlace, PageRules, RuleAnswer, RuleEffect, RuleQuestion,
    RulesChange, RulesChanged, RulesProblem, RulesReport, ShownApproval, ShownConsent, ShownGrant,
    ShownGroup, ShownLogin, ShownLoginClient, ShownLogins, ShownRule, ShownService, ShownToken,
    ShownUser, TakenBack, ThoughtChange, WantedRule,
};
pub use server_changes::{
    AddServers, LoginProgress, PastePreview, PreviewedServer, ReviewedServer, ReviewedTool,
    ServerApproval, ServerChanges, ServerPaste, ServerReview, ShownEntry, ShownPair, StartedLogin,
    WantedServer,
};
pub use user_sign_in::{UserRefusal, UserSignIn};

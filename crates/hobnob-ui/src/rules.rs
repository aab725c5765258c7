//! What decides which calls may be made, as the page shows it, and what the owner changes about it:
//! rules, grants, tokens, and approvals of servers.
//!
//! The hub implements [`PageRules`]; `api/rules` answers requests with it. What must stay true: a
//! change names the digest of what the person saw, so that nothing else is changed by it.

use hobnob_mcp_engine::BoxFuture;
use serde::{Deserialize, Serialize};

/// Everything that decides about calls. All methods of [`PageRules`] block but `change`.
#[derive(Debug, Default, Serialize)]
pub struct RulesReport {
    /// The file of the settings, which has the rules that can be changed here.
    pub file: String,
    /// Why the rules cannot be shown; the hub then goes on with those it had.
    pub problem: Option<String>,
    /// The digest of the rules and groups of the settings.
    pub digest: String,
    /// The rules of the settings, then those of each profile, each most specific first.
    pub rules: Vec<ShownRule>,
    /// The groups of the settings with their members.
    pub groups: Vec<ShownGroup>,
    /// What each service of the machine was granted.
    pub services: Vec<ShownService>,
    /// Why nothing is granted, if the file of grants is at fault.
    pub grants_problem: Option<String>,
    /// Static tokens of listeners.
    pub tokens: Vec<ShownToken>,
    /// Why no token counts, if their file is at fault.
    pub tokens_problem: Option<String>,
    /// Approved servers of the project, and servers whose tools may change.
    pub approvals: Vec<ShownApproval>,
    /// Why nothing counts as approved, if the file is at fault.
    pub approvals_problem: Option<String>,
    /// From when on the uses of rules are counted, in RFC 3339.
    pub counted_since: String,
    /// Answers of people that hold until the hub restarts.
    pub consents: Vec<ShownConsent>,
    /// Who may log in to this hub, and their logins; `None` for a hub without logins.
    pub logins: Option<ShownLogins>,
}

/// A rule, and what it matches now.
#[derive(Debug, Serialize)]
pub struct ShownRule {
    /// Its number in its file, from 1, as messages name it.
    pub number: usize,
    /// The profile whose rule it is; `None` for a rule of the settings.
    pub profile: Option<String>,
    /// The line of the file in which it begins.
    pub line: Option<usize>,
    /// The rule in one line.
    pub text: String,
    /// The tools it names, such as `shop/*`.
    pub tools: String,
    /// The glob over argument values.
    pub pattern: Option<String>,
    /// The only principal it is about.
    pub principal: Option<String>,
    /// The only group it is about.
    pub group: Option<String>,
    /// `allow`, `ask`, `ask-owner` or `deny`.
    pub action: String,
    /// Known tools that it names: the first of them.
    pub examples: Vec<String>,
    /// How many known tools it names.
    pub matches: usize,
    /// Servers whose tools are not known, and which it may be about.
    pub unlisted: Vec<String>,
    /// How many calls it decided about.
    pub uses: u64,
    /// When it last decided, in RFC 3339.
    pub last_used: Option<String>,
}

/// A group of principals.
#[derive(Debug, Serialize)]
pub struct ShownGroup {
    /// The name by which rules call it.
    pub name: String,
    /// The principals in it.
    pub members: Vec<String>,
}

/// A service of the machine.
#[derive(Debug, Serialize)]
pub struct ShownService {
    /// Its name, or `memory` for the roles in memories that principals share.
    pub name: String,
    /// `disabled`, `read-only` or `read-write`; `None` for memory.
    pub access: Option<String>,
    /// What it was granted.
    pub grants: Vec<ShownGrant>,
}

/// A grant in one line.
#[derive(Debug, Serialize)]
pub struct ShownGrant {
    /// The grant, such as `files /home/me/p write`.
    pub text: String,
    /// What is wrong with its folders now.
    pub problem: Option<String>,
    /// The digest of the grant.
    pub digest: String,
}

/// A static token, without its secret.
#[derive(Debug, Serialize)]
pub struct ShownToken {
    /// The part of the token that is not secret.
    pub id: String,
    /// The name that its maker gave it.
    pub name: String,
    /// The principal of callers with it.
    pub principal: String,
    /// What it may be used for.
    pub scopes: Vec<String>,
    /// The only profile it counts for.
    pub profile: Option<String>,
    /// When it was made.
    pub created: String,
    /// When it ends by itself, if it does.
    pub expires: Option<String>,
    /// When it was used last.
    pub last_used: Option<String>,
    /// The digest of the token's entry.
    pub digest: String,
}

/// What was approved about a server.
#[derive(Debug, Serialize)]
pub struct ShownApproval {
    /// The name of the server.
    pub server: String,
    /// The file that configures it.
    pub file: String,
    /// Whether it may start although the project configures it (`server`), or its tools may change
    /// without an approval (`changes`).
    pub kind: ApprovalKind,
    /// How many of its tools have an approved definition.
    pub pinned: usize,
    /// The digest of what was approved.
    pub digest: String,
}

/// An answer of a person that holds until the hub restarts: calls are not asked about.
#[derive(Debug, Serialize)]
pub struct ShownConsent {
    /// The tool by the name that its caller sees.
    pub tool: String,
    /// The principal whose calls it is about; empty for the owner.
    pub principal: String,
    /// The profile in which it was given; `None` where everything is shown.
    pub profile: Option<String>,
    /// The digest of the answer.
    pub digest: String,
}

/// Who may log in to this hub, and what has logged in.
#[derive(Debug, Default, Serialize)]
pub struct ShownLogins {
    /// The users of the embedded login, in the order of their names.
    pub users: Vec<ShownUser>,
    /// Their open logins, by user.
    pub open: Vec<ShownLogin>,
    /// Why they are not shown, if the store cannot be read.
    pub problem: Option<String>,
}

/// A user of the embedded login.
#[derive(Debug, Serialize)]
pub struct ShownUser {
    /// The name, which is also the principal of the user's calls.
    pub name: String,
    /// `member`, or `admin` for a user who may give clients every scope.
    pub role: String,
    /// The only profiles that the user may reach; none stands for everything.
    pub profiles: Vec<String>,
    /// Whether the user agrees to logins in a terminal only, without a password.
    pub in_terminal: bool,
    /// When the user was added, in RFC 3339.
    pub created: String,
}

/// An open login of a user.
#[derive(Debug, Serialize)]
pub struct ShownLogin {
    /// Names the login, and reveals nothing of its tokens.
    pub id: String,
    /// The user who logged in.
    pub user: String,
    /// The client that has tokens; `None` for a browser that stays logged in.
    pub client: Option<ShownLoginClient>,
    /// When the login ends unless it is used before, in RFC 3339.
    pub ends: String,
}

/// The client of a login.
#[derive(Debug, Serialize)]
pub struct ShownLoginClient {
    /// The name that the client gave itself.
    pub name: String,
    /// The resource that its tokens are for.
    pub resource: String,
    /// The scopes that were granted.
    pub scopes: Vec<String>,
    /// When the user agreed, in RFC 3339.
    pub created: String,
    /// When its tokens were last renewed, in RFC 3339.
    pub renewed: String,
}

/// What an approval is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalKind {
    /// The project's server may start.
    Server,
    /// The server's tools may change and grow.
    Changes,
}

/// A call that a person thinks of.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleQuestion {
    /// `SERVER/TOOL`, or the name of a tool as clients see it.
    pub tool: String,
    /// Who makes it; without one, the owner.
    #[serde(default)]
    pub principal: Option<String>,
    /// The profile through which it is made; without one, none.
    #[serde(default)]
    pub profile: Option<String>,
    /// The arguments, as the text of a JSON object; without them, none.
    #[serde(default)]
    pub arguments: Option<String>,
}

/// What would happen to a call.
#[derive(Debug, Serialize)]
pub struct RuleAnswer {
    /// The tool by the name that clients see.
    pub tool: String,
    /// The tool as rules name it: `SERVER/TOOL`, or the same name.
    pub rules_name: String,
    /// Whether the tool is known; a name of a configured server need not be.
    pub known: bool,
    /// `allow`, `ask`, `ask-owner` or `deny`.
    pub action: String,
    /// Why, in one sentence.
    pub explained: String,
    /// The rule that decides; `None` if a default does.
    pub rule: Option<DecidingPlace>,
    /// The machine service of the tool: what it does also needs one of its grants.
    pub service: Option<String>,
}

/// Where the deciding rule is.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct DecidingPlace {
    /// Its number in its file, from 1.
    pub number: usize,
    /// The profile whose rule it is.
    pub profile: Option<String>,
}

/// A rule that the owner wants to add, in the words of `hobnob allow`, `ask` and `deny`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WantedRule {
    /// `SERVER/TOOL`, `SERVER`, or the name of a tool as clients see it; each may be a glob.
    pub tool: String,
    /// `allow`, `ask`, `ask-owner` or `deny`.
    pub action: String,
    /// The only principal it is about.
    #[serde(default)]
    pub principal: Option<String>,
    /// The only group it is about.
    #[serde(default)]
    pub group: Option<String>,
    /// Whether to write it also if nothing has the name yet.
    #[serde(default)]
    pub future: bool,
    /// The digest of the rules that the person saw.
    pub digest: String,
}

/// A change of the rules that a person thinks of.
#[derive(Debug, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ThoughtChange {
    /// To add this rule.
    Add(WantedRule),
    /// To remove the rule with this number from the settings.
    Remove {
        /// The number, from 1.
        number: usize,
        /// The digest of the rules that the person saw.
        digest: String,
    },
}

/// What a change of the rules would do.
#[derive(Debug, Serialize)]
pub struct ChangePreview {
    /// The rule in one line, as the file has it or would have it.
    pub text: String,
    /// Remarks, such as what the rule does not cover.
    pub notes: Vec<String>,
    /// The known tools whose calls would be decided otherwise: the first of them.
    pub effects: Vec<RuleEffect>,
    /// How many these are.
    pub affected: usize,
}

/// One tool whose calls would be decided otherwise.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct RuleEffect {
    /// The tool by the name that clients see.
    pub tool: String,
    /// What happens to its calls now.
    pub before: String,
    /// What happens to its calls after the change.
    pub after: String,
}

/// What the owner takes back.
#[derive(Debug, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TakenBack {
    /// A rule of the settings, by its number from 1.
    Rule {
        /// The number of the rule in the settings.
        number: usize,
        /// The digest of the rules that the person saw.
        digest: String,
    },
    /// A grant of a service, or a role in memories.
    Grant {
        /// The digest of the grant.
        digest: String,
    },
    /// A static token; requests with it are then refused.
    Token {
        /// The part of the token that is not secret.
        id: String,
        /// The digest of the token's entry.
        digest: String,
    },
    /// An approval of a server.
    Approval {
        /// The name of the server.
        server: String,
        /// Which of the server's approvals it is.
        kind: ApprovalKind,
        /// The digest of what was approved.
        digest: String,
    },
    /// An answer that holds until the hub restarts.
    Consent {
        /// The digest of the answer.
        digest: String,
    },
    /// One login of a user; its tokens are then refused.
    Login {
        /// The id of the login.
        id: String,
    },
    /// Every login of a user.
    Logins {
        /// The name of the user.
        user: String,
    },
}

/// A change that the owner makes.
#[derive(Debug)]
pub enum RulesChange {
    /// A new rule, or another action for one about the same calls.
    Add(WantedRule),
    /// Something that does not count from the next call on.
    TakeBack(TakenBack),
}

/// What a change did.
#[derive(Debug, Default, Serialize)]
pub struct RulesChanged {
    /// What was written or taken back, in one line.
    pub text: String,
    /// Remarks, such as a rule that decides instead.
    pub notes: Vec<String>,
}

/// Why a request about rules is not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RulesProblem {
    /// It changed meanwhile, so the person decided about something else.
    Changed(String),
    /// The request is wrong, and a person can correct it.
    Wrong(String),
    /// It was tried and failed.
    Failed(String),
}

/// What decides about calls, and the owner's changes of it.
pub trait PageRules: Send + Sync + 'static {
    /// Everything that decides. Blocks.
    fn read(&self) -> RulesReport;

    /// What would happen to a call. Blocks.
    ///
    /// # Errors
    /// When there is no such tool, or the rules cannot be used.
    fn decide(&self, question: RuleQuestion) -> Result<RuleAnswer, RulesProblem>;

    /// What a change would do. Blocks.
    ///
    /// # Errors
    /// When the change cannot be made.
    fn preview(&self, change: ThoughtChange) -> Result<ChangePreview, RulesProblem>;

    /// Makes a change, records it first, and applies it.
    fn change(&self, change: RulesChange) -> BoxFuture<'_, Result<RulesChanged, RulesProblem>>;
}

//! Hobnob's own settings, `config.toml`: every key is optional, an unknown key is an error.
//!
//! The binary and the gateway read them at startup and after each change of the file. An invalid
//! file is an error as a whole, so that a running Hobnob keeps the settings it had.
//! `docs/src/settings.md` lists every key; a test compares the two.

use std::collections::BTreeMap;
use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

use crate::disk::read_trusted_text;
use crate::duration::parse_duration;
use crate::glob::{glob_matches, specificity};
use crate::name::ServerName;
use crate::pin::PinMode;
use crate::problem::Problem;
use crate::server_sandbox::ServerSandbox;
use crate::settings_chat::ChatTable;
use crate::settings_limits::LimitSettings;
use crate::settings_listener::ListenerSettings;
use crate::settings_logs::LogSettings;
use crate::settings_memory::{EmbeddingSettings, MemorySettings};
use crate::settings_models::{ModelChoice, ProviderTable};
use crate::settings_registry::RegistrySettings;
use crate::settings_shell::ShellSettings;
use crate::settings_store::StoreSettings;
use crate::settings_telemetry::{MetricsSettings, TraceSettings};
use crate::settings_tools::{SEARCHING_CLIENTS, ToolListing, ToolNameLength, ToolSettings};
use crate::settings_usage::UsageSettings;
use crate::spec::{Isolation, ServerSpec, Start};

/// A larger settings file or profile is refused.
pub(crate) const MAX_SETTINGS_BYTES: u64 = 1024 * 1024;
/// Polling a server more often than this would only load it.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(1000);

/// All settings, with defaults for missing keys.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// `[gateway]`: how upstream servers are started, stopped and listed.
    pub gateway: GatewaySettings,
    /// `[timeouts]`: how long to wait for upstream servers.
    pub timeouts: TimeoutSettings,
    /// `[environment]`: which variables programs inherit.
    pub environment: EnvironmentSettings,
    /// `[confinement]`: how processes are kept from outliving Hobnob.
    pub confinement: ConfinementSettings,
    /// `[audit]`: whether and how long calls are recorded.
    pub audit: AuditSettings,
    /// `[store]`: where the records are.
    pub store: StoreSettings,
    /// `[usage]`: whether and how long calls are counted.
    pub usage: UsageSettings,
    /// `[[permissions]]`, in the order written.
    pub permissions: Vec<RuleText>,
    /// `[groups]`: the principals of each group, for rules.
    pub groups: BTreeMap<String, Vec<String>>,
    /// `[servers.NAME]`: overrides for single upstream servers.
    pub servers: BTreeMap<ServerName, ServerSettings>,
    /// `[tools."GLOB"]`: settings for single tools, by their public names.
    pub tools: BTreeMap<String, ToolSettings>,
    /// `[services]`: built-in services switched on or off by name.
    pub services: BTreeMap<String, bool>,
    /// `[memory]`: the built-in memory.
    pub memory: MemorySettings,
    /// `[embeddings]`: the model that memory searches with.
    pub embeddings: EmbeddingSettings,
    /// `[models]`: the default model.
    pub models: ModelChoice,
    /// `[providers.NAME]`: providers of models, as written.
    pub providers: BTreeMap<String, ProviderTable>,
    /// `[chat]`: how `hobnob chat` asks, and which programs run around it.
    pub chat: ChatTable,
    /// `[logs]`: what callers see of logs.
    pub logs: LogSettings,
    /// `[registry]`: where a registry is if the system has none.
    pub registry: RegistrySettings,
    /// `[shell]`: how much a command may use.
    pub shell: ShellSettings,
    /// `[limits]`: what clients may use, each alone and all together.
    pub limits: LimitSettings,
    /// `[listener]`: who may use `hobnob serve --http`.
    pub listener: ListenerSettings,
    /// `[metrics]`: whether there is a page for Prometheus.
    pub metrics: MetricsSettings,
    /// `[traces]`: the receiver of traces.
    pub traces: TraceSettings,
}

/// How upstream servers are started, stopped and listed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GatewaySettings {
    /// When servers are started.
    pub start: Start,
    /// When an unused server is stopped.
    pub idle_stop: IdleStop,
    /// A result with more bytes is cut, and the rest becomes a resource.
    pub result_cap: usize,
    /// How long the first list waits for servers that have no cached catalogue.
    #[serde(deserialize_with = "duration")]
    pub first_list_wait: Duration,
    /// How many programs are started at the same time; by default two more than there are
    /// processors.
    pub parallel_starts: Option<NonZeroUsize>,
    /// Which changes of a tool's definition hold it back until it is approved.
    pub pins: PinMode,
    /// How often a resource is read for subscribers if its server does not announce changes.
    #[serde(deserialize_with = "poll_interval")]
    pub poll_interval: Duration,
    /// Whether clients get the whole list of tools, or tools to search it with.
    pub tool_search: ToolListing,
    /// The maximum size of a whole list of tools with `tool_search = "auto"`, in tokens, roughly;
    /// no limit if it is 0.
    pub tool_budget: usize,
    /// Names or globs of clients that search long lists themselves and get the whole list.
    pub searching_clients: Vec<String>,
    /// How long names of servers' tools and prompts may be.
    pub tool_names: ToolNameLength,
    /// Whether `hobnob serve` on a pipe shares the servers of a hub that already runs.
    pub attach: bool,
    /// Whether such a pipe leaves first starts to a hub in the background, and how long that hub
    /// stays without a client.
    pub background_hub: BackgroundHub,
}

impl Default for GatewaySettings {
    fn default() -> Self {
        Self {
            start: Start::Lazy,
            idle_stop: IdleStop::After(Duration::from_secs(600)),
            result_cap: 256 * 1024,
            first_list_wait: Duration::from_millis(2500),
            parallel_starts: None,
            pins: PinMode::Strict,
            poll_interval: Duration::from_secs(5),
            tool_search: ToolListing::Auto,
            tool_budget: 10_000,
            searching_clients: SEARCHING_CLIENTS.map(Into::into).into(),
            tool_names: ToolNameLength::Full,
            attach: true,
            background_hub: BackgroundHub::Lingers(Duration::from_secs(45)),
        }
    }
}

/// When an unused server is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdleStop {
    /// `"never"`: it runs as long as Hobnob.
    Never,
    /// `"10m"`: after this long without a call.
    After(Duration),
}

impl<'de> Deserialize<'de> for IdleStop {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "never" => Ok(Self::Never),
            text => parse_duration(text)
                .map(Self::After)
                .map_err(|error| de::Error::custom(format!("{error}, or \"never\""))),
        }
    }
}

/// A hub that outlives the client whose pipe started it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackgroundHub {
    /// `"off"`: there is no such hub.
    Off,
    /// The hub ends this long after its last client and its last first start.
    Lingers(Duration),
}

/// An unused process of Hobnob must not run longer than this.
const MAX_LINGER: Duration = Duration::from_secs(60);

impl<'de> Deserialize<'de> for BackgroundHub {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "off" {
            return Ok(Self::Off);
        }
        let linger = parse_duration(&text)
            .map_err(|error| de::Error::custom(format!("{error}, or \"off\"")))?;
        match linger <= MAX_LINGER {
            true => Ok(Self::Lingers(linger)),
            false => Err(de::Error::custom("it is at most \"60s\", or \"off\"")),
        }
    }
}

/// How long to wait for upstream servers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TimeoutSettings {
    /// For a TCP and TLS connection.
    #[serde(deserialize_with = "positive")]
    pub connect: Duration,
    /// For the answer to the first request, which may come while a package is being fetched.
    #[serde(deserialize_with = "positive")]
    pub handshake: Duration,
    /// For the first answer of a program that may have to be downloaded, as with `npx` and `uvx`.
    #[serde(deserialize_with = "positive")]
    pub install: Duration,
    /// For an answer to a call; progress restarts it.
    #[serde(deserialize_with = "positive")]
    pub call: Duration,
    /// For a call as a whole, even with progress.
    #[serde(deserialize_with = "positive")]
    pub call_max: Duration,
}

impl Default for TimeoutSettings {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            handshake: Duration::from_secs(30),
            install: Duration::from_secs(300),
            call: Duration::from_secs(60),
            call_max: Duration::from_secs(15 * 60),
        }
    }
}

/// The environment that servers inherit from Hobnob.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EnvironmentSettings {
    /// Names or globs of variables that are passed on besides the usual few.
    pub pass: Vec<String>,
}

/// How servers are kept from outliving Hobnob.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConfinementSettings {
    /// The default for servers without a setting of their own.
    pub level: ConfinementLevel,
}

/// How Hobnob makes a server's processes end with it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConfinementLevel {
    /// The strongest level that this machine supports.
    #[default]
    Auto,
    /// A namespace of process ids.
    Namespace,
    /// A supervisor that adopts orphans.
    Subreaper,
    /// A process group; a process with its own session may survive.
    Group,
}

/// Whether the audit log is written, and how much of it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AuditSettings {
    /// Whether the log is written.
    pub enabled: bool,
    /// How long records are kept, as long as `max_bytes` allows.
    #[serde(deserialize_with = "positive")]
    pub keep: Duration,
    /// The maximum size of all files with records of calls together, in bytes.
    pub max_bytes: NonZeroU64,
    /// How long people's decisions are kept; absent means for ever. Their size does not matter.
    #[serde(deserialize_with = "optional_positive")]
    pub keep_decisions: Option<Duration>,
    /// What happens to calls whose record cannot be written.
    pub mode: RecordingMode,
}

/// What happens to a call whose record cannot be written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordingMode {
    /// The call goes on, and the log later says how many records are missing.
    #[default]
    BestEffort,
    /// The call is refused.
    Strict,
}

impl Default for AuditSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            keep: Duration::from_secs(90 * 24 * 60 * 60),
            max_bytes: NonZeroU64::MIN.saturating_add((256 << 20) - 1),
            keep_decisions: None,
            mode: RecordingMode::BestEffort,
        }
    }
}

/// A permission rule as written; the policy gives it its meaning.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleText {
    /// The only principal whose calls it is about.
    pub principal: Option<String>,
    /// The only group whose members' calls it is about.
    pub group: Option<String>,
    /// Name or glob of servers; `tool` is then about their own names of tools.
    pub server: Option<String>,
    /// Name or glob of tools; may be missing beside a server.
    pub tool: Option<String>,
    /// A glob over the strings in the arguments.
    pub pattern: Option<String>,
    /// `allow`, `ask`, `ask-owner` or `deny`.
    #[serde(deserialize_with = "action")]
    pub action: String,
}

/// The rule in one line, such as `files/write_file /home/me/** allow`.
impl fmt::Display for RuleText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tool = self.tool.as_deref().unwrap_or("*");
        match &self.server {
            Some(server) => write!(out, "{server}/{tool} ")?,
            None => write!(out, "{tool} ")?,
        }
        if let Some(pattern) = &self.pattern {
            write!(out, "{pattern} ")?;
        }
        out.write_str(&self.action)?;
        match (&self.principal, &self.group) {
            (Some(principal), _) => write!(out, " for {principal}"),
            (None, Some(group)) => write!(out, " for group {group}"),
            (None, None) => Ok(()),
        }
    }
}

/// What `[servers.NAME]` says about one server, besides its entry in `.mcp.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerSettings {
    /// When it is started.
    pub start: Option<Start>,
    /// When it is stopped.
    pub idle_stop: Option<IdleStop>,
    /// How it is confined.
    pub confinement: Option<ConfinementLevel>,
    /// How long a call may take.
    #[serde(deserialize_with = "optional_positive")]
    pub call: Option<Duration>,
    /// How often it is polled.
    #[serde(deserialize_with = "optional_poll_interval")]
    pub poll_interval: Option<Duration>,
    /// Which changes of its tools' definitions hold them back.
    pub pins: Option<PinMode>,
    /// Who shares its process.
    pub isolation: Option<Isolation>,
    /// The sandbox of its program.
    pub sandbox: Option<ServerSandbox>,
    /// Whether its tools are listed even if clients have to search for the others.
    pub always: bool,
    /// Whether its messages are traced in the log.
    pub trace: bool,
}

/// The settings of one server after all sources are merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveServer {
    /// When it is started.
    pub start: Start,
    /// When it is stopped.
    pub idle_stop: IdleStop,
    /// How it is confined.
    pub confinement: ConfinementLevel,
    /// How long a call may wait for an answer or progress.
    pub call: Duration,
    /// How long a call may take in all; never less than `call`.
    pub call_max: Duration,
    /// How often it is polled.
    pub poll_interval: Duration,
    /// Which changes of its tools' definitions hold them back.
    pub pins: PinMode,
    /// Who shares its process.
    pub isolation: Isolation,
    /// The sandbox of its program, if it has one.
    pub sandbox: Option<ServerSandbox>,
    /// Whether its messages are traced in the log.
    pub trace: bool,
}

impl Settings {
    /// Reads the file; without one, all settings have their defaults.
    pub fn load(file: &Path) -> Result<Self, Problem> {
        match read_trusted_text(file, MAX_SETTINGS_BYTES)? {
            Some(text) => Self::parse(file, &text),
            None => Ok(Self::default()),
        }
    }

    /// Parses the text of a file.
    pub fn parse(file: &Path, text: &str) -> Result<Self, Problem> {
        toml::from_str(text).map_err(|error| Problem::of_toml(file, text, &error))
    }

    /// Merges the settings of a server: `[servers.NAME]` wins over its entry, and the entry wins
    /// over the general settings.
    pub fn for_server(&self, name: &ServerName, spec: &ServerSpec) -> EffectiveServer {
        let unnamed = ServerSettings::default();
        let named = self.servers.get(name).unwrap_or(&unnamed);
        let call = named.call.or(spec.timeout).unwrap_or(self.timeouts.call);
        EffectiveServer {
            start: named.start.or(spec.start).unwrap_or(self.gateway.start),
            idle_stop: named.idle_stop.unwrap_or(self.gateway.idle_stop),
            confinement: named.confinement.unwrap_or(self.confinement.level),
            call,
            call_max: self.timeouts.call_max.max(call),
            poll_interval: named.poll_interval.unwrap_or(self.gateway.poll_interval),
            pins: named.pins.unwrap_or(self.gateway.pins),
            isolation: named.isolation.or(spec.isolation).unwrap_or_default(),
            sandbox: spec
                .is_program()
                .then(|| named.sandbox.as_ref().or(spec.sandbox.as_ref()))
                .flatten()
                .cloned(),
            trace: named.trace,
        }
    }
}

impl Settings {
    /// Whether a tool is listed even if clients have to search for others: the setting of the most
    /// specific `[tools."GLOB"]` that matches its public name, or else of its server. Built-ins
    /// have no server.
    pub fn keeps_listed(&self, server: Option<&str>, public: &str) -> bool {
        let fits = self.tools.iter().filter(|(glob, _)| glob_matches(glob, public));
        let row = fits.max_by_key(|(glob, _)| specificity(glob)).map(|(_, row)| row.always);
        let of_server = || {
            let named = self.servers.iter().find(|(name, _)| Some(name.as_str()) == server);
            named.is_some_and(|(_, settings)| settings.always)
        };
        row.unwrap_or_else(of_server)
    }
}

fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    parse_duration(&String::deserialize(deserializer)?).map_err(de::Error::custom)
}

fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let length = duration(deserializer)?;
    if length.is_zero() {
        return Err(de::Error::custom("must not be zero: omit it to use the default"));
    }
    Ok(length)
}

fn optional_positive<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Duration>, D::Error> {
    positive(deserializer).map(Some)
}

fn poll_interval<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let length = duration(deserializer)?;
    if length < MIN_POLL_INTERVAL {
        return Err(de::Error::custom("too short: the shortest interval is \"1s\""));
    }
    Ok(length)
}

fn optional_poll_interval<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Duration>, D::Error> {
    poll_interval(deserializer).map(Some)
}

fn action<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let action = String::deserialize(deserializer)?;
    if !["allow", "deny", "ask", "ask-owner"].contains(&action.as_str()) {
        return Err(de::Error::custom(
            "not an action: write \"allow\", \"deny\", \"ask\" or \"ask-owner\"",
        ));
    }
    Ok(action)
}

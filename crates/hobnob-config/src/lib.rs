//! Settings of Hobnob: what its user wrote, checked, merged and compared.
//!
//! The gateway and the binary use it. It reads and writes files, starts no processes, and knows no
//! async runtime. It parses text from files into checked values once.

mod digest;
mod disk;
mod duration;
mod glob;
mod json;
mod problem;

mod places;
mod project_files;

mod conceal;
mod entry;
mod expand;
mod mcp_json;
mod name;
mod oauth;
mod own_program;
mod prepare;
mod printable;
mod reload;
mod server_sandbox;
mod servers;
mod spec;
mod store_location;
mod typed_entry;

mod profile;
mod settings;
mod settings_chat;
mod settings_limits;
mod settings_listener;
mod settings_logs;
mod settings_memory;
mod settings_models;
mod settings_registry;
mod settings_shell;
mod settings_store;
mod settings_telemetry;
mod settings_tools;
mod settings_usage;

mod approvals;
mod catalogue_cache;
mod definitions;
mod grant_entries;
mod grants_file;
mod pin;
mod tokens_file;

pub mod clients;
pub mod connect;
mod edit;
mod edit_json;
mod edit_toml;
mod group_edit;
pub mod import;
pub mod paste;
mod rule_edit;
mod sandbox_edit;
mod service_file;
mod setting_edit;
mod setting_keys;

pub use approvals::{Approvals, Broken, SaveError, ServerKey};
pub use catalogue_cache::{CatalogueCache, StateFileError};
pub use definitions::AcceptedDefinitions;
pub use digest::{BadDigest, Digest};
pub use duration::{BadDuration, parse_duration};
pub use edit::{
    Backup, EditError, Edited, Existing, add_server, remove_server, replace_file, servers_in,
    switch_server,
};
pub use edit_toml::toml_string;
pub use entry::{SpecProblem, Switch, check_entry};
pub use expand::{Lookup, Secret, Unset, expand, process_environment};
pub use glob::glob_matches;
pub use grant_entries::{
    AgentGrantEntry, CommandGrantEntry, FileGrantEntry, GrantEntries, GrantedFolderEntry,
    GrantedLogEntry, KeyGrantEntry, LogGrantEntry, MemoryRoleEntry,
};
pub use grants_file::{BrokenGrants, GrantChange, GrantChangeError, GrantsFile};
pub use group_edit::groups_of;
pub use mcp_json::{parse_mcp_json, read_mcp_json};
pub use name::{BadServerName, ServerName};
pub use oauth::{IdentityProvider, OAuthGrant, OAuthResource, OAuthSpec};
pub use own_program::{OwnProgram, STARTS_OURSELVES};
pub use pin::{Pin, PinMode, Pins};
pub use places::{NoHome, Overrides, Places};
pub use problem::{Cause, Position, Problem};
pub use profile::{
    EntryOverride, ErrorCodes, ErrorPresentation, MemoryPresentation, NativeCallAccess, Profile,
    ProfileDialect, ProfileError, ProfileEventIds, ProfileHandshake, ProfileName, ProfileProgress,
    ResourceOverride, ResultPresentation, SHIPPED, ServerPresentation, ToolNameForm, list_profiles,
    load_profile,
};
pub use reload::{ChangeKind, Fingerprint, ServerChange, compare};
pub use rule_edit::{RuleChange, RulePlan, rule_lines};
pub use sandbox_edit::SandboxText;
pub use server_sandbox::{AcceptedSandbox, ServerSandbox};
pub use servers::{ConfiguredServer, Origin, PROJECT_VARIABLE, Servers, prepare_own};
pub use service_file::{ServiceCommand, ServiceFile, ServiceSystem};
pub use setting_edit::{SettingEditError, SettingPlan};
pub use setting_keys::{
    SettingLine, default_settings, has_chosen_name, known_settings, plain_value, written_settings,
};
pub use settings::{
    AuditSettings, BackgroundHub, ConfinementLevel, ConfinementSettings, EffectiveServer,
    EnvironmentSettings, GatewaySettings, IdleStop, RecordingMode, RuleText, ServerSettings,
    Settings, TimeoutSettings,
};
pub use settings_chat::{ChatHooks, ChatMemory, ChatTable};
pub use settings_limits::LimitSettings;
pub use settings_listener::{IssuerSettings, ListenerMode, ListenerSettings, TlsSettings};
pub use settings_logs::LogSettings;
pub use settings_memory::{
    EmbeddingProvider, EmbeddingSettings, IntentChoice, MemorySettings, SecretsChoice,
};
pub use settings_models::{ModelChoice, ProviderTable};
pub use settings_registry::RegistrySettings;
pub use settings_shell::ShellSettings;
pub use settings_store::{SecretUrl, StoreSettings, shown_url};
pub use settings_telemetry::{MetricsSettings, TraceSettings};
pub use settings_tools::{ToolListing, ToolNameLength, ToolSettings};
pub use settings_usage::UsageSettings;
pub use spec::{HttpKind, Isolation, ServerSpec, Start, Target, ToolFilter};
pub use store_location::StoreLocation;
pub use tokens_file::{TokenEntry, TokensFile, TokensFileError};
pub use typed_entry::TypedEntry;

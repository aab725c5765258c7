//! The built-in services of this process: registered, opened, shown in views, and kept in step with
//! what other processes write.
//!
//! To add a service, write it in `hobnob-services` and add its row to `registry.rs`.

mod models;

mod context;
mod programs;
mod task_store;

#[cfg(target_os = "linux")]
mod agents;
mod arbor;
mod cone;
#[cfg(target_os = "linux")]
mod files;
mod logs;
mod memory;
mod registry;
#[cfg(target_os = "linux")]
mod shell;
mod tasks;
mod windows_registry;

mod embedding;
mod everyday;
mod open;
mod tool_model;
mod tool_vector_file;
mod view_tools;

mod events;
mod notifier;

mod grant_follower;
mod stored_kits;
mod view_subscribers;

pub use cone::conversation_scanner;
pub use embedding::embed_now;
pub(crate) use events::ServiceInterest;
pub(crate) use everyday::everyday_tools;
pub(crate) use grant_follower::GrantFollower;
pub use logs::{anonymiser_of_person, log_reader};
pub use memory::{embedder, embedding_models};
pub use models::{open_models, open_providers};
pub(crate) use notifier::StoreNotifier;
pub(crate) use open::Services;
pub use registry::{KnownService, SERVICES, built_in_tools, profile_services, service_names};
pub(crate) use stored_kits::StoredKits;
pub use tool_model::tool_model;
pub(crate) use view_subscribers::{ViewSubscriber, ViewSubscribers};
pub(crate) use view_tools::GatewayTools;

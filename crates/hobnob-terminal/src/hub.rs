//! The hub: how a command reaches all servers of the user.
//!
//! Commands open it with `with_hub`. It connects to a running `hobnob serve` if there is one, else
//! to a gateway in this process that ends with the command; commands see no difference.

mod failure;
mod find;
mod lists;
mod names;
mod native;
mod reach;
mod remedy;
mod status;
mod updated_resources;

pub use failure::{code_of_refusal, failed, listing_failed};
pub use find::FoundEntry;
pub use lists::{HubEntry, HubLists, server_filter};
pub use names::{check_server, no_server};
pub use native::NativeClient;
pub use reach::{Hub, HubEvents, NO_REUSE, Needs, Reached};
pub use status::ServerStatus;
pub use updated_resources::UpdatedResources;

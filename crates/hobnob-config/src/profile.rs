//! Profiles: small TOML files that define what one kind of client sees.
//!
//! The binary loads them; the gateway and the services present themselves accordingly. The user's
//! own files take precedence over those that ship with Hobnob.

mod name;

mod presentation;
mod rows;

mod definition;

mod check;
mod key_position;
mod parse;

mod load;

pub use definition::Profile;
pub use load::{SHIPPED, list_profiles, load_profile};
pub use name::{ProfileError, ProfileName};
pub use presentation::{
    ErrorCodes, ErrorPresentation, MemoryPresentation, NativeCallAccess, ProfileDialect,
    ProfileEventIds, ProfileHandshake, ProfileProgress, ResultPresentation, ServerPresentation,
    ToolNameForm,
};
pub use rows::{EntryOverride, ResourceOverride};

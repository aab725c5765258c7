//! Profiles: small TOML files that say what one kind of client sees.
//!
//! The user's own come first, then those that ship with the product.

mod name;

mod face;
mod rows;

mod check;
mod place;

mod file;
mod load;

pub use face::{ErrorCodes, ErrorFace, MemoryFace, ServerFace};
pub use file::Profile;
pub use load::{SHIPPED, list_profiles, load_profile};
pub use name::{ProfileError, ProfileName};
pub use rows::{EntryOverride, ResourceOverride};

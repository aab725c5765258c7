//! Providers and models as users write them, and the checks that turn them into options.
//!
//! Each file has one kind of setting with its check. What must stay true: a check reports every
//! problem with its place in the settings, not only the first one.

mod key;
mod model;
mod problem;
mod provider;

#[cfg(test)]
mod tests;

pub use key::{KeySettings, KeyringSettings};
pub use model::{LongPromptSettings, ModelSettings, PriceSettings};
pub use problem::SettingProblem;
pub use provider::ProviderSettings;

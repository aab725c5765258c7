//! Providers and models as users write them, and the way from there to checked values.
//!
//! Each file has one kind of setting with its check. What must stay true: every problem is reported,
//! with the place it is at, and none is passed over.

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

//! Providers over HTTP: what the settings amount to, one try, the tries of one request, the provider.

mod options;

mod delivery;
mod failure;
mod refusal;

mod attempt;

mod exchange;
mod probe;
mod provider;

pub use options::{ProviderLimits, ProviderOptions, ProviderTimeouts};
pub use probe::ProviderProbe;
pub use provider::HttpProvider;

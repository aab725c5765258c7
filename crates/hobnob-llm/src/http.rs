//! Providers over HTTP: options, one attempt, the exchange with retries, the probe, the provider.

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

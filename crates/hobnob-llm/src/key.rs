//! Keys of providers: the secret itself, where it comes from, and the programs it is asked from.

mod program;
mod secret;
mod source;

#[cfg(test)]
mod tests;

pub use secret::ProviderKey;
pub use source::KeySource;

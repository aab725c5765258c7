//! Keys of providers: the secret itself, its sources, and the programs that print it.

mod program;
mod secret;
mod source;

#[cfg(test)]
mod tests;

pub use secret::ProviderKey;
pub use source::KeySource;

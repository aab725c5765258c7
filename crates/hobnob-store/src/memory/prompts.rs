//! The port of the user's own prompts: texts with variables, stored by name.
//!
//! Names belong to an owner; nobody finds another owner's prompts.

use crate::StoreFuture;
use crate::error::StoreError;
use crate::owner::Owner;
use crate::time::Time;

/// A prompt somebody stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPrompt {
    /// Who stored it; nobody else finds it.
    pub owner: Owner,
    /// 1 to 64 of `[a-z0-9_-]`; one owner has each name once.
    pub name: String,
    /// For people and models.
    pub description: Option<String>,
    /// The text, with `{{variable}}` in it.
    pub template: String,
    /// When it last changed.
    pub updated: Time,
}

/// The user's own prompts.
pub trait PromptRepository: Send + Sync + 'static {
    /// Stores one, in place of the owner's old one of that name.
    fn save(&self, prompt: StoredPrompt) -> StoreFuture<'_, Result<(), StoreError>>;

    /// Looks one of an owner's prompts up by name.
    fn find(
        &self,
        owner: Owner,
        name: String,
    ) -> StoreFuture<'_, Result<Option<StoredPrompt>, StoreError>>;

    /// All of an owner, by name.
    fn all(&self, owner: Owner) -> StoreFuture<'_, Result<Vec<StoredPrompt>, StoreError>>;

    /// Removes one; whether it was there.
    fn remove(&self, owner: Owner, name: String) -> StoreFuture<'_, Result<bool, StoreError>>;
}

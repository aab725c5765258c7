//! The repository trait of stored prompts: a user's own prompt templates, by name.
//!
//! Names belong to an owner; a lookup never finds another owner's prompts.

use crate::StoreFuture;
use crate::error::StoreError;
use crate::owner::Owner;
use crate::time::Time;

/// A prompt that a user stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPrompt {
    /// The user who stored it, and the only one who can find it.
    pub owner: Owner,
    /// 1 to 64 of `[a-z0-9_-]`, unique per owner.
    pub name: String,
    /// A description for people and models.
    pub description: Option<String>,
    /// The text, with `{{variable}}` placeholders.
    pub template: String,
    /// When it last changed.
    pub updated: Time,
}

/// Stores the prompts of each owner.
pub trait PromptRepository: Send + Sync + 'static {
    /// Inserts a prompt, or replaces the owner's prompt of that name.
    fn save(&self, prompt: StoredPrompt) -> StoreFuture<'_, Result<(), StoreError>>;

    /// Looks up one of an owner's prompts by name.
    fn find(
        &self,
        owner: Owner,
        name: String,
    ) -> StoreFuture<'_, Result<Option<StoredPrompt>, StoreError>>;

    /// All prompts of an owner, sorted by name.
    fn all(&self, owner: Owner) -> StoreFuture<'_, Result<Vec<StoredPrompt>, StoreError>>;

    /// Removes a prompt, and returns whether it existed.
    fn remove(&self, owner: Owner, name: String) -> StoreFuture<'_, Result<bool, StoreError>>;
}

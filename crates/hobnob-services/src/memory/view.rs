//! The presentation of a view together with this service's errors: every refusal of a memory tool
//! is worded here, or by the check that fails.
//!
//! Each group of tools holds one.

use super::grammar::parse_filter;
use super::org_roles::command_for;
use super::settings::NAME;
use crate::presentation::{Failure, Presentation};
use hobnob_mcp_toolbox::ToolError;
use hobnob_store::Owner;
use hobnob_store::memory::{
    MemoryAccess, MemoryError, MemoryFilter, MemoryId, MemoryScope, MissingRole, WritableScope,
};
use hobnob_text::escaped_start;
use std::ops::Deref;
use std::sync::Arc;

/// How one view presents memories. Cheap to clone.
#[derive(Clone)]
pub(super) struct MemoryView(Arc<Presentation>);

impl Deref for MemoryView {
    type Target = Presentation;

    fn deref(&self) -> &Presentation {
        &self.0
    }
}

impl MemoryView {
    pub(super) fn new(presentation: &Presentation) -> Self {
        Self(Arc::new(presentation.clone()))
    }

    /// The scheme of the URIs of memories.
    pub(super) fn scheme(&self) -> &str {
        self.uri_scheme(NAME)
    }

    /// Parses an id, or the id in a URN.
    pub(super) fn id(&self, raw: &str) -> Result<MemoryId, ToolError> {
        let last = raw.rsplit('/').next().unwrap_or(raw);
        MemoryId::parse(last).ok_or_else(|| self.not_found(raw))
    }

    /// Parses the caller's filter.
    pub(super) fn filter(
        &self,
        text: Option<&str>,
        access: &MemoryAccess,
    ) -> Result<MemoryFilter, ToolError> {
        parse_filter(text.unwrap_or_default(), access.now)
            .map_err(|bad| self.fail(Failure::Invalid, bad.to_string()))
    }

    /// Checks that the caller may write to a scope.
    pub(super) fn writable(
        &self,
        scope: MemoryScope,
        access: &MemoryAccess,
    ) -> Result<WritableScope, ToolError> {
        let checked = WritableScope::new(scope, access.org);
        checked.map_err(|missing| self.without_role(missing, &access.owner))
    }

    /// A result of the store, with its error as the caller sees it.
    pub(super) fn result<T>(
        &self,
        result: Result<T, impl Into<MemoryError>>,
    ) -> Result<T, ToolError> {
        result.map_err(|error| self.refused(error.into()))
    }

    /// The same for a change, which may need a role.
    pub(super) fn changed<T>(
        &self,
        changed: Result<T, MemoryError>,
        owner: &Owner,
    ) -> Result<T, ToolError> {
        changed.map_err(|error| match error {
            MemoryError::Role(missing) => self.without_role(missing, owner),
            error => self.refused(error),
        })
    }

    fn refused(&self, error: MemoryError) -> ToolError {
        let message = error.to_string();
        match error {
            MemoryError::NotFound(id) => self.not_found(id.as_str()),
            MemoryError::Store(error) => self.fail(Failure::Storage, error.to_string()),
            _ => self.fail(Failure::Invalid, message),
        }
    }

    pub(super) fn not_found(&self, raw: &str) -> ToolError {
        self.fail(Failure::NotFound, format!("Memory not found: {}", shown(raw)))
    }

    /// The error for a missing role, with the command with which a person can grant it.
    fn without_role(&self, missing: MissingRole, owner: &Owner) -> ToolError {
        let command = command_for(missing.needed, owner.as_str());
        let message =
            format!("{missing}; the person who runs this hub can grant it with: {command}");
        self.fail(Failure::NotGranted, message)
    }
}

/// The beginning of a caller's text, escaped for a message.
pub(super) fn shown(text: &str) -> String {
    escaped_start(text, 100)
}

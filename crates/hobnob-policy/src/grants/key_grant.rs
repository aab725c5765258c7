//! Grants of registry keys, and the decision about one operation on a key.

use std::sync::Arc;

use crate::grants::access::{MachineService, ServiceAccess};
use crate::grants::action::KeyAction;
use crate::grants::denied::{NotGranted, NotGrantedReason, for_option, shell_word};
use crate::grants::file_root::RootAccess;
use crate::grants::granted::GrantedAction;
use crate::grants::registry_key::{KeyView, RegistryKey};
use crate::grants::registry_value::KeyOperation;
use crate::grants::service_gate::{needs_enabling, refuse_remote};
use crate::grants::source::KeyGrantSource;
use crate::grants::subject::{GrantHolder, GrantSubject};

/// An operation on a registry that a caller asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyWish {
    /// The key, with the short or the long name of its hive.
    pub key: String,
    /// Which view of the registry.
    pub view: KeyView,
    /// The operation at that key.
    pub operation: KeyOperation,
}

/// A key that the service `registry` may work on, with all keys below it.
#[derive(Debug, Clone)]
pub(super) struct KeyGrant {
    key: RegistryKey,
    access: RootAccess,
    views: GrantedViews,
    holder: GrantHolder,
    text: Arc<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GrantedViews {
    Both,
    Only(KeyView),
}

impl KeyGrant {
    pub(super) fn parse(source: &KeyGrantSource) -> Result<Self, String> {
        let key = RegistryKey::parse(&source.key).map_err(|problem| problem.to_string())?;
        let access = RootAccess::parse(&source.access)?;
        let (views, shown) = match source.view.as_deref() {
            None => (GrantedViews::Both, ""),
            Some("32") => (GrantedViews::Only(KeyView::Bits32), " 32"),
            Some("64") => (GrantedViews::Only(KeyView::Bits64), " 64"),
            Some(word) => return Err(format!("`{word}` is no view: write `32` or `64`")),
        };
        let holder = GrantHolder::parse(source.principal.as_deref())?;
        let text = format!("registry {key} {}{shown}{}", access.as_str(), holder.suffix());
        Ok(Self { key, access, views, holder, text: text.into() })
    }

    pub(super) fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The native view may be either one, so only a grant of both views covers it.
    fn covers(&self, key: &RegistryKey, view: KeyView) -> bool {
        let in_view = match self.views {
            GrantedViews::Both => true,
            GrantedViews::Only(only) => only == view,
        };
        in_view && key.is_within(&self.key)
    }
}

/// Decides about one operation.
pub(super) fn decide(
    grants: &[KeyGrant],
    access: ServiceAccess,
    who: GrantSubject<'_>,
    wish: KeyWish,
) -> Result<GrantedAction<KeyAction>, NotGranted> {
    let KeyWish { key: text, view, operation } = wish;
    refuse_remote(who, &text)?;
    let key = RegistryKey::parse(&text).map_err(|problem| NotGranted::bad_input(&text, problem))?;
    if let Some(problem) = operation.problem() {
        return Err(NotGranted::bad_input(&text, problem));
    }
    if key.is_hive() && operation == KeyOperation::DeleteKey {
        return Err(NotGranted::new(&text, NotGrantedReason::GrantedItself));
    }
    let needed = operation.needed_access();
    let applies = |it: &&KeyGrant| it.holder.includes(who) && it.covers(&key, view);
    let covering: Vec<&KeyGrant> = grants.iter().filter(applies).collect();
    let grant = covering.iter().find(|it| needed <= it.access);
    let enable = needs_enabling(MachineService::Registry, access, needed);
    if let (Some(grant), None) = (grant, &enable) {
        return Ok(GrantedAction::new(KeyAction { key, view, operation }, &grant.text));
    }
    let mut denied = match (enable, covering.is_empty()) {
        (Some((reason, line)), _) => NotGranted::new(&text, reason).with_command(line),
        (None, true) => NotGranted::new(&text, NotGrantedReason::NotCovered),
        (None, false) => NotGranted::new(&text, NotGrantedReason::ReadingOnly),
    };
    if grant.is_none() {
        denied = denied.with_command(line_for(&key, needed, who));
    }
    Err(denied)
}

fn line_for(key: &RegistryKey, needed: RootAccess, who: GrantSubject<'_>) -> String {
    let word = shell_word(&key.to_string()).unwrap_or_else(|| "KEY".into());
    let option = match needed {
        RootAccess::Read => "",
        RootAccess::Write => " --write",
    };
    format!("hobnob grant registry {word}{option}{}", for_option(who))
}

//! The answers of people that hold until the hub restarts, in all views: listed, and withdrawn one
//! by one.
//!
//! `OwnerControls` calls it. What must stay true: a withdrawn answer does not permit the next call,
//! and only the one that was shown is withdrawn.

use crate::view::View;
use crate::view::open_views::OpenViews;
use hobnob_config::Digest;
use hobnob_policy::ConsentKey;
use hobnob_text::hex;
use std::sync::Arc;

/// An answer "until the hub restarts": calls of the tool by this principal are not asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastingConsent {
    /// The profile in which it was given; `None` where everything is shown.
    pub profile: Option<String>,
    /// The principal whose person answered; empty for the owner.
    pub principal: String,
    /// The tool by the name that its caller sees.
    pub tool: String,
    /// The digest of all that it says, and of the tool's definition.
    pub digest: Digest,
}

/// The answers that hold, view by view, the oldest of each first.
pub(super) fn list(views: &OpenViews) -> Vec<LastingConsent> {
    let all = views.all();
    all.iter().flat_map(|view| entries(view).map(|(shown, _)| shown)).collect()
}

/// Withdraws the answer with this digest; `None` if it does not hold any more.
pub(super) fn withdraw(views: &OpenViews, digest: Digest) -> Option<LastingConsent> {
    views.all().iter().find_map(|view| {
        let (shown, key) = entries(view).find(|(shown, _)| shown.digest == digest)?;
        view.consents.withdraw(&key).then_some(shown)
    })
}

fn entries(view: &Arc<View>) -> impl Iterator<Item = (LastingConsent, ConsentKey)> + use<'_> {
    view.consents.list().into_iter().map(|key| (shown(view, &key), key))
}

fn shown(view: &View, key: &ConsentKey) -> LastingConsent {
    let (number, definition) = (view.id.0.to_string(), hex::encode(&key.definition.0));
    LastingConsent {
        profile: view.name.as_ref().map(ToString::to_string),
        principal: key.principal.to_string(),
        tool: key.tool.to_string(),
        digest: Digest::of_parts([&*number, &*key.principal, &*key.tool, &*definition]),
    }
}

//! The entry of a server as the page shows it: everything but its secrets.
//!
//! `adding` and `removing` call it. What must stay true: what looks like a secret to `hobnob add` is
//! masked here.

use crate::server_entries::entry_secrets;
use crate::server_entries::literal_secrets::{MASK, is_literal, masked_url};
use hobnob_config::ServerName;
use serde_json::Value;

/// The entry with a mark in the place of every secret.
pub(super) fn masked_entry(name: Option<&ServerName>, entry: &Value) -> Value {
    let mut masked = entry.clone();
    let any = ServerName::parse("server").ok();
    if let Some(name) = name.or(any.as_ref()) {
        for secret in entry_secrets::of_entry(name, entry) {
            secret.mask_in(&mut masked);
        }
    }
    if let Some(url) = masked.get_mut("url")
        && let Some(text) = url.as_str()
    {
        *url = masked_url(text).into();
    }
    if let Some(oauth) = masked.get_mut("oauth") {
        mask_client_secrets(oauth);
    }
    masked
}

/// A table has tables of its own, and each table may have such a secret.
fn mask_client_secrets(table: &mut Value) {
    for (name, value) in table.as_object_mut().into_iter().flatten() {
        match name.as_str() {
            "clientSecret" if value.as_str().is_some_and(is_literal) => *value = MASK.into(),
            _ => mask_client_secrets(value),
        }
    }
}

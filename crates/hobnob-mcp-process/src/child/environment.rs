//! The environment of a child: what every program needs, and none of our secrets.
//!
//! The code that starts a server calls [`environment`]. A variable that is not on the list reaches
//! the child only if the settings allow it.

use std::collections::BTreeMap;
use std::ffi::OsString;

/// Variables that every child gets, if we have them.
const NAMES: [&str; 16] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TERM",
    "TZ",
    "TMPDIR",
    "TEMP",
    "XDG_RUNTIME_DIR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
];

/// Variables that every child gets in lower and in upper case.
const PROXIES: [&str; 5] = ["http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"];

/// The whole environment of a child: the variables of ours that every program needs or that
/// `allowed_extra` accepts, then `overrides`. The last of several overrides for a name wins.
pub fn environment(
    allowed_extra: impl Fn(&str) -> bool,
    overrides: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    choose(std::env::vars_os(), allowed_extra, overrides)
}

pub(super) fn choose(
    ours: impl Iterator<Item = (OsString, OsString)>,
    allowed_extra: impl Fn(&str) -> bool,
    overrides: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let wanted =
        |name: &OsString| name.to_str().is_some_and(|name| is_needed(name) || allowed_extra(name));
    let mut chosen: BTreeMap<_, _> = ours.filter(|(name, _)| wanted(name)).collect();
    chosen.extend(overrides);
    chosen.into_iter().collect()
}

fn is_needed(name: &str) -> bool {
    let proxy = || PROXIES.iter().any(|proxy| name == *proxy || name == proxy.to_ascii_uppercase());
    let desktop = || {
        let rest = name.strip_prefix("XDG_").unwrap_or_default();
        rest.ends_with("_HOME") || rest.ends_with("_DIRS")
    };
    NAMES.contains(&name) || name.starts_with("LC_") || desktop() || proxy()
}

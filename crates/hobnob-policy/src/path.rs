//! The ways in which a tool may read one text as a path, for rules with a pattern.
//!
//! `//etc`, `/./etc`, `/x/../etc`, `%2Fetc` and `file:///etc` all may lead to `/etc`, depending on
//! the tool. So a pattern that denies checks every reading, and one that allows has to match them
//! all. Patterns and values are compared in Unicode's form NFC.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

use crate::glob::{Glob, GlobError};

/// Limit of percent-decoding rounds; a caller that encodes more often has something to hide.
const MAX_DECODINGS: usize = 8;
/// Prefixes of URIs of files on this machine.
const FILE_ADDRESSES: [&str; 3] = ["file://localhost/", "file:///", "file:/"];

/// The glob of a pattern, in the form that values are compared in. A folder may be written with a
/// slash at its end, in a pattern as in a value.
pub(crate) fn pattern(text: &str) -> Result<Glob, GlobError> {
    let text = composed(text);
    folder_glob(&without_file_address(&text))
}

/// The glob for [`is_covered`]: without a slash at its end.
pub(crate) fn folder_glob(text: &str) -> Result<Glob, GlobError> {
    match text.ends_with("\\/") {
        true => Glob::for_value(text),
        false => Glob::for_value(bare_folder(text)),
    }
}

/// All readings of one text.
pub(crate) struct Readings<'a> {
    /// The value in form NFC, not decoded further; only patterns that ask or deny look at it.
    written: Cow<'a, str>,
    texts: Vec<String>,
    /// Whether `texts` has every reading.
    complete: bool,
}

impl<'a> Readings<'a> {
    pub(crate) fn of(value: &'a str) -> Self {
        let written = composed(value);
        let mut readings = Self { texts: Vec::new(), complete: false, written };
        let mut decoded = readings.written.clone().into_owned();
        for _ in 0..=MAX_DECODINGS {
            readings.read(&decoded);
            match percent_decoded(&decoded) {
                Some(next) => decoded = next,
                None => {
                    readings.complete = true;
                    break;
                }
            }
        }
        readings
    }

    /// Whether one reading matches. A text with too many readings counts as a match.
    pub(crate) fn any_matches(&self, pattern: &Glob) -> bool {
        !self.complete
            || pattern.matches(&self.written)
            || self.texts.iter().any(|text| reaches(pattern, text))
    }

    /// Whether all readings match, and none climbs with `..`: where that leads depends on links,
    /// which are unknown here.
    pub(crate) fn all_match(&self, pattern: &Glob) -> bool {
        let climbs = |text: &String| text.split(['/', '\\']).any(|part| part == "..");
        self.complete
            && (pattern.is_exact() || !self.texts.iter().any(climbs))
            && self.texts.iter().all(|text| is_covered(pattern, text))
    }

    /// Adds the paths that one text may stand for.
    fn read(&mut self, text: &str) {
        let text = without_file_address(text);
        let turned = text.replace('\\', "/");
        let cut = text.split('\0').next().unwrap_or_default();
        for reading in [
            text.clone().into_owned(),
            plain_path(&text),
            plain_path(&without_file_address(&turned)),
            plain_path(cut),
        ] {
            let reading = composed(&reading).into_owned();
            if !self.texts.contains(&reading) {
                self.texts.push(reading);
            }
        }
    }
}

/// Whether a pattern that asks or denies is about this path. `/a/**` is about `/a` as well:
/// removing or renaming a folder affects everything below it.
fn reaches(pattern: &Glob, text: &str) -> bool {
    pattern.matches(text)
        || match text.strip_suffix('/') {
            Some(bare) => !bare.is_empty() && pattern.matches(bare),
            None => text.contains('/') && pattern.matches(&format!("{text}/")),
        }
}

/// Whether a pattern that allows covers this path. `/a/**` covers what is below `/a`, so neither
/// `/a/` nor `/a/.` must pass for something below it. The root of a host is the exception: it is a
/// page of the host, with a slash or without.
pub(crate) fn is_covered(pattern: &Glob, text: &str) -> bool {
    let bare = bare_folder(text);
    let is_host = bare.find("://").is_some_and(|at| !bare[at + "://".len()..].contains('/'));
    pattern.matches(bare) || (is_host && pattern.matches(&format!("{bare}/")))
}

/// The path without trailing slashes and `/.`; the root keeps its own slash.
fn bare_folder(text: &str) -> &str {
    let mut bare = text;
    while let Some(shorter) = bare.strip_suffix("/.").or_else(|| bare.strip_suffix('/')) {
        bare = shorter;
    }
    if bare.is_empty() { &text[..text.len().min(1)] } else { bare }
}

fn composed(text: &str) -> Cow<'_, str> {
    match is_nfc(text) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.nfc().collect()),
    }
}

fn without_file_address(text: &str) -> Cow<'_, str> {
    let head = |address: &&&str| {
        text.get(..address.len()).is_some_and(|start| start.eq_ignore_ascii_case(address))
    };
    match FILE_ADDRESSES.iter().find(head) {
        Some(address) => Cow::Owned(format!("/{}", &text[address.len()..])),
        None => Cow::Borrowed(text),
    }
}

/// The path without empty parts, `.` and `..`; the host of a URI stays.
fn plain_path(text: &str) -> String {
    if !text.contains('/') {
        return text.into();
    }
    let host = text.find("://").map_or(0, |at| {
        let after = at + "://".len();
        text[after..].find('/').map_or(text.len(), |slash| after + slash)
    });
    let (head, path) = text.split_at(host);
    let is_rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&last) if last != ".." => drop(parts.pop()),
                _ if is_rooted => {}
                _ => parts.push(part),
            },
            part => parts.push(part),
        }
    }
    format!("{head}{}{}", if is_rooted { "/" } else { "" }, parts.join("/"))
}

/// The text with every `%HH` decoded; `None` if there is none.
fn percent_decoded(text: &str) -> Option<String> {
    match Cow::from(percent_decode_str(text)) {
        Cow::Borrowed(_) => None,
        Cow::Owned(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

//! Finds the personal data in one word: names announced by the context, and data with a form of its
//! own.

use std::cell::OnceCell;
use std::ops::Range;

use super::account::{before_address, domain_user, path_user, url_user};
use super::address::{ipv4, ipv6};
use super::cue::NameCue;
use super::device::device_name;
use super::email::{MailKind, mail_address};
use super::hardware::hardware_address;
use super::home::home_folder;
use super::keys::named_by;
use super::names::{Expected, MAX_NAME, is_impersonal, name_length};
use super::security_id::security_id;
use super::token::{PersonalKind, first_token};
use super::words::{COLON, DASH, DOT, SIGN, SLASH, has_numbers};

/// Bytes of a word that are searched for one find. Words of a log are shorter; a longer word is
/// searched in overlapping windows, so that many finds in it cost time linear in its length.
const WINDOW: usize = 1024;
/// Maximum length of a find in bytes.
const MAX_FIND: usize = 384;
/// Minimum length of a hardware address.
const MIN_HARDWARE: usize = 14;

/// A piece of personal data: its range and its kind.
#[derive(Debug)]
pub(super) struct PersonalFind {
    pub(super) at: Range<usize>,
    pub(super) kind: PersonalKind,
    /// A second value that belongs to it and follows it, such as the host in `bob@web7`.
    second: Option<(Range<usize>, PersonalKind)>,
    /// The position at which the search continues.
    resume: usize,
}

impl PersonalFind {
    fn new(at: Range<usize>, kind: PersonalKind) -> Self {
        Self { resume: at.end, at, kind, second: None }
    }

    fn with(self, second: Option<(Range<usize>, PersonalKind)>) -> Self {
        let resume = second.as_ref().map_or(self.resume, |(second, _)| second.end);
        Self { second, resume, ..self }
    }
}

/// One word, and what is known about it.
pub(super) struct WordScan<'text> {
    /// The text including what follows the range to search.
    pub(super) whole: &'text str,
    pub(super) text: &'text str,
    pub(super) word: Range<usize>,
    /// The classes of the bytes in the word.
    pub(super) seen: u8,
    pub(super) known: &'text [(Range<usize>, PersonalKind)],
    /// Whether four numbers in it are a version.
    pub(super) is_version: bool,
    /// Whether the text contains JSON escapes, where a single backslash precedes no name.
    pub(super) escapes: &'text OnceCell<bool>,
}

impl WordScan<'_> {
    /// Finds all personal data in the word; returns the end of the last find. Tokens split the
    /// word, as the values did that they replaced.
    pub(super) fn run(
        &self,
        mut cue: Option<NameCue>,
        each: &mut impl FnMut(PersonalFind),
    ) -> usize {
        let mut at = self.word.start;
        let mut end = at;
        while at < self.word.end {
            let token =
                self.has(DASH).then(|| first_token(&self.text[at..self.word.end])).flatten();
            let token = token.map(|token| at + token.start..at + token.end);
            let stop = token.as_ref().map_or(self.word.end, |token| token.start);
            let found = self.stretch(at..stop, cue.take(), each);
            end = end.max(found);
            at = found.max(token.map_or(stop, |token| token.end));
        }
        end
    }

    fn has(&self, class: u8) -> bool {
        self.seen & class != 0
    }

    /// The same for a part of the word without tokens.
    fn stretch(
        &self,
        stretch: Range<usize>,
        cue: Option<NameCue>,
        each: &mut impl FnMut(PersonalFind),
    ) -> usize {
        let (mut at, mut end) = (stretch.start, stretch.start);
        let mut cue = self.inner_key(&stretch, &mut at).or(cue);
        while at < stretch.end {
            let stop = match stretch.end - at {
                length if length <= WINDOW => stretch.end,
                _ => self.text.floor_char_boundary(at + WINDOW),
            };
            let next = self.first_apart(at, stop);
            let limit = match &next {
                Some(next) if !self.is_in_host(next, cue) => next.at.start,
                Some(_) | None => stop,
            };
            let named = cue.take().and_then(|cue| self.name(cue, at..limit));
            let found = match named.or(next) {
                Some(found) => found,
                None if stop == stretch.end => break,
                None => {
                    at = self.text.floor_char_boundary(stop - MAX_FIND);
                    continue;
                }
            };
            at = found.resume;
            end = emit(found, each);
        }
        end
    }

    /// Whether an address is the first part of a host name: `192.0.2.7.dsl.example.net`.
    fn is_in_host(&self, found: &PersonalFind, cue: Option<NameCue>) -> bool {
        let label = self.text[found.at.end..].strip_prefix('.');
        found.kind == PersonalKind::Ip
            && cue.is_some_and(|cue| cue.kind() == PersonalKind::Host)
            && label.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_alphabetic()))
    }

    /// For `user:bob` in one word: the value after the colon, and its cue.
    fn inner_key(&self, stretch: &Range<usize>, at: &mut usize) -> Option<NameCue> {
        if !self.has(COLON) {
            return None;
        }
        let (key, value) = self.text[stretch.clone()].split_once(':')?;
        let cue = named_by(key).filter(|_| !value.is_empty())?;
        *at += key.len() + 1;
        // Other pairs have colons too: `pam_unix(login:session)`.
        let spoken = cue.expected == Expected::Value;
        Some(if spoken { NameCue { expected: Expected::Word, ..cue } } else { cue })
    }

    /// The name at the start of a range, where a cue announces one.
    fn name(&self, cue: NameCue, place: Range<usize>) -> Option<PersonalFind> {
        let quoted = place.start.checked_sub(1).map(|at| self.text.as_bytes()[at]);
        if let Some(b'"' | b'\'' | b'`') = quoted
            && let Some(end) = self.quoted_name(place.clone())
        {
            return Some(PersonalFind::new(place.start..end, cue.kind()));
        }
        let mut end = place.start + name_length(&self.text[place.clone()]);
        // Machines have accounts of their own on Windows.
        let machine = end == place.end && self.text[end..].starts_with('$');
        let value = &self.text[place.start..end];
        // A key is never a value.
        if self.text[end..].starts_with('=') || !cue.fits(value) {
            return None;
        }
        end += usize::from(machine && cue.kind() == PersonalKind::User);
        let Some((domain, user)) = value.split_once('\\') else {
            return Some(PersonalFind::new(place.start..end, cue.kind()));
        };
        let user = user.trim_start_matches('\\');
        let user = (place.start + value.len() - user.len()..end, PersonalKind::User);
        let domain = place.start..place.start + domain.len();
        let named = !domain.is_empty() && !is_impersonal(&self.text[user.0.clone()]);
        named.then(|| PersonalFind::new(domain, PersonalKind::Host).with(Some(user)))
    }

    /// The end of a name of several words in quotes.
    fn quoted_name(&self, place: Range<usize>) -> Option<usize> {
        let quote = char::from(self.text.as_bytes()[place.start - 1]);
        let rest = &self.text[place.start..];
        let head = &rest[..rest.floor_char_boundary(MAX_NAME)];
        let name = head.split_once(quote)?.0.trim_end_matches('\\');
        let part = |it: char| it.is_alphanumeric() || matches!(it, ' ' | '.' | '_' | '-');
        let words = name.split(' ').filter(|it| !it.is_empty()).count();
        let named = (2..=4).contains(&words) && name.chars().all(part) && !name.starts_with(' ');
        let begins = name.starts_with(char::is_alphabetic) && first_token(name).is_none();
        // Unless the name ends with its word, nothing else was found in it.
        (named && begins && place.end < place.start + name.len()).then(|| place.start + name.len())
    }

    /// The first find from this byte on, including one that counts only if the text ends before the
    /// next find: four numbers right before an address with a fifth.
    fn first_apart(&self, at: usize, stop: usize) -> Option<PersonalFind> {
        let mut found = self.first(at, stop)?;
        while let Some(before) = self.first(at, found.at.start) {
            found = before;
        }
        Some(found)
    }

    /// The first find from this byte on; of several at the same position the longest.
    fn first(&self, at: usize, stop: usize) -> Option<PersonalFind> {
        let word = &self.text[..stop];
        let mut best = BestFind { starts: at..stop, found: None };
        best.offer(|_| self.known_name(at, stop));
        if self.has(SIGN) {
            best.offer(|starts| user_or_mail(word, starts));
        }
        if has_numbers(self.seen) && !self.is_version {
            best.offer(|starts| {
                let address = ipv4(word.as_bytes(), starts)?;
                let name = before_address(word, at, &address);
                let name = name.map(|(name, owner)| PersonalFind::new(name, owner.kind()));
                name.or_else(|| Some(PersonalFind::new(address, PersonalKind::Ip)))
            });
        }
        if self.has(SLASH) {
            best.find(PersonalKind::Path, |starts| home_folder(self.text, stop, starts));
            best.find(PersonalKind::User, |starts| path_user(word, starts));
            best.offer(|_| self.in_domain(at, stop));
        }
        if self.has(SLASH) && self.has(COLON) {
            best.offer(|starts| self.in_url(starts, stop));
        }
        if self.has(COLON) {
            best.find(PersonalKind::Ip, |starts| ipv6(word, starts));
        }
        if self.has(DASH | COLON | DOT) && MIN_HARDWARE <= stop.saturating_sub(at) {
            best.find(PersonalKind::Mac, |starts| hardware_address(word.as_bytes(), starts));
        }
        if self.has(DASH) {
            best.find(PersonalKind::Sid, |starts| security_id(word.as_bytes(), starts));
            best.offer(|_| self.device(at, stop));
        }
        best.found
    }

    fn known_name(&self, at: usize, stop: usize) -> Option<PersonalFind> {
        let first = self.known.partition_point(|(place, _)| place.start < at);
        let (place, kind) = self.known.get(first).filter(|(place, _)| place.end <= stop)?;
        Some(PersonalFind::new(place.clone(), *kind))
    }

    fn in_domain(&self, at: usize, stop: usize) -> Option<PersonalFind> {
        let read = || self.text.starts_with('{') || self.text.contains("\\\"");
        let is_json = || *self.escapes.get_or_init(read);
        let found =
            (at == self.word.start).then(|| domain_user(&self.text[..stop], at, is_json))??;
        let user = Some((found.user, PersonalKind::User));
        Some(PersonalFind::new(found.domain, PersonalKind::Host).with(user))
    }

    fn in_url(&self, starts: Range<usize>, stop: usize) -> Option<PersonalFind> {
        let (user, behind) = url_user(self.whole, starts)?;
        let found = PersonalFind::new(user, PersonalKind::User);
        (found.at.end <= stop).then(|| PersonalFind { resume: behind.min(stop), ..found })
    }

    fn device(&self, at: usize, stop: usize) -> Option<PersonalFind> {
        let length = (at == self.word.start).then(|| device_name(&self.text[at..stop]))??;
        Some(PersonalFind::new(at..at + length, PersonalKind::Host))
    }
}

/// Reports a find and its second value; returns the end of both.
fn emit(found: PersonalFind, each: &mut impl FnMut(PersonalFind)) -> usize {
    let (mut end, second) = (found.at.end, found.second.clone());
    each(found);
    if let Some((at, kind)) = second {
        end = at.end;
        each(PersonalFind::new(at, kind));
    }
    end
}

/// The best find so far, and the range in which a better one must begin.
struct BestFind {
    starts: Range<usize>,
    found: Option<PersonalFind>,
}

impl BestFind {
    fn offer(&mut self, find: impl FnOnce(Range<usize>) -> Option<PersonalFind>) {
        let Some(found) = find(self.starts.clone()) else { return };
        let better = self.found.as_ref().is_none_or(|best| {
            let (new, old) = (&found.at, &best.at);
            new.start < old.start || new.start == old.start && old.end < new.end
        });
        if better {
            self.starts.end = self.starts.end.min(found.at.start + 1);
            self.found = Some(found);
        }
    }

    fn find(
        &mut self,
        kind: PersonalKind,
        find: impl FnOnce(Range<usize>) -> Option<Range<usize>>,
    ) {
        self.offer(|starts| Some(PersonalFind::new(find(starts)?, kind)));
    }
}

/// An e-mail address, or a user and a host.
fn user_or_mail(word: &str, mut starts: Range<usize>) -> Option<PersonalFind> {
    loop {
        let address = mail_address(word, starts.clone())?;
        let (local, domain) = (address.local.clone(), address.domain.clone());
        let host = (domain.clone(), PersonalKind::Host);
        let found = match address.kind(word, starts.start) {
            MailKind::Mail => Some(PersonalFind::new(address.whole(), PersonalKind::Email)),
            MailKind::Login { user: true, host: named } => {
                let user = PersonalFind::new(local, PersonalKind::User);
                Some(user.with(named.then_some(host)))
            }
            MailKind::Login { user: false, host: true } => {
                Some(PersonalFind::new(domain.clone(), PersonalKind::Host))
            }
            MailKind::LoginAtAddress => Some(PersonalFind::new(local, PersonalKind::User)),
            MailKind::Login { user: false, host: false } | MailKind::Other => None,
        };
        if found.is_some() {
            return found;
        }
        starts.start = domain.end;
    }
}

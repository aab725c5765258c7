//! What in one word is personal: names where something says that one stands there, and what has a form of
//! its own.

use std::ops::Range;

use super::address::{ipv4, ipv6};
use super::context::{assigned_to, is_no_name, name_length};
use super::email::mail_address;
use super::home::home_folder;
use super::token::{PersonalKind, first_token};
use super::words::{COLON, DASH, SIGN, SLASH, has_numbers};

/// How much of a word is looked at for one find. Words of a log are shorter; a longer one is looked at
/// in parts that overlap, so that many finds in it cost no more than its length.
const WINDOW: usize = 1024;
/// Bytes of the longest find.
const MAX_FIND: usize = 384;

/// Something personal: where it stands, and what it is.
#[derive(Debug)]
pub(super) struct PersonalFind {
    pub(super) at: Range<usize>,
    pub(super) kind: PersonalKind,
    /// What belongs to it and stands behind it, such as the host in `bob@web7`.
    second: Option<(Range<usize>, PersonalKind)>,
}

impl PersonalFind {
    fn new(at: Range<usize>, kind: PersonalKind) -> Self {
        Self { at, kind, second: None }
    }

    fn with(self, second: Option<(Range<usize>, PersonalKind)>) -> Self {
        Self { second, ..self }
    }
}

/// One word, and what is known about it.
pub(super) struct WordScan<'text> {
    pub(super) text: &'text str,
    pub(super) word: Range<usize>,
    /// What the word has in it, as classes of bytes.
    pub(super) seen: u8,
    pub(super) known: &'text [(Range<usize>, PersonalKind)],
}

impl WordScan<'_> {
    /// Finds all that is personal in the word; the byte behind the last find. Tokens end a stretch, as
    /// the values did that they stand for.
    pub(super) fn run(
        &self,
        mut told: Option<PersonalKind>,
        each: &mut impl FnMut(PersonalFind),
    ) -> usize {
        let mut at = self.word.start;
        let mut end = at;
        while at < self.word.end {
            let token =
                self.has(DASH).then(|| first_token(&self.text[at..self.word.end])).flatten();
            let token = token.map(|token| at + token.start..at + token.end);
            let stop = token.as_ref().map_or(self.word.end, |token| token.start);
            let found = self.stretch(at..stop, told.take(), each);
            end = end.max(found);
            at = found.max(token.map_or(stop, |token| token.end));
        }
        end
    }

    fn has(&self, class: u8) -> bool {
        self.seen & class != 0
    }

    /// The same for a stretch without tokens.
    fn stretch(
        &self,
        stretch: Range<usize>,
        told: Option<PersonalKind>,
        each: &mut impl FnMut(PersonalFind),
    ) -> usize {
        let (mut at, mut end) = (stretch.start, stretch.start);
        let mut told = told.or_else(|| self.inner_key(&stretch, &mut at));
        while at < stretch.end {
            let stop = match stretch.end - at {
                length if length <= WINDOW => stretch.end,
                _ => self.text.floor_char_boundary(at + WINDOW),
            };
            let next = self.first_apart(at, stop);
            let limit = next.as_ref().map_or(stop, |next| next.at.start);
            let named = told.take().and_then(|kind| self.name(kind, at..limit));
            let found = match named.or(next) {
                Some(found) => found,
                None if stop == stretch.end => break,
                None => {
                    at = self.text.floor_char_boundary(stop - MAX_FIND);
                    continue;
                }
            };
            end = emit(found, each);
            at = end;
        }
        end
    }

    /// `user:bob` in one word: what stands behind the colon, and what it is.
    fn inner_key(&self, stretch: &Range<usize>, at: &mut usize) -> Option<PersonalKind> {
        if !self.has(COLON) {
            return None;
        }
        let (key, value) = self.text[stretch.clone()].split_once(':')?;
        let kind = assigned_to(key).filter(|_| !value.is_empty())?;
        *at += key.len() + 1;
        Some(kind)
    }

    /// The name that a place begins with, where something says that it is one.
    fn name(&self, kind: PersonalKind, place: Range<usize>) -> Option<PersonalFind> {
        let length = name_length(&self.text[place.clone()]);
        let value = place.start..place.start + length;
        (!is_no_name(&self.text[value.clone()])).then(|| PersonalFind::new(value, kind))
    }

    /// What comes first from this byte on, also if it is something only without what follows it: four
    /// numbers right before an address with a fifth.
    fn first_apart(&self, at: usize, stop: usize) -> Option<PersonalFind> {
        let mut found = self.first(at, stop)?;
        while let Some(before) = self.first(at, found.at.start) {
            found = before;
        }
        Some(found)
    }

    /// What comes first from this byte on; of several at one place the longest.
    fn first(&self, at: usize, stop: usize) -> Option<PersonalFind> {
        let word = &self.text[..stop];
        let mut best = BestFind { starts: at..stop, found: None };
        best.offer(|_| self.known_name(at, stop));
        if self.has(SIGN) {
            best.offer(|starts| user_or_mail(word, starts));
        }
        if has_numbers(self.seen) {
            best.find(PersonalKind::Ip, |starts| ipv4(word.as_bytes(), starts));
        }
        if self.has(SLASH) {
            best.find(PersonalKind::Path, |starts| home_folder(self.text, stop, starts));
        }
        if self.has(COLON) {
            best.find(PersonalKind::Ip, |starts| ipv6(word, starts));
        }
        best.found
    }

    fn known_name(&self, at: usize, stop: usize) -> Option<PersonalFind> {
        let first = self.known.partition_point(|(place, _)| place.start < at);
        let (place, kind) = self.known.get(first).filter(|(place, _)| place.end <= stop)?;
        Some(PersonalFind::new(place.clone(), *kind))
    }
}

/// Hands on a find, and what belongs to it; the byte behind both.
fn emit(found: PersonalFind, each: &mut impl FnMut(PersonalFind)) -> usize {
    let (mut end, second) = (found.at.end, found.second.clone());
    each(found);
    if let Some((at, kind)) = second {
        end = at.end;
        each(PersonalFind::new(at, kind));
    }
    end
}

/// The first find so far, and where a better one must begin: what comes later is not looked for.
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
        let (local, host) = (&word[address.local.clone()], &word[address.domain.clone()]);
        if address.is_mail(word) {
            if !address.is_unit(word) {
                return Some(PersonalFind::new(address.whole(), PersonalKind::Email));
            }
        } else if !is_no_name(local) {
            let host = (!is_no_name(host)).then_some((address.domain, PersonalKind::Host));
            return Some(PersonalFind::new(address.local, PersonalKind::User).with(host));
        } else if !is_no_name(host) {
            return Some(PersonalFind::new(address.domain, PersonalKind::Host));
        }
        starts.start = address.domain.end;
    }
}

//! One pass over a text: words by a table of bytes, and in each word what is personal.
//!
//! A find begins where the one before ended, as if the text began there, and what stands before a find
//! is looked at as if the text ended there: so a text whose finds were replaced has none left.

use std::ops::Range;

use super::address::{ipv4, ipv6};
use super::context::{assigned_to, is_no_name, name_length, named_after};
use super::email::mail_address;
use super::home::home_folder;
use super::known::NameFinder;
use super::token::{PersonalKind, first_token};

const WORD: u8 = 1;
const SIGN: u8 = 2;
const COLON: u8 = 4;
const SLASH: u8 = 8;
const DIGIT: u8 = 16;
const DOT: u8 = 32;
const DASH: u8 = 64;

/// What each byte is: part of a word or between words, and what it can be part of.
const CLASSES: [u8; 256] = {
    let mut table = [WORD; 256];
    let between = b" \t\r\n\"'`,;=<>|(){}[]&?!*#$^";
    let mut at = 0;
    while at < between.len() {
        table[between[at] as usize] = 0;
        at += 1;
    }
    let mut byte = 0;
    while byte < 32 {
        table[byte] = 0;
        byte += 1;
    }
    table[b'@' as usize] = WORD | SIGN;
    table[b':' as usize] = WORD | COLON;
    table[b'/' as usize] = WORD | SLASH;
    table[b'\\' as usize] = WORD | SLASH;
    table[b'.' as usize] = WORD | DOT;
    table[b'-' as usize] = WORD | DASH;
    let mut digit = b'0';
    while digit <= b'9' {
        table[digit as usize] = WORD | DIGIT;
        digit += 1;
    }
    table
};

/// Something personal: where it stands, and what it is.
pub(super) struct PersonalFind {
    pub(super) at: Range<usize>,
    pub(super) kind: PersonalKind,
    /// The host behind a user, as in `bob@web7`.
    pub(super) host: Option<Range<usize>>,
}

impl PersonalFind {
    fn new(at: Range<usize>, kind: PersonalKind) -> Self {
        Self { at, kind, host: None }
    }
}

/// Calls `each` for everything personal in a stretch of a text, in order and without overlaps.
pub(super) fn find_personal(
    text: &str,
    stretch: Range<usize>,
    names: &NameFinder,
    mut each: impl FnMut(PersonalFind),
) {
    let text = &text[..stretch.end];
    let bytes = text.as_bytes();
    let mut known = Vec::new();
    names.find(text, stretch.start, &mut known);
    // The first known name that was not passed yet; most texts have none.
    let mut ahead = 0;
    let nothing = stretch.start..stretch.start;
    let (mut before, mut previous) = (nothing.clone(), nothing);
    let (mut at, mut done) = (stretch.start, stretch.start);
    while at < bytes.len() {
        if CLASSES[usize::from(bytes[at])] & WORD == 0 {
            at += 1;
            continue;
        }
        let (start, mut seen) = (at, 0);
        while at < bytes.len() {
            let class = CLASSES[usize::from(bytes[at])];
            if class & WORD == 0 {
                break;
            }
            seen |= class;
            at += 1;
        }
        let word = start.max(done)..at;
        let first = ahead;
        while ahead < known.len() && known[ahead].0.start < at {
            ahead += 1;
        }
        let here = &known[first..ahead];
        let told = context(text, &before, &previous, &word);
        if told.is_some() || !here.is_empty() || is_interesting(seen) {
            let scan = WordScan { text, word: word.clone(), seen, known: here };
            done = scan.run(told, &mut each).max(done);
        }
        // A colon alone stands between a key and its value in JSON.
        if at - start != 1 || bytes[start] != b':' {
            (before, previous) = (previous, start..at);
        }
    }
}

fn is_interesting(seen: u8) -> bool {
    seen & (SIGN | COLON | SLASH) != 0 || seen & (DIGIT | DOT) == DIGIT | DOT
}

/// What the words before it say about a word.
fn context(
    text: &str,
    before: &Range<usize>,
    previous: &Range<usize>,
    word: &Range<usize>,
) -> Option<PersonalKind> {
    // Asked for every word, so it is decided by bytes.
    let bytes = text.as_bytes();
    let gap = bytes.get(previous.end..word.start)?;
    let key = &bytes[previous.clone()];
    let colon = key.last() == Some(&b':');
    if gap == b" " && !colon {
        return match key {
            b"user" => named_after(&text[before.clone()]),
            b"for" => bytes[word.end..].starts_with(b" from ").then_some(PersonalKind::User),
            _ => None,
        };
    }
    let assigned = colon || gap.len() <= 6 && gap.iter().any(|it| matches!(it, b'=' | b':'));
    let between = |it: &u8| matches!(it, b'=' | b':' | b'"' | b'\'' | b' ');
    let key = &text[previous.clone()];
    (assigned && gap.iter().all(between)).then(|| assigned_to(key.trim_end_matches(':')))?
}

/// One word, and what is known about it.
struct WordScan<'text> {
    text: &'text str,
    word: Range<usize>,
    seen: u8,
    known: &'text [(Range<usize>, PersonalKind)],
}

impl WordScan<'_> {
    /// Finds all that is personal in the word; the byte behind the last find. Tokens end a stretch, as
    /// the values did that they stand for.
    fn run(&self, mut told: Option<PersonalKind>, each: &mut impl FnMut(PersonalFind)) -> usize {
        let mut at = self.word.start;
        let mut end = at;
        while at < self.word.end {
            let dash = self.seen & DASH != 0;
            let token = dash.then(|| first_token(&self.text[at..self.word.end])).flatten();
            let token = token.map(|token| at + token.start..at + token.end);
            let stop = token.as_ref().map_or(self.word.end, |token| token.start);
            let found = self.stretch(at..stop, told.take(), each);
            end = end.max(found);
            at = found.max(token.map_or(stop, |token| token.end));
        }
        end
    }

    /// The same for a stretch without tokens.
    fn stretch(
        &self,
        stretch: Range<usize>,
        told: Option<PersonalKind>,
        each: &mut impl FnMut(PersonalFind),
    ) -> usize {
        let mut at = stretch.start;
        let mut told = told.or_else(|| self.inner_key(&stretch, &mut at));
        while at < stretch.end {
            let next = self.first_apart(at, stretch.end);
            if let Some(kind) = told.take() {
                let limit = next.as_ref().map_or(stretch.end, |next| next.at.start);
                if let Some(length) = name(&self.text[at..limit]) {
                    each(PersonalFind::new(at..at + length, kind));
                    at += length;
                    continue;
                }
            }
            let Some(found) = next else { break };
            at = found.at.end;
            let host = found.host.clone();
            each(found);
            if let Some(host) = host {
                at = host.end;
                each(PersonalFind::new(host, PersonalKind::Host));
            }
        }
        at
    }

    /// `user:bob` in one word: what stands behind the colon, and what it is.
    fn inner_key(&self, stretch: &Range<usize>, at: &mut usize) -> Option<PersonalKind> {
        if self.seen & COLON == 0 {
            return None;
        }
        let (key, value) = self.text[stretch.clone()].split_once(':')?;
        let kind = assigned_to(key).filter(|_| !value.is_empty())?;
        *at += key.len() + 1;
        Some(kind)
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
        let mut best: Option<PersonalFind> = None;
        let mut offer = |found: PersonalFind| {
            let range = &found.at;
            let better = best.as_ref().is_none_or(|best| {
                range.start < best.at.start
                    || range.start == best.at.start && best.at.end < range.end
            });
            if better {
                best = Some(found);
            }
        };
        let known = self.known.iter().find(|(place, _)| at <= place.start && place.end <= stop);
        if let Some((place, kind)) = known {
            offer(PersonalFind::new(place.clone(), *kind));
        }
        if self.seen & SIGN != 0
            && let Some(found) = user_or_mail(word, at)
        {
            offer(found);
        }
        if self.seen & SLASH != 0
            && let Some(folder) = home_folder(self.text, stop, at)
        {
            offer(PersonalFind::new(folder, PersonalKind::Path));
        }
        if self.seen & (DIGIT | DOT) == DIGIT | DOT
            && let Some(address) = ipv4(word.as_bytes(), at)
        {
            offer(PersonalFind::new(address, PersonalKind::Ip));
        }
        if self.seen & COLON != 0
            && let Some(address) = ipv6(self.text, at, stop)
        {
            offer(PersonalFind::new(address, PersonalKind::Ip));
        }
        best
    }
}

/// How many bytes of a name a stretch begins with, where something says that it is one.
fn name(stretch: &str) -> Option<usize> {
    let length = name_length(stretch);
    (0 < length && !is_no_name(&stretch[..length])).then_some(length)
}

/// An e-mail address, or a user and a host.
fn user_or_mail(word: &str, at: usize) -> Option<PersonalFind> {
    let mut from = at;
    loop {
        let address = mail_address(word, from)?;
        let (local, host) = (&word[address.local.clone()], &word[address.domain.clone()]);
        if address.is_mail(word) {
            if !address.is_unit(word) {
                return Some(PersonalFind::new(address.whole(), PersonalKind::Email));
            }
        } else if !is_no_name(local) {
            let host = Some(address.domain).filter(|_| !is_no_name(host));
            return Some(PersonalFind { at: address.local, kind: PersonalKind::User, host });
        } else if !is_no_name(host) {
            return Some(PersonalFind::new(address.domain, PersonalKind::Host));
        }
        from = address.domain.end;
    }
}

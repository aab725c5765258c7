//! Windows security identifiers (SIDs) of accounts: `S-1-5-21-…` of a machine or a domain,
//! `S-1-12-1-…` of a cloud directory. All other SIDs are the same on every machine.

use std::ops::Range;

const MARKS: [&[u8]; 2] = [b"-1-5-21-", b"-1-12-1-"];
/// Numbers after the prefix: three of the domain, and one of the account.
const MIN_NUMBERS: usize = 3;

/// Maximum number of digits and dashes after the prefix.
const MAX_LENGTH: usize = 165;

/// The first identifier that begins in this range.
pub(super) fn security_id(word: &[u8], starts: Range<usize>) -> Option<Range<usize>> {
    let begins = |at: &usize| {
        let apart = *at == starts.start || !word[at - 1].is_ascii_alphanumeric();
        apart && word[*at].eq_ignore_ascii_case(&b'S')
    };
    starts.clone().filter(begins).find_map(|start| {
        let mark = MARKS.iter().find(|mark| word[start + 1..].starts_with(mark))?;
        let numbers = &word[start + 1 + mark.len()..];
        let length = numbers.iter().take(MAX_LENGTH);
        let length = length.take_while(|it| it.is_ascii_digit() || **it == b'-').count();
        let dashes = numbers[..length].iter().rev().take_while(|it| **it == b'-').count();
        let numbers = &numbers[..length - dashes];
        let count = numbers.split(|it| *it == b'-').filter(|it| !it.is_empty()).count();
        let end = start + 1 + mark.len() + numbers.len();
        (MIN_NUMBERS <= count).then_some(start..end)
    })
}

//! Hardware (MAC) addresses: `00:16:3e:aa:bb:cc`, `00-16-3e-aa-bb-cc`, `0016.3eaa.bbcc`, and
//! netfilter's form of two addresses with a packet type.

use std::ops::Range;

use crate::text::hex;

/// Pairs of an address, and pairs in netfilter's form: target, source and packet type.
const PAIRS: usize = 6;
const NETFILTER_PAIRS: usize = 14;

/// The first address that begins in this range. More or fewer pairs are a fingerprint, a name in a
/// storage network, or a time.
pub(super) fn hardware_address(word: &[u8], starts: Range<usize>) -> Option<Range<usize>> {
    let mut at = starts.start;
    while at < starts.end {
        let group = word[at..].iter().take_while(|it| it.is_ascii_alphanumeric()).count();
        // The first group rejects nearly all words.
        let formed =
            matches!((group, word.get(at + group)), (2, Some(b':' | b'-')) | (4, Some(b'.')));
        if formed && !goes_on(&word[starts.start..at]) {
            let end = groups_end(word, at);
            if is_address(&word[at..end]) {
                return Some(at..end);
            }
        }
        at += group.max(1);
    }
    None
}

/// Whether another pair and its separator stand right before.
fn goes_on(before: &[u8]) -> bool {
    match before {
        [.., other, first, second, b':' | b'-'] => {
            hex(*first) && hex(*second) && !other.is_ascii_alphanumeric()
        }
        [first, second, b':' | b'-'] => hex(*first) && hex(*second),
        _ => false,
    }
}

/// The end of the groups of hexadecimal digits with the same separator.
fn groups_end(word: &[u8], from: usize) -> usize {
    let group = |at: usize| word[at..].iter().take_while(|it| it.is_ascii_alphanumeric()).count();
    let mut end = from + group(from);
    let Some(sign @ (b':' | b'-' | b'.')) = word.get(end).copied() else { return end };
    // Reading one group more than the longest form shows whether it continues.
    for _ in 0..NETFILTER_PAIRS {
        if word.get(end) != Some(&sign) || group(end + 1) == 0 {
            break;
        }
        end += 1 + group(end + 1);
    }
    end
}

fn is_address(text: &[u8]) -> bool {
    let Some(sign) = text.iter().copied().find(|it| !hex(*it)) else { return false };
    let count = text.split(|it| *it == sign).count();
    let all = |length: usize| {
        text.split(|it| *it == sign).all(|it| it.len() == length && it.iter().all(|it| hex(*it)))
    };
    // Without a letter it may be a time or a version.
    let letter = || text.iter().any(u8::is_ascii_alphabetic);
    let formed = match sign {
        b':' => matches!(count, PAIRS | NETFILTER_PAIRS) && all(2),
        b'-' => count == PAIRS && all(2) && letter(),
        b'.' => count == 3 && all(4) && letter(),
        _ => false,
    };
    let same = |byte: u8| text.iter().all(|it| *it == sign || it.eq_ignore_ascii_case(&byte));
    // The null address and the broadcast address identify no card.
    formed && !same(b'0') && !same(b'f')
}

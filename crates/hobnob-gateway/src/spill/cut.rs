//! Where to cut: inside JSON-escaped text, and how much of each of many pieces.

/// The longest prefix of an escaped text of at most `limit` bytes that splits neither a character,
/// nor an escape, nor a surrogate pair of escapes.
pub(super) fn cut_escaped(inside: &str, limit: usize) -> &str {
    if inside.len() <= limit {
        return inside;
    }
    let bytes = inside.as_bytes();
    let mut from = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[from..limit]) {
        let at = from + found;
        let end = at + escape_length(&bytes[at..]);
        if end > limit {
            return inside.get(..at).unwrap_or_default();
        }
        from = end;
        if from >= limit {
            break;
        }
    }
    inside.get(..inside.floor_char_boundary(limit)).unwrap_or_default()
}

fn escape_length(bytes: &[u8]) -> usize {
    let high_half =
        matches!(bytes.get(2..4), Some([b'd' | b'D', b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B']));
    match bytes.get(1) {
        Some(b'u') if high_half => 12,
        Some(b'u') => 6,
        _ => 2,
    }
}

/// Max-min fair share of the budget: pieces up to this size stay whole, and the larger ones get
/// this much each.
pub(super) fn fair_share(sizes: &[usize], budget: usize) -> usize {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable();
    let mut left = budget;
    for (index, size) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - index);
        if *size > share {
            return share;
        }
        left -= size;
    }
    usize::MAX
}

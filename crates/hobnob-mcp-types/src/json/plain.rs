//! How far a string is plain: up to a quote, a backslash or a control character.
//!
//! Every message passes here byte by byte, once in and once out. Sixteen bytes are looked at
//! together, in instructions that are asked for by name: a loop becomes vector instructions only in
//! some builds, and the program that packages ship, which is compiled for size, is none of them.
//! Blocks are small, because most strings and most stretches between two escapes are short.

/// Bytes looked at together.
const BLOCK: usize = 16;
/// Bytes that most stretches between two escapes do not reach.
const SHORT: usize = 8 * BLOCK;
/// Bytes of a long stretch between two branches.
#[cfg(target_arch = "x86_64")]
const LONG: usize = 8 * BLOCK;

/// How many bytes may be copied before a quote, a backslash or a control character.
pub(crate) fn plain_prefix(bytes: &[u8]) -> usize {
    let Some((start, rest)) = bytes.split_first_chunk::<SHORT>() else {
        return plain_blocks(bytes);
    };
    let plain = plain_blocks(start);
    if plain < SHORT {
        return plain;
    }
    let plain = SHORT + long_prefix(rest);
    plain + plain_blocks(&bytes[plain..])
}

/// The same for a few blocks.
fn plain_blocks(bytes: &[u8]) -> usize {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    for (index, block) in blocks.iter().enumerate() {
        if let Some(at) = first_special(block) {
            return index * BLOCK + at;
        }
    }
    blocks.len() * BLOCK + plain_words(rest)
}

/// How many bytes are plain, at least.
#[cfg(target_arch = "x86_64")]
fn long_prefix(bytes: &[u8]) -> usize {
    let (longs, _) = bytes.as_chunks::<LONG>();
    let is_plain = |long: &[u8; LONG]| {
        let (blocks, _) = long.as_chunks::<BLOCK>();
        let blocks = blocks.iter().map(|block| Least::of(safe_arch::load_unaligned_m128i(block)));
        blocks.reduce(Least::and).is_none_or(|least| zeros(least.marks()) == 0)
    };
    LONG * longs.iter().position(|long| !is_plain(long)).unwrap_or(longs.len())
}

/// Elsewhere words are all that is looked at together.
#[cfg(not(target_arch = "x86_64"))]
fn long_prefix(_bytes: &[u8]) -> usize {
    0
}

/// Where the first special byte of a block is.
#[cfg(target_arch = "x86_64")]
fn first_special(block: &[u8; BLOCK]) -> Option<usize> {
    let found = zeros(Least::of(safe_arch::load_unaligned_m128i(block)).marks());
    (found != 0).then(|| found.trailing_zeros() as usize)
}

/// The least of what blocks have at each place, with the bits turned that make special bytes small.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Least {
    /// A backslash is zero.
    backslashes: safe_arch::m128i,
    /// A quote is the next above the control characters, so that one comparison finds both.
    others: safe_arch::m128i,
}

#[cfg(target_arch = "x86_64")]
impl Least {
    fn of(block: safe_arch::m128i) -> Self {
        use safe_arch::{bitxor_m128i, set_splat_i8_m128i};
        Self {
            backslashes: bitxor_m128i(block, set_splat_i8_m128i(b'\\'.cast_signed())),
            others: bitxor_m128i(block, set_splat_i8_m128i(0x02)),
        }
    }

    fn and(self, other: Self) -> Self {
        use safe_arch::min_u8_m128i;
        Self {
            backslashes: min_u8_m128i(self.backslashes, other.backslashes),
            others: min_u8_m128i(self.others, other.others),
        }
    }

    /// Zero for each place where a byte is special.
    fn marks(self) -> safe_arch::m128i {
        use safe_arch::{min_u8_m128i, set_splat_i8_m128i, sub_saturating_u8_m128i};
        let others = sub_saturating_u8_m128i(self.others, set_splat_i8_m128i(0x20));
        min_u8_m128i(self.backslashes, others)
    }
}

/// A bit for each byte that is zero.
#[cfg(target_arch = "x86_64")]
fn zeros(marks: safe_arch::m128i) -> i32 {
    use safe_arch::{cmp_eq_mask_i8_m128i, m128i, move_mask_i8_m128i};
    move_mask_i8_m128i(cmp_eq_mask_i8_m128i(marks, m128i::default()))
}

/// Where the first special byte of a block is.
#[cfg(not(target_arch = "x86_64"))]
fn first_special(block: &[u8; BLOCK]) -> Option<usize> {
    let at = plain_words(block);
    (at < BLOCK).then_some(at)
}

/// The same for a few bytes, eight of them at a time in one word.
#[inline(never)]
fn plain_words(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let found = specials(u64::from_le_bytes(*word));
        if found != 0 {
            return index * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    if halves(rest).is_some_and(|word| specials(word) == 0) {
        return bytes.len();
    }
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    words.len() * 8 + rest.iter().position(is_special).unwrap_or(rest.len())
}

/// Four to seven bytes as one word, those in the middle twice: names of members are seldom longer.
fn halves(bytes: &[u8]) -> Option<u64> {
    let half = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
    Some(half(bytes.first_chunk()?) << 32 | half(bytes.last_chunk()?))
}

/// The high bit of each byte that is special. A borrow may add marks, but only above a true one,
/// so the lowest mark is exact.
fn specials(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let quotes = (word ^ (ONES * b'"' as u64)).wrapping_sub(ONES);
    let backslashes = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    let controls = word.wrapping_sub(ONES * 0x20);
    // A byte beyond ASCII is never special, and stays beyond it in all three.
    (quotes | backslashes | controls) & !word & HIGH
}

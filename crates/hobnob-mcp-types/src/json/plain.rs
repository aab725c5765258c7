//! Finds the first byte of a string that is special: a quote, a backslash or a control character.
//!
//! Every message is scanned here once when it is read and once when it is written, 16 bytes per
//! step. The SIMD instructions are explicit: the compiler vectorizes such a loop only in some
//! builds, and not in the packaged program, which is compiled for size. Blocks are small, because
//! most strings and most stretches between two escapes are short.

/// Bytes per step: one SSE2 register.
const BLOCK: usize = 16;
/// The stretch that is scanned block by block first; most stretches end within it.
const SHORT_LEN: usize = 8 * BLOCK;
/// Bytes per branch in a long stretch.
#[cfg(target_arch = "x86_64")]
const STRIDE: usize = 8 * BLOCK;

/// The number of bytes before the first quote, backslash or control character.
pub(crate) fn plain_prefix(bytes: &[u8]) -> usize {
    let Some((start, rest)) = bytes.split_first_chunk::<SHORT_LEN>() else {
        return plain_blocks(bytes);
    };
    let plain = plain_blocks(start);
    if plain < SHORT_LEN {
        return plain;
    }
    let plain = SHORT_LEN + long_prefix(rest);
    plain + plain_blocks(&bytes[plain..])
}

/// Like [`plain_prefix`], one branch per block.
fn plain_blocks(bytes: &[u8]) -> usize {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    for (index, block) in blocks.iter().enumerate() {
        if let Some(at) = first_special(block) {
            return index * BLOCK + at;
        }
    }
    blocks.len() * BLOCK + plain_words(rest)
}

/// A lower bound on the number of plain bytes, in whole strides.
#[cfg(target_arch = "x86_64")]
fn long_prefix(bytes: &[u8]) -> usize {
    let (strides, _) = bytes.as_chunks::<STRIDE>();
    let is_plain = |long: &[u8; STRIDE]| {
        let (blocks, _) = long.as_chunks::<BLOCK>();
        let blocks = blocks.iter().map(|block| Minima::of(safe_arch::load_unaligned_m128i(block)));
        blocks.reduce(Minima::and).is_none_or(|minima| zeros(minima.marks()) == 0)
    };
    STRIDE * strides.iter().position(|long| !is_plain(long)).unwrap_or(strides.len())
}

/// Other targets have no strides: `plain_blocks` scans everything.
#[cfg(not(target_arch = "x86_64"))]
fn long_prefix(_bytes: &[u8]) -> usize {
    0
}

/// The index of the first special byte of a block.
#[cfg(target_arch = "x86_64")]
fn first_special(block: &[u8; BLOCK]) -> Option<usize> {
    let found = zeros(Minima::of(safe_arch::load_unaligned_m128i(block)).marks());
    (found != 0).then(|| found.trailing_zeros() as usize)
}

/// The minimum of several blocks in each lane, after an XOR that makes special bytes small.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Minima {
    /// After XOR with `\`: a backslash becomes zero.
    backslashes: safe_arch::m128i,
    /// After XOR with 0x02: a quote is next to the control characters, for a single comparison.
    others: safe_arch::m128i,
}

#[cfg(target_arch = "x86_64")]
impl Minima {
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

    /// Zero in each lane with a special byte.
    fn marks(self) -> safe_arch::m128i {
        use safe_arch::{min_u8_m128i, set_splat_i8_m128i, sub_saturating_u8_m128i};
        let others = sub_saturating_u8_m128i(self.others, set_splat_i8_m128i(0x20));
        min_u8_m128i(self.backslashes, others)
    }
}

/// A bit mask of the lanes that are zero.
#[cfg(target_arch = "x86_64")]
fn zeros(marks: safe_arch::m128i) -> i32 {
    use safe_arch::{cmp_eq_mask_i8_m128i, m128i, move_mask_i8_m128i};
    move_mask_i8_m128i(cmp_eq_mask_i8_m128i(marks, m128i::default()))
}

/// The index of the first special byte of a block.
#[cfg(not(target_arch = "x86_64"))]
fn first_special(block: &[u8; BLOCK]) -> Option<usize> {
    let at = plain_words(block);
    (at < BLOCK).then_some(at)
}

/// Like [`plain_prefix`] for a few bytes: SWAR, eight bytes per word.
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

/// Four to seven bytes as one word, with an overlap. Member names are seldom longer.
fn halves(bytes: &[u8]) -> Option<u64> {
    let half = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
    Some(half(bytes.first_chunk()?) << 32 | half(bytes.last_chunk()?))
}

/// Marks each special byte in its high bit. A borrow may set further marks, but only above a real
/// one, so the lowest mark is exact.
fn specials(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let quotes = (word ^ (ONES * b'"' as u64)).wrapping_sub(ONES);
    let backslashes = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    let controls = word.wrapping_sub(ONES * 0x20);
    // `!word` drops the marks of bytes beyond ASCII, which are never special.
    (quotes | backslashes | controls) & !word & HIGH
}

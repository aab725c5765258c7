//! How far a string is plain: up to a quote, a backslash or a control character.
//!
//! Every message passes here byte by byte, once in and once out. Sixteen bytes are looked at
//! together, in instructions that are asked for by name: a loop becomes vector instructions only in
//! some builds, and the program that packages ship, which is compiled for size, is none of them.
//! Blocks are small, because most strings and most stretches between two escapes are short.

/// Bytes looked at together.
const BLOCK: usize = 16;

/// How many bytes may be copied before a quote, a backslash or a control character.
pub(crate) fn plain_prefix(bytes: &[u8]) -> usize {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    for (index, block) in blocks.iter().enumerate() {
        if let Some(at) = first_special(block) {
            return index * BLOCK + at;
        }
    }
    blocks.len() * BLOCK + plain_words(rest)
}

/// Where the first special byte of a block is. A byte that is special is zero in one of three
/// forms, and the smallest of the three says whether it is.
#[cfg(target_arch = "x86_64")]
fn first_special(block: &[u8; BLOCK]) -> Option<usize> {
    use safe_arch::{
        bitand_m128i, bitxor_m128i, cmp_eq_mask_i8_m128i, load_unaligned_m128i, m128i,
        min_u8_m128i, move_mask_i8_m128i, set_splat_i8_m128i,
    };
    let bytes = load_unaligned_m128i(block);
    let all = |byte: u8| set_splat_i8_m128i(byte.cast_signed());
    let quotes = bitxor_m128i(bytes, all(b'"'));
    let backslashes = bitxor_m128i(bytes, all(b'\\'));
    let controls = bitand_m128i(bytes, all(0xE0));
    let smallest = min_u8_m128i(min_u8_m128i(quotes, backslashes), controls);
    let found = move_mask_i8_m128i(cmp_eq_mask_i8_m128i(smallest, m128i::default()));
    (found != 0).then(|| found.trailing_zeros() as usize)
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
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    words.len() * 8 + rest.iter().position(is_special).unwrap_or(rest.len())
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

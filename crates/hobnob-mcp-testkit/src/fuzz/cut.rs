//! Ways to cut an input into pieces, for decoders whose result must not depend on how bytes arrive.

/// The whole input, each byte alone, and two parts cut at up to 12 places.
pub(super) fn cuts(data: &[u8]) -> impl Iterator<Item = Vec<&[u8]>> {
    let step = data.len() / 12 + 1;
    let halves = (0..=data.len()).step_by(step).map(|at| vec![&data[..at], &data[at..]]);
    [vec![data], data.chunks(1).collect()].into_iter().chain(halves)
}

/// The first byte as a small number, and the rest.
pub(super) fn small_number(data: &[u8]) -> (usize, &[u8]) {
    data.split_first().map_or((0, data), |(first, rest)| (usize::from(*first), rest))
}

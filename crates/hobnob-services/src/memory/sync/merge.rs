//! A three-way merge by digests: the last exchanged state, the local one and the remote one decide
//! what each side has to do. It knows neither the store nor git.

/// What has to be done with one memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing: both sides agree.
    Nothing,
    /// Send the local entry.
    Send,
    /// Take the remote entry.
    Take,
    /// Both changed: take the remote entry, and keep the local one as a new memory.
    KeepBoth,
    /// One side deleted it and the other changed it: keep the changed one.
    Revive,
}

/// The state of a memory on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MergeSide<'a> {
    /// The side does not have it.
    Missing,
    /// It exists, with this digest.
    Alive(&'a [u8]),
    /// It was deleted; this is the digest of what is left.
    Deleted(&'a [u8]),
}

impl<'a> MergeSide<'a> {
    fn digest(self) -> Option<&'a [u8]> {
        match self {
            Self::Missing => None,
            Self::Alive(digest) | Self::Deleted(digest) => Some(digest),
        }
    }
}

/// Decides what to do with one memory, given the digest that both sides had last.
pub(super) fn decide(last: Option<&[u8]>, here: MergeSide<'_>, there: MergeSide<'_>) -> Verdict {
    if here.digest() == there.digest() {
        return Verdict::Nothing;
    }
    match (here, there) {
        // A memory purged here is not brought back by a remote that has not changed it.
        (MergeSide::Missing, _) if last.is_some() && last == there.digest() => Verdict::Nothing,
        (MergeSide::Missing, MergeSide::Deleted(_)) => Verdict::Nothing,
        (MergeSide::Missing, _) => Verdict::Take,
        (_, MergeSide::Missing) => Verdict::Send,
        // Their remains may differ, and would be sent back and forth for ever.
        (MergeSide::Deleted(_), MergeSide::Deleted(_)) => Verdict::Nothing,
        _ if last == there.digest() => Verdict::Send,
        _ if last == here.digest() => Verdict::Take,
        (MergeSide::Deleted(_), MergeSide::Alive(_))
        | (MergeSide::Alive(_), MergeSide::Deleted(_)) => Verdict::Revive,
        (MergeSide::Alive(_), MergeSide::Alive(_)) => Verdict::KeepBoth,
    }
}

#[cfg(test)]
mod tests {
    use super::{MergeSide, Verdict, decide};

    #[test]
    fn every_combination_has_its_verdict() {
        let (old, new, other): (&[u8], &[u8], &[u8]) = (b"old", b"new", b"other");
        use MergeSide::{Alive, Deleted, Missing};
        for (last, here, there, verdict) in [
            (None, Missing, Alive(new), Verdict::Take),
            (None, Alive(new), Missing, Verdict::Send),
            (None, Alive(new), Alive(new), Verdict::Nothing),
            (None, Alive(new), Alive(other), Verdict::KeepBoth),
            (None, Missing, Deleted(old), Verdict::Nothing),
            (Some(old), Alive(old), Alive(new), Verdict::Take),
            (Some(old), Alive(new), Alive(old), Verdict::Send),
            (Some(old), Alive(new), Alive(other), Verdict::KeepBoth),
            (Some(old), Deleted(new), Alive(old), Verdict::Send),
            (Some(old), Alive(old), Deleted(new), Verdict::Take),
            (Some(old), Alive(new), Deleted(other), Verdict::Revive),
            (Some(old), Deleted(new), Alive(other), Verdict::Revive),
            (Some(old), Missing, Alive(old), Verdict::Nothing),
            (Some(old), Missing, Alive(new), Verdict::Take),
            (Some(old), Alive(old), Missing, Verdict::Send),
            (Some(old), Missing, Missing, Verdict::Nothing),
            (Some(old), Deleted(new), Deleted(other), Verdict::Nothing),
            (Some(old), Deleted(new), Deleted(old), Verdict::Nothing),
            (Some(old), Deleted(old), Deleted(new), Verdict::Nothing),
        ] {
            assert_eq!(decide(last, here, there), verdict, "{last:?} {here:?} {there:?}");
        }
    }
}

//! Every relation of a token's generation to the generations used before.

use super::{TokenUse, UsedGeneration, judge};

#[test]
fn an_old_token_works_until_its_successor_is_used_or_the_grace_ends() {
    let used = |generation, since| UsedGeneration { generation, since };
    let first = |generation, since| TokenUse::First(used(generation, since));
    let cases = [
        // No token was used yet.
        (1, used(0, 0), 100, first(1, 100)),
        // The first one again, within the grace period and after it.
        (1, used(1, 100), 100, TokenUse::Again),
        (1, used(1, 100), 160, TokenUse::Again),
        (1, used(1, 100), 161, TokenUse::Reuse),
        // Its successor, at any time.
        (2, used(1, 100), 101, first(2, 101)),
        (2, used(1, 100), 9_999_999, first(2, 9_999_999)),
        // Once the successor was used, the old one may not be used.
        (1, used(2, 101), 102, TokenUse::Reuse),
        // A sibling of the successor has the same grace period.
        (2, used(2, 101), 161, TokenUse::Again),
        (2, used(2, 101), 162, TokenUse::Reuse),
        // A clock that was set back.
        (1, used(1, 100), 50, TokenUse::Again),
    ];
    for (generation, before, now, expected) in cases {
        assert_eq!(judge(generation, before, now, 60), expected, "{generation} {before:?} {now}");
    }
}

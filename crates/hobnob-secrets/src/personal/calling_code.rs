//! International calling codes, and how many digits may follow each.
//!
//! `phone` validates international numbers with it.

use std::ops::RangeInclusive;

/// The minimum and maximum number of digits after some codes.
const PLANS: [(usize, usize, &str); 17] = [
    (6, 9, "376"),
    (6, 11, "39 352 358"),
    (6, 12, "49"),
    (6, 13, "43"),
    (7, 7, "220 960"),
    (7, 8, "372 507 961 975"),
    (7, 9, "353 354 359 423 967"),
    (7, 10, "46 95"),
    (
        8,
        8,
        "45 47 53 65 216 356 357 370 371 373 374 382 383 386 387 389 502 503 \
        504 505 506 591 598 852 853 965 968 973 974 976 993",
    ),
    (
        8,
        9,
        "32 36 51 66 213 218 237 355 377 381 385 593 855 886 962 963 966 971 \
        972",
    ),
    (8, 10, "20 60 63 64 225 234 856 880 964 977"),
    (8, 11, "82"),
    (8, 12, "62"),
    (
        9,
        9,
        "27 31 33 34 40 41 48 56 61 93 94 211 212 221 233 244 249 250 251 254 \
        255 256 258 260 261 263 351 375 380 420 421 595 992 994 995 996 998",
    ),
    (9, 10, "44 81 84 92"),
    (10, 10, "1 7 30 57 58 90 91 98"),
    (10, 11, "52 54 55 86"),
];

/// Whether these digits are a calling code and a number of valid length. After the code 1, area
/// codes begin with 2 or more.
pub(crate) fn is_number(digits: &str) -> bool {
    let fits = |code: &str, lengths: RangeInclusive<usize>| {
        let number = digits.strip_prefix(code).unwrap_or_default();
        lengths.contains(&number.len()) && (code != "1" || !number.starts_with(['0', '1']))
    };
    PLANS.iter().any(|(min, max, codes)| codes.split(' ').any(|code| fits(code, *min..=*max)))
}

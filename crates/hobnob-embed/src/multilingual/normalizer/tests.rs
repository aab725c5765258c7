//! Spaces and damaged tables; the real table is tested with the real weights.

use super::Normalizer;

#[test]
fn spaces_are_marks_between_words() {
    let normalizer = Normalizer::default();
    for (text, expected) in [
        ("", ""),
        ("   ", ""),
        ("a", "▁a"),
        ("  two  words ", "▁two▁words"),
        ("ß 東京 👩‍👧", "▁ß▁東京▁👩‍👧"),
    ] {
        assert_eq!(normalizer.normalize(text), expected, "{text:?}");
    }
}

#[test]
fn a_key_of_the_trie_is_replaced() {
    // The root's children begin at unit 0x100; `a` is there with a leaf, whose value is 0.
    let mut units = vec![0_u32; 0x400];
    units[0] = 0x100 << 10;
    units[0x100 ^ usize::from(b'a')] = 0x200 << 10 | 0x100 | u32::from(b'a');
    units[(0x100 ^ usize::from(b'a')) ^ 0x200] = 0x8000_0000;
    let size = u32::try_from(units.len() * 4).unwrap();
    let mut map = size.to_le_bytes().to_vec();
    map.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
    map.extend(b"x \0");
    let normalizer = Normalizer::read(&map).unwrap();
    assert_eq!(normalizer.normalize("bab"), "▁bx▁b");
    assert_eq!(normalizer.normalize("a a"), "▁x▁x");
}

#[test]
fn damaged_tables_are_refused_or_harmless() {
    let cases: [&[u8]; 5] = [b"", b"\x01", b"\x04\0\0\0\0\0", b"\x03\0\0\0\0\0\0\0", b"\0\0\0\0a"];
    for map in cases {
        assert!(Normalizer::read(map).is_none(), "{map:?}");
    }
    // Numbers without a pattern lead anywhere, also out of the tables.
    let mut seed = 1_u32;
    for _ in 0..200 {
        let mut map = 64_u32.to_le_bytes().to_vec();
        for _ in 0..16 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            map.extend(seed.to_le_bytes());
        }
        map.extend(b"b\0");
        let normal = Normalizer::read(&map).unwrap().normalize("ab\u{1}\u{2} é\u{10ffff}");
        assert!(normal.len() < 1_000);
    }
}

//! The cache of catalogues: what it returns, what it rejects, and what it prunes.

use hobnob_config::{CatalogueCache, Digest, StateFileError};

use crate::support::{Scratch, listing};

#[test]
fn what_was_stored_comes_back() {
    let scratch = Scratch::new();
    let cache = CatalogueCache::new(&scratch.path("catalogues"));
    let digest = Digest::of(b"a");
    assert_eq!(cache.load(&digest), None);
    for text in [r#"{"tools": [1e400, "ü"]}"#, "{}"] {
        cache.store(&digest, text).unwrap();
        assert_eq!(cache.load(&digest).as_deref(), Some(text));
    }
    assert_eq!(cache.load(&Digest::of(b"b")), None);
}

#[test]
fn what_is_damaged_is_absent() {
    let digest = Digest::of(b"a");
    for bytes in [b"".as_slice(), b"{\"tools\": [", b"\xff\xfe", b"{} {}"] {
        let scratch = Scratch::new();
        let folder = scratch.path("catalogues");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{digest}.json")), bytes).unwrap();
        assert_eq!(CatalogueCache::new(&folder).load(&digest), None, "{bytes:?}");
    }
}

#[test]
fn large_catalogues_are_not_kept() {
    let scratch = Scratch::new();
    let cache = CatalogueCache::new(&scratch.path("catalogues"));
    let digest = Digest::of(b"a");
    let limit = 8 * 1024 * 1024;
    let text = |length: usize| format!("\"{}\"", "x".repeat(length - 2));
    cache.store(&digest, &text(limit)).unwrap();
    assert_eq!(cache.load(&digest).unwrap().len(), limit);
    let refused = cache.store(&digest, &text(limit + 1));
    assert!(matches!(refused, Err(StateFileError::TooLarge(size)) if size == limit + 1));
}

#[test]
fn pruning_keeps_what_is_listed_and_foreign_files() {
    let scratch = Scratch::new();
    let folder = scratch.path("catalogues");
    let cache = CatalogueCache::new(&folder);
    assert_eq!(cache.prune([]).unwrap(), 0);
    let digests = [b"a", b"b", b"c"].map(|it| Digest::of(it));
    for digest in &digests {
        cache.store(digest, "{}").unwrap();
    }
    scratch.write("catalogues/notes.json", "{}");
    assert_eq!(cache.prune([&digests[1]]).unwrap(), 2);
    let mut expected = [format!("{}.json", digests[1]), "notes.json".into()];
    expected.sort();
    assert_eq!(listing(&folder), expected);
}

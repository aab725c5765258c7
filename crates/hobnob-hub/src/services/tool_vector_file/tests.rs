//! What the cache keeps and drops, and files with other contents.

use super::{MAX_VECTORS, ToolVectorFile, VectorsByDigest};
use hobnob_config::Digest;
use std::fs;

fn key(number: usize) -> Digest {
    Digest::of(&number.to_le_bytes())
}

fn vectors(numbers: std::ops::Range<usize>) -> VectorsByDigest {
    numbers.map(|number| (key(number), vec![number as f32, 0.5])).collect()
}

#[test]
fn what_several_processes_keep_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = ToolVectorFile::new(&folder.path().join("folder/vectors.bin"));
    assert_eq!(file.read(), vectors(0..0));
    file.write(&[key(0), key(1)], vectors(0..2));
    file.write(&[key(2)], vectors(2..3));
    assert_eq!(file.read(), vectors(0..3));
}

#[test]
fn there_are_never_too_many_and_the_current_ones_stay() {
    let folder = tempfile::tempdir().unwrap();
    let file = ToolVectorFile::new(&folder.path().join("vectors.bin"));
    file.write(&[], vectors(0..MAX_VECTORS));
    let current = [key(MAX_VECTORS), key(MAX_VECTORS + 1)];
    file.write(&current, vectors(MAX_VECTORS..MAX_VECTORS + 2));
    let kept = file.read();
    assert_eq!(kept.len(), MAX_VECTORS);
    assert!(current.iter().all(|key| kept.contains_key(key)));
}

#[test]
fn a_file_that_is_damaged_counts_as_empty_and_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vectors.bin");
    let file = ToolVectorFile::new(&path);
    file.write(&[], vectors(0..3));
    let whole = fs::read(&path).unwrap();
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let longer = [whole.as_slice(), b"x"].concat();
    let cases =
        [&whole[..whole.len() - 1], &whole[..30], b"", b"something else", &flipped, &longer];
    for bytes in cases {
        fs::write(&path, bytes).unwrap();
        assert_eq!(file.read(), vectors(0..0), "{} bytes", bytes.len());
    }
    file.write(&[], vectors(0..1));
    assert_eq!(file.read(), vectors(0..1));
}

//! Reads valid files, and rejects hostile ones.

use super::{BadTensors, Tensors};

const LIMIT: usize = 1 << 16;

fn file(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat()
}

fn read(bytes: &[u8]) -> Result<Tensors, BadTensors> {
    Tensors::read(&mut &bytes[..], LIMIT)
}

#[test]
fn numbers_are_found_by_name_and_shape() {
    let header = r#"{"__metadata__":{"format":"pt"},
        "b":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]},
        "ids":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}}"#;
    let numbers = [1.5_f32.to_le_bytes(), (-2.0_f32).to_le_bytes()].concat();
    let bytes = file(header, &[vec![0xff; 8], numbers].concat());
    let mut tensors = read(&bytes).unwrap();
    for (name, shape) in [("ids", &[1][..]), ("c", &[1]), ("b", &[2, 1])] {
        let found = read(&bytes).unwrap().take(name, shape);
        assert!(matches!(found, Err(BadTensors::Missing { .. })), "{name} {shape:?}");
    }
    assert_eq!(tensors.take("b", &[1, 2]).unwrap(), [1.5, -2.0]);
    assert!(tensors.take("b", &[1, 2]).is_err(), "taken twice");
}

#[test]
fn more_numbers_than_one_chunk_come_whole() {
    let count = 16_384;
    let header =
        format!(r#"{{"a":{{"dtype":"F32","shape":[{count}],"data_offsets":[0,{}]}}}}"#, 4 * count);
    let numbers: Vec<u8> = (0..count).flat_map(|at| (at as f32).to_le_bytes()).collect();
    let mut tensors = read(&file(&header, &numbers)).unwrap();
    let found = tensors.take("a", &[count]).unwrap();
    assert!(found.iter().enumerate().all(|(at, value)| *value == at as f32));
}

#[test]
fn damaged_files_are_errors() {
    let good = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
    let huge = r#"{"a":{"dtype":"F32","shape":[1048576],"data_offsets":[0,4194304]}}"#;
    let apart = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}"#;
    let wrong = r#"{"a":{"dtype":"F32","shape":[9223372036854775807,9],"data_offsets":[0,8]}}"#;
    for (what, bytes) in [
        ("empty", vec![]),
        ("cut in the length", vec![1, 2, 3]),
        ("an endless header", u64::MAX.to_le_bytes().to_vec()),
        ("no header", file("", &[])),
        ("a header that is not JSON", file("{", &[])),
        ("a cut header", file(good, &[])[..30].to_vec()),
        ("no numbers", file(good, &[])),
        ("cut numbers", file(good, &[0; 7])),
        ("too many numbers", file(huge, &[0; 16])),
        ("a gap", file(apart, &[0; 12])),
        ("a shape that is not its size", file(wrong, &[0; 8])),
    ] {
        assert!(read(&bytes).is_err(), "{what}");
    }
    assert!(read(&file(good, &[0; 8])).is_ok());
}

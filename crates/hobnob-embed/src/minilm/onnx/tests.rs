//! A file of a few bytes, whole, cut at every place, and with every byte changed.

use super::read_onnx;

fn field(number: u64, value: &[u8]) -> Vec<u8> {
    // The length in two bytes of seven bits each.
    let length = [(value.len() & 0x7F) as u8 | 0x80, (value.len() >> 7) as u8];
    let mut bytes = vec![(number << 3 | 2) as u8, length[0], length[1]];
    bytes.extend(value);
    bytes
}

fn tensor(name: &str, shape: &[u8], kind: u8, values: &[f32]) -> Vec<u8> {
    let mut bytes: Vec<u8> = shape.iter().flat_map(|size| [8, *size]).collect();
    bytes.extend([16, kind]);
    bytes.extend(field(8, name.as_bytes()));
    let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    bytes.extend(field(9, &raw));
    field(5, &bytes)
}

fn model() -> Vec<u8> {
    let node = [field(1, b"input"), field(1, b"onnx::MatMul_7"), field(3, b"/layer.0/key/MatMul")];
    let graph = [
        field(1, &node.concat()),
        tensor("norm", &[2], 1, &[5.0, 6.0]),
        tensor("embeddings.positions", &[2, 1], 1, &[7.0, 8.0]),
        tensor("ids", &[1], 7, &[1.0]),
        tensor("onnx::MatMul_7", &[2, 3], 1, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
    ];
    field(7, &graph.concat())
}

#[test]
fn tensors_have_the_names_of_their_places() {
    let mut tensors = read_onnx(&model()).unwrap();
    assert_eq!(tensors.take("norm", &[2]).unwrap(), [5.0, 6.0]);
    assert_eq!(tensors.take("embeddings.positions", &[2, 1]).unwrap(), [7.0, 8.0]);
    let turned = [1.0, 4.0, 2.0, 5.0, 3.0, 6.0];
    assert_eq!(tensors.take("layer.0.key.weight", &[3, 2]).unwrap(), turned);
    assert!(tensors.take("ids", &[1]).is_err());
}

#[test]
fn a_damaged_file_is_an_error_or_lacks_tensors() {
    let whole = model();
    for length in 1..whole.len() {
        assert!(read_onnx(&whole[..length]).is_err(), "cut to {length}");
    }
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut changed = whole.clone();
            changed[at] ^= 1 << bit;
            // Its checksum would refuse it; reading it must only end.
            drop(read_onnx(&changed));
        }
    }
}

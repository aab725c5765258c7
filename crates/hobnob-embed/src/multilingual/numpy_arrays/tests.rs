//! Archives made in memory: arrays of the right name, type and shape are read, all others refused.

use super::NumpyArchive;
use std::io::{Cursor, Write as _};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn array(header: &str, content: &[u8]) -> Vec<u8> {
    let header = format!("{header:<117}\n");
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), content].concat()
}

fn archive(file: &[u8]) -> NumpyArchive<Cursor<Vec<u8>>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("x.npy", SimpleFileOptions::default()).unwrap();
    zip.write_all(file).unwrap();
    NumpyArchive::open(zip.finish().unwrap()).unwrap()
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    let header =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}", numbers.len());
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    array(&header, &bytes)
}

#[test]
fn arrays_are_read() {
    assert_eq!(archive(&floats(&[1.5, -2.0])).floats("x", &[2]).unwrap(), [1.5, -2.0]);
    let matrix = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }";
    let read = archive(&array(matrix, &[0, 1, 2, 3, 4, 5])).bytes("x", &[2, 3], 5);
    assert_eq!(read.unwrap(), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn other_arrays_are_refused() {
    let two = floats(&[1.0, 2.0]);
    let transposed = "{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }";
    let cases: [(&[u8], &str); 7] = [
        (&two, "y"),
        (&two[..two.len() - 1], "x"),
        (&two[..20], "x"),
        (&two[..5], "x"),
        (&floats(&[1.0]), "x"),
        (&array(transposed, &[0; 8]), "x"),
        (&floats(&[1.0, f32::INFINITY]), "x"),
    ];
    for (at, (file, name)) in cases.into_iter().enumerate() {
        assert!(archive(file).floats(name, &[2]).is_err(), "case {at}");
    }
    let byte = array("{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", &[64]);
    assert!(archive(&byte).bytes("x", &[1], 63).is_err(), "a number that is too large");
    assert!(NumpyArchive::open(Cursor::new(b"no zip".to_vec())).is_err());
}

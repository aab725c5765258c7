//! Reads the arrays of a NumPy archive (`.npz`): a zip file with one `.npy` file for each array.
//!
//! `network` names the arrays and their shapes. What must stay true: no more is read of an array
//! than its shape needs, even if its header or the archive claims more.

use std::io::{self, Read, Seek};

use zip::ZipArchive;
use zip::result::ZipError;

#[cfg(test)]
mod tests;

/// The header of an array is shorter than this.
const MAX_HEADER_BYTES: usize = 1 << 12;

/// Why an archive does not have a usable array.
#[derive(Debug, thiserror::Error)]
pub(super) enum BadArray {
    #[error("it is not a readable archive: {0}")]
    Archive(#[from] ZipError),
    #[error("`{name}` cannot be read: {source}")]
    Read { name: String, source: io::Error },
    #[error("`{name}` is no array of {shape:?} numbers of the type {kind}")]
    Shape { name: String, shape: Vec<usize>, kind: &'static str },
    #[error("`{name}` has numbers that are not valid")]
    Value { name: String },
}

/// An archive whose list of files has been read.
pub(super) struct NumpyArchive<R>(ZipArchive<R>);

impl<R: Read + Seek> NumpyArchive<R> {
    /// Reads the directory of the archive.
    pub(super) fn open(reader: R) -> Result<Self, BadArray> {
        Ok(Self(ZipArchive::new(reader)?))
    }

    /// Reads an array of 32-bit floats; infinite ones are refused.
    pub(super) fn floats(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, BadArray> {
        let bytes = self.read(name, shape, "<f4", 4)?;
        let floats = bytes.as_chunks().0.iter().map(|float| f32::from_le_bytes(*float));
        let floats: Vec<f32> = floats.collect();
        match floats.iter().all(|float| float.is_finite()) {
            true => Ok(floats),
            false => Err(BadArray::Value { name: name.into() }),
        }
    }

    /// Reads bytes that are at most `max`.
    pub(super) fn bytes(
        &mut self,
        name: &str,
        shape: &[usize],
        max: u8,
    ) -> Result<Vec<u8>, BadArray> {
        let bytes = self.read(name, shape, "|u1", 1)?;
        match bytes.iter().all(|byte| *byte <= max) {
            true => Ok(bytes),
            false => Err(BadArray::Value { name: name.into() }),
        }
    }

    fn read(
        &mut self,
        name: &str,
        shape: &[usize],
        kind: &'static str,
        width: usize,
    ) -> Result<Vec<u8>, BadArray> {
        let mut file = self.0.by_name(&format!("{name}.npy"))?;
        let failed = |source| BadArray::Read { name: name.into(), source };
        let header = header(&mut file).map_err(failed)?;
        let is_expected = header.as_deref() == Some(&*expected_header(shape, kind));
        if !is_expected {
            return Err(BadArray::Shape { name: name.into(), shape: shape.into(), kind });
        }
        let mut bytes = vec![0; shape.iter().product::<usize>() * width];
        file.read_exact(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }
}

/// The text of a version 1 header; `None` if the file does not begin with one.
fn header(file: &mut impl Read) -> io::Result<Option<String>> {
    let mut start = [0; 10];
    file.read_exact(&mut start)?;
    let length = usize::from(u16::from_le_bytes([start[8], start[9]]));
    if !start.starts_with(b"\x93NUMPY\x01\x00") || MAX_HEADER_BYTES < length {
        return Ok(None);
    }
    let mut text = vec![0; length];
    file.read_exact(&mut text)?;
    Ok(String::from_utf8(text).ok().map(|text| text.trim_end().to_owned()))
}

/// The header that NumPy writes for an array in row-major order.
fn expected_header(shape: &[usize], kind: &str) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    let sizes = sizes.join(", ");
    // A tuple of one has a comma at its end.
    let comma = if shape.len() == 1 { "," } else { "" };
    format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sizes}{comma}), }}")
}

//! A file cache for the vectors of tool definitions, so that later processes need not compute them.
//!
//! `tool_model` reads and writes it; a running hub and commands share it. A file that is damaged or
//! too large counts as empty, and of two processes that write at once one wins.

use hobnob_config::Digest;
use hobnob_disk::{FileMode, write_atomic};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Vectors by the digest of the model's name and the embedded text.
pub(super) type VectorsByDigest = HashMap<Digest, Vec<f32>>;

/// The most vectors kept; one of 384 numbers takes 1.5 KiB.
const MAX_VECTORS: usize = 4096;

/// A larger file is not read.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The start of the file. After it come the digest of the rest and the rest itself: for each vector
/// its digest, its length, and its numbers.
const FILE_HEADER: &[u8] = b"hobnob tool vectors 1\n";

/// The number of characters of a digest.
const DIGEST_LEN: usize = 64;

/// The path of the cache file.
#[derive(Debug, Clone)]
pub(super) struct ToolVectorFile(PathBuf);

impl ToolVectorFile {
    /// The file need not exist yet.
    pub(super) fn new(file: &Path) -> Self {
        Self(file.into())
    }

    /// The cached vectors; empty if any part of the file cannot be read.
    pub(super) fn read(&self) -> VectorsByDigest {
        read_bytes(&self.0).ok().and_then(|bytes| decode(&bytes)).unwrap_or_default()
    }

    /// Stores the vectors for `current`, and as many others as there is room for, including those
    /// that another process stored meanwhile. Returns `vectors`.
    pub(super) fn write(&self, current: &[Digest], vectors: VectorsByDigest) -> VectorsByDigest {
        let earlier = self.read();
        let known = current.iter().filter_map(|key| vectors.get_key_value(key));
        let others = vectors.iter().chain(&earlier).filter(|(key, _)| !current.contains(key));
        let kept: HashMap<&Digest, &Vec<f32>> = known.chain(others).take(MAX_VECTORS).collect();
        if let Err(error) = write_atomic(&self.0, &encode(&kept), FileMode::Private) {
            tracing::debug!(%error, "the vectors of tools cannot be kept");
        }
        vectors
    }
}

fn read_bytes(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn encode(vectors: &HashMap<&Digest, &Vec<f32>>) -> Vec<u8> {
    let mut rest = Vec::new();
    for (key, vector) in vectors {
        rest.extend_from_slice(key.to_string().as_bytes());
        rest.extend_from_slice(&(vector.len() as u32).to_le_bytes());
        vector.iter().for_each(|number| rest.extend_from_slice(&number.to_le_bytes()));
    }
    [FILE_HEADER, Digest::of(&rest).to_string().as_bytes(), &rest].concat()
}

fn decode(bytes: &[u8]) -> Option<VectorsByDigest> {
    let (digest, mut rest) = bytes.strip_prefix(FILE_HEADER)?.split_at_checked(DIGEST_LEN)?;
    if Digest::of(rest).to_string().as_bytes() != digest {
        return None;
    }
    let mut vectors = HashMap::new();
    while !rest.is_empty() {
        let (key, after) = rest.split_at_checked(DIGEST_LEN)?;
        let (count, after) = after.split_first_chunk()?;
        let count = u32::from_le_bytes(*count) as usize;
        let (numbers, after) = after.split_at_checked(count.checked_mul(4)?)?;
        let (numbers, _) = numbers.as_chunks();
        let vector: Vec<f32> = numbers.iter().map(|number| f32::from_le_bytes(*number)).collect();
        if !vector.iter().all(|number| number.is_finite()) {
            return None;
        }
        vectors.insert(std::str::from_utf8(key).ok()?.parse().ok()?, vector);
        rest = after;
    }
    Some(vectors)
}

#[cfg(test)]
mod tests;

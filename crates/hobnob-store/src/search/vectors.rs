//! The in-memory vector tables, one for each model. Before each search the backend appends new
//! vectors to a table; a search notices deleted vectors when it looks them up in the store.

use super::scan::QueryVector;
use super::signs::{SignDistances, SignTable};
use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The vector tables of all models of a store.
#[derive(Debug, Default)]
pub struct VectorCache(Mutex<HashMap<ModelKey, Entry>>);

/// A model and the number of components of its vectors.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ModelKey {
    model: String,
    dimensions: usize,
}

#[derive(Debug)]
struct Entry {
    model_vectors: Arc<ModelVectors>,
    used: Instant,
}

impl VectorCache {
    /// The table of a model, created empty.
    pub fn model_vectors(&self, model: &str, dimensions: usize) -> Arc<ModelVectors> {
        let label = ModelKey { model: model.to_owned(), dimensions };
        let mut models = self.0.lock();
        let empty = || Arc::new(ModelVectors { label: label.clone(), rows: RwLock::default() });
        let entry = models
            .entry(label.clone())
            .or_insert_with(|| Entry { model_vectors: empty(), used: Instant::now() });
        entry.used = Instant::now();
        Arc::clone(&entry.model_vectors)
    }

    /// Frees tables that no search has used for `idle`; the next search reads them again.
    pub fn release_idle(&self, idle: Duration) {
        let mut models = self.0.lock();
        models.retain(|_, entry| entry.used.elapsed() < idle);
    }
}

/// The vector table of one model, behind a lock.
#[derive(Debug)]
pub struct ModelVectors {
    label: ModelKey,
    rows: RwLock<VectorTable>,
}

/// The vectors of one model, stored by column.
#[derive(Debug, Default)]
pub struct VectorTable {
    /// Row numbers of vectors, ascending.
    numbers: Vec<i64>,
    /// The memories they belong to; 0 is a tombstone.
    memories: Vec<i64>,
    scales: Vec<f32>,
    parts: Vec<i8>,
    signs: SignTable,
    /// The row index of each memory's newest vector.
    places: HashMap<i64, u32>,
    tombstones: usize,
}

/// One row of a vector table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorRow {
    /// The vector's own row number in the store.
    pub number: i64,
    /// The memory that it belongs to.
    pub memory: i64,
}

impl ModelVectors {
    /// The name of the model.
    pub fn model(&self) -> &str {
        &self.label.model
    }

    /// The number of components of each vector.
    pub fn dimensions(&self) -> usize {
        self.label.dimensions
    }

    /// Locks the table for reading; no vector can be added meanwhile.
    pub fn rows(&self) -> RwLockReadGuard<'_, VectorTable> {
        self.rows.read()
    }

    /// Removes vectors that are no longer stored.
    pub fn remove(&self, numbers: &[i64]) {
        if !numbers.is_empty() {
            self.rows_mut().remove(numbers, self.label.dimensions);
        }
    }

    /// Locks the table for writing, to add vectors.
    pub fn rows_mut(&self) -> RwLockWriteGuard<'_, VectorTable> {
        self.rows.write()
    }
}

impl VectorTable {
    /// The number of rows, tombstones included.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether no vector has been read yet.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The Hamming distance of each vector's sign bits to those of the query.
    pub fn distances(&self, query_vector: &QueryVector) -> SignDistances {
        self.signs.distances(&query_vector.signs())
    }

    /// The cosines of the vectors at these row indexes with the query.
    pub fn cosines(&self, query_vector: &QueryVector, places: &[u32]) -> Vec<f32> {
        query_vector.cosines(&self.scales, &self.parts, places)
    }

    /// The row at an index, unless it is a tombstone.
    #[inline]
    pub fn at(&self, place: u32) -> Option<VectorRow> {
        let memory = self.memories.get(place as usize).copied().filter(|memory| *memory != 0)?;
        Some(VectorRow { number: self.numbers.get(place as usize).copied()?, memory })
    }

    /// The row index of a memory's vector.
    pub fn place_of(&self, memory: i64) -> Option<u32> {
        self.places.get(&memory).copied()
    }

    /// The number of the newest vector that was read; 0 if none was.
    pub fn newest(&self) -> i64 {
        self.numbers.last().copied().unwrap_or_default()
    }

    /// Appends a vector as it is stored.
    pub fn push(&mut self, held: VectorRow, scale: f32, parts: &[u8]) {
        let Ok(place) = u32::try_from(self.numbers.len()) else { return };
        if self.parts.capacity() < self.parts.len() + parts.len() {
            // Doubling would waste up to half of by far the largest allocation.
            self.parts.reserve_exact((self.parts.len() / 8).max(256 * parts.len()));
        }
        self.numbers.push(held.number);
        self.memories.push(held.memory);
        self.scales.push(scale);
        let first = self.parts.len();
        self.parts.extend(parts.iter().map(|byte| byte.cast_signed()));
        self.signs.push(self.parts.get(first..).unwrap_or_default());
        self.places.insert(held.memory, place);
    }

    fn remove(&mut self, numbers: &[i64], dimensions: usize) {
        for number in numbers {
            let Ok(place) = self.numbers.binary_search(number) else { continue };
            let Some(memory) = self.memories.get_mut(place) else { continue };
            if *memory != 0 {
                self.tombstones += 1;
            }
            *memory = 0;
        }
        if self.numbers.len() / 4 < self.tombstones {
            self.compact(dimensions);
        }
    }

    /// Drops tombstones, except the newest row: its number says how far the store was read.
    fn compact(&mut self, dimensions: usize) {
        let old = std::mem::take(self);
        let last = old.numbers.len().saturating_sub(1);
        let rows = old.numbers.iter().zip(&old.memories).zip(&old.scales);
        for (place, ((number, memory), scale)) in rows.enumerate() {
            if *memory == 0 && place != last {
                continue;
            }
            let place_of_new = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
            let parts = place * dimensions..(place + 1) * dimensions;
            self.numbers.push(*number);
            self.memories.push(*memory);
            self.scales.push(*scale);
            let parts = old.parts.get(parts).unwrap_or_default();
            self.parts.extend_from_slice(parts);
            self.signs.push(parts);
            if *memory == 0 {
                self.tombstones += 1;
            } else {
                self.places.insert(*memory, place_of_new);
            }
        }
    }
}

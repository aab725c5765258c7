//! The in-memory vector tables, one for each model. Before each search the backend appends new
//! vectors to a table; a search notices deleted vectors when it looks them up in the store.
//!
//! A table has the sign bits of all vectors, but the components of the first ones only: a search
//! compares few vectors exactly, and reads the components of the others from the store.

use super::scan::QueryVector;
use super::signs::{SignDistances, SignTable, signs};
use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes of components per table: those of 87,000 vectors of 384 components. All vectors of a
/// million memories would take 384 MB, their sign bits take 48 MB.
const MAX_RESIDENT_BYTES: usize = 32 << 20;
/// The place of a memory that has no vector in the table.
const NO_PLACE: u32 = u32::MAX;

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
    /// The components of the first rows.
    parts: Vec<i8>,
    signs: SignTable,
    /// The row index of each memory's newest vector, by the number of the memory.
    places: Vec<u32>,
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

    /// The cosines of the vectors at these row indexes with the query. `read` appends the stored
    /// components of a vector; without any, its cosine is 0.
    pub fn cosines<E>(
        &self,
        query_vector: &QueryVector,
        places: &[u32],
        mut read: impl FnMut(VectorRow, &mut Vec<i8>) -> Result<(), E>,
    ) -> Result<Vec<f32>, E> {
        let resident = self.parts.len() / query_vector.dimensions().max(1);
        let mut cosines = query_vector.cosines(&self.scales, &self.parts, places);
        let mut parts = Vec::new();
        for (place, cosine) in places.iter().zip(&mut cosines) {
            let Some(held) = self.at(*place).filter(|_| resident <= *place as usize) else {
                continue;
            };
            parts.clear();
            read(held, &mut parts)?;
            let scale = self.scales.get(*place as usize).copied().unwrap_or_default();
            *cosine = query_vector.cosine(scale, &parts);
        }
        Ok(cosines)
    }

    /// The row at an index, unless it is a tombstone.
    #[inline]
    pub fn at(&self, place: u32) -> Option<VectorRow> {
        let memory = self.memories.get(place as usize).copied().filter(|memory| *memory != 0)?;
        Some(VectorRow { number: self.numbers.get(place as usize).copied()?, memory })
    }

    /// The row index of a memory's vector.
    pub fn place_of(&self, memory: i64) -> Option<u32> {
        let memory = usize::try_from(memory).ok()?;
        self.places.get(memory).copied().filter(|place| *place != NO_PLACE)
    }

    /// The number of the newest vector that was read; 0 if none was.
    pub fn newest(&self) -> i64 {
        self.numbers.last().copied().unwrap_or_default()
    }

    /// Appends a vector as it is stored.
    pub fn push(&mut self, held: VectorRow, scale: f32, parts: &[u8]) {
        self.push_within(MAX_RESIDENT_BYTES, held, scale, parts);
    }

    fn push_within(&mut self, limit: usize, held: VectorRow, scale: f32, parts: &[u8]) {
        // Only the first rows have components, so that a row's place says where they are.
        let are_all_resident = self.parts.len() == self.numbers.len() * parts.len();
        if are_all_resident && self.parts.len() + parts.len() <= limit {
            if self.parts.capacity() < self.parts.len() + parts.len() {
                // Doubling would waste up to half of by far the largest allocation.
                self.parts.reserve_exact((self.parts.len() / 8).max(256 * parts.len()));
            }
            self.parts.extend(parts.iter().map(|byte| byte.cast_signed()));
        }
        let signs = signs(parts.iter().map(|byte| f32::from(byte.cast_signed())));
        self.push_row(held, scale, &signs);
    }

    fn push_row(&mut self, held: VectorRow, scale: f32, signs: &[u64]) {
        let Ok(place) = u32::try_from(self.numbers.len()) else { return };
        self.numbers.push(held.number);
        self.memories.push(held.memory);
        self.scales.push(scale);
        self.signs.push(signs);
        if held.memory == 0 {
            self.tombstones += 1;
            return;
        }
        let memory = usize::try_from(held.memory).unwrap_or_default();
        if self.places.len() <= memory {
            self.places.resize(memory + 1, NO_PLACE);
        }
        if let Some(known) = self.places.get_mut(memory) {
            *known = place;
        }
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
            let parts = place * dimensions..(place + 1) * dimensions;
            self.parts.extend_from_slice(old.parts.get(parts).unwrap_or_default());
            let signs: Vec<u64> = old.signs.row(place).collect();
            self.push_row(VectorRow { number: *number, memory: *memory }, *scale, &signs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan::{QuantizedVector, QueryVector};
    use super::{VectorRow, VectorTable};
    use std::convert::Infallible;

    const DIMENSIONS: usize = 70;

    fn stored(count: i64) -> Vec<(VectorRow, QuantizedVector)> {
        let mut random = fastrand::Rng::with_seed(7);
        let mut vector = || (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect::<Vec<f32>>();
        let row = |number| VectorRow { number, memory: number + 100 };
        (1..=count).map(|number| (row(number), QuantizedVector::new(&vector()).unwrap())).collect()
    }

    fn table(limit: usize, stored: &[(VectorRow, QuantizedVector)]) -> VectorTable {
        let mut table = VectorTable::default();
        for (row, vector) in stored {
            let parts: Vec<u8> = vector.parts.iter().map(|part| part.cast_unsigned()).collect();
            table.push_within(limit, *row, vector.scale, &parts);
        }
        table
    }

    /// The number and cosine of each row, by distance, and how many vectors were read from the store.
    fn compared(
        table: &VectorTable,
        stored: &[(VectorRow, QuantizedVector)],
    ) -> (Vec<(i64, u32, u32)>, usize) {
        let query = QueryVector::new(&[1.0; DIMENSIONS]).unwrap();
        let mut distances = vec![0; table.len()];
        let of_rows = table.distances(&query);
        for distance in 0..=DIMENSIONS {
            of_rows.each_within(&(distance..distance + 1), |place| {
                distances[place as usize] = distance as u32;
            });
        }
        let places: Vec<u32> = (0..table.len() as u32).collect();
        let mut reads = 0;
        let cosines = table.cosines::<Infallible>(&query, &places, |row, parts| {
            reads += 1;
            let found = stored.iter().find(|(known, _)| *known == row).unwrap();
            parts.extend(&found.1.parts);
            Ok(())
        });
        let rows = places.iter().zip(cosines.unwrap()).zip(distances);
        let rows = rows.filter_map(|((place, cosine), distance)| {
            let row = table.at(*place)?;
            assert_eq!(table.place_of(row.memory), Some(*place));
            Some((row.number, cosine.to_bits(), distance))
        });
        (rows.collect(), reads)
    }

    #[test]
    fn vectors_beyond_the_limit_are_read_from_the_store() {
        let stored = stored(40);
        let (expected, reads) = compared(&table(usize::MAX, &stored), &stored);
        assert_eq!(reads, 0);
        for (resident, limit) in [(0, 0), (1, DIMENSIONS), (24, 25 * DIMENSIONS - 1)] {
            let (found, reads) = compared(&table(limit, &stored), &stored);
            assert_eq!((found, reads), (expected.clone(), 40 - resident), "{limit}");
        }
    }

    #[test]
    fn removed_vectors_leave_the_others_as_they_were() {
        let stored = stored(40);
        for limit in [0, 24 * DIMENSIONS, usize::MAX] {
            let mut table = table(limit, &stored[..39]);
            let gone: Vec<i64> = (1..=13).map(|number| 3 * number).collect();
            table.remove(&gone, DIMENSIONS);
            assert_eq!(table.len(), 27, "only the newest row is kept as a tombstone");
            let (row, vector) = &stored[39];
            let parts: Vec<u8> = vector.parts.iter().map(|part| part.cast_unsigned()).collect();
            table.push_within(limit, *row, vector.scale, &parts);
            let (mut expected, _) = compared(&super::tests::table(usize::MAX, &stored), &stored);
            expected.retain(|(number, ..)| !gone.contains(number));
            assert_eq!(compared(&table, &stored).0, expected, "{limit}");
            assert_eq!(table.place_of(103), None);
        }
    }
}

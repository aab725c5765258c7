//! How near found memories and their neighbours are to a question: the exact cosines, and the
//! late-interaction score between the words of both.

use super::caches::SearchCaches;
use super::nearest::IS_THERE;
use super::neighbours::Neighbours;
use super::postings::rarities;
use super::vectors::{VectorReader, read_new};
use hobnob_store::memory::{Closeness, MemoryAccess, MemoryId, Nearness, QuestionVectors};
use hobnob_store::search::{
    AskedWords, LoadedMemories, LoadedMemory, QueryVector, VectorRow, VectorTable,
};
use rusqlite::{CachedStatement, Connection, OptionalExtension as _, Result};
use std::collections::HashMap;

/// The closeness of each of these memories.
pub(super) fn closeness(
    connection: &Connection,
    caches: &SearchCaches,
    access: &MemoryAccess,
    (model, question): (&str, &QuestionVectors),
    ids: &[MemoryId],
) -> Result<Vec<Closeness>> {
    let nothing = || vec![Closeness::default(); ids.len()];
    let Some(query_vector) = QueryVector::new(&question.vector) else { return Ok(nothing()) };
    let reach = caches.passing.within_reach(connection, access)?;
    let terms = question.words.iter().map(|word| &*word.term);
    let weights = rarities(connection, &caches.frequent, reach.as_deref(), terms)?;
    let words = question.words.iter().zip(weights);
    let words: Vec<(&[f32], f32)> =
        words.map(|(word, weight)| (word.vector.as_slice(), weight as f32)).collect();
    let model_vectors = caches.vectors.model_vectors(model, question.vector.len());
    read_new(connection, &model_vectors)?;
    let rows = model_vectors.rows();
    let mut comparison = Comparison {
        find: connection.prepare_cached(FIND)?,
        there: connection.prepare_cached(IS_THERE)?,
        words_of: connection.prepare_cached(WORDS_OF)?,
        asks: connection.prepare_cached(ASKS)?,
        neighbours: Neighbours::new(connection, access)?,
        loaded: &caches.loaded,
        rows: &rows,
        model,
        query_vector,
        words: AskedWords::new(&words, question.vector.len()),
        known: HashMap::new(),
        reader: VectorReader::new(connection)?,
    };
    ids.iter().map(|id| comparison.of(id)).collect()
}

const FIND: &str = "SELECT number, source IS NOT NULL FROM memories WHERE id = ?1";
const WORDS_OF: &str = "SELECT words FROM memory_word_vectors WHERE vector = ?1";
/// Whether a memory ends with a question mark, apart from white space, quotes and brackets.
const ASKS: &str = "SELECT substr(rtrim(content, char(9, 10, 13, 32) || '\"''”»)]'), -1) \
                    IN ('?', '？', '؟') FROM memories WHERE number = ?1";

/// Holds the prepared statements, since a search runs them several hundred times.
struct Comparison<'s> {
    find: CachedStatement<'s>,
    there: CachedStatement<'s>,
    words_of: CachedStatement<'s>,
    asks: CachedStatement<'s>,
    neighbours: Neighbours<'s>,
    loaded: &'s LoadedMemories,
    rows: &'s VectorTable,
    model: &'s str,
    query_vector: QueryVector,
    words: Option<AskedWords>,
    /// Computed results: the neighbours of nearby hits are often the same memories.
    known: HashMap<i64, Option<Nearness>>,
    reader: VectorReader<'s>,
}

impl Comparison<'_> {
    fn of(&mut self, id: &MemoryId) -> Result<Closeness> {
        let Some(LoadedMemory { number, has_source }) = self.find(id)? else {
            return Ok(Closeness::default());
        };
        let mut closeness = Closeness { own: self.nearness(number)?, ..Closeness::default() };
        if !has_source {
            return Ok(closeness);
        }
        let [before, after] = self.neighbours.two_steps_of(number)?;
        for side in [&before, &after] {
            for (steps, neighbour) in (1..).zip(side) {
                let nearness = self.nearness(*neighbour)?;
                closeness.around.extend(nearness.map(|nearness| (steps, nearness)));
            }
        }
        if let Some(before) = before.first().copied()
            && self.asks(before)?
        {
            closeness.question_before = self.nearness(before)?;
        }
        closeness.is_answered_question = !after.is_empty() && self.asks(number)?;
        Ok(closeness)
    }

    fn asks(&mut self, memory: i64) -> Result<bool> {
        Ok(self.asks.query_row([memory], |row| row.get(0)).optional()?.unwrap_or_default())
    }

    fn find(&mut self, id: &MemoryId) -> Result<Option<LoadedMemory>> {
        if let Some(known) = self.loaded.get(id) {
            return Ok(Some(known));
        }
        let found = self.find.query_row([id.as_str()], |row| {
            Ok(LoadedMemory { number: row.get(0)?, has_source: row.get(1)? })
        });
        found.optional()
    }

    fn nearness(&mut self, memory: i64) -> Result<Option<Nearness>> {
        if let Some(known) = self.known.get(&memory) {
            return Ok(*known);
        }
        let place = self.rows.place_of(memory);
        let held = place.and_then(|place| Some((place, self.rows.at(place)?)));
        let nearness = match held {
            Some((place, held)) => self.compared(place, held)?,
            None => None,
        };
        self.known.insert(memory, nearness);
        Ok(nearness)
    }

    /// `None` if the vector is gone from the file. Its word vectors are deleted with it, so if they
    /// are found, it exists.
    fn compared(&mut self, place: u32, held: VectorRow) -> Result<Option<Nearness>> {
        let words = match &self.words {
            Some(asked) => match self.words_of.query([held.number])?.next()? {
                Some(row) => Some(asked.nearness(row.get_ref(0)?.as_blob()?)),
                None => None,
            },
            None => None,
        };
        if words.is_none() && !self.there.exists((held.memory, self.model, held.number))? {
            return Ok(None);
        }
        let read = |held, parts: &mut Vec<i8>| self.reader.read(held, parts);
        let cosines = self.rows.cosines(&self.query_vector, &[place], read)?;
        let cosine = cosines.first().copied().unwrap_or_default().clamp(-1.0, 1.0);
        Ok(Some(Nearness { cosine, words: words.flatten() }))
    }
}

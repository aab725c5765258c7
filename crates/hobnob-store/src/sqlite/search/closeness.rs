//! How near memories and what surrounds them are to a question, once a search has found them: the
//! exact cosines, and how near their words come to those of the question.

use super::caches::SearchCaches;
use super::nearest::is_there;
use super::neighbours::around;
use super::postings::rarity;
use super::scan::QueryVector;
use super::vectors::{VectorRow, VectorTable};
use super::word_match::AskedWords;
use crate::memory::{Closeness, MemoryAccess, MemoryId, Nearness, QuestionVectors};
use rusqlite::{Connection, OptionalExtension as _, Result};
use std::collections::HashMap;

/// How near each of these is.
pub(super) fn closeness(
    connection: &Connection,
    caches: &SearchCaches,
    access: &MemoryAccess,
    (model, question): (&str, &QuestionVectors),
    ids: &[MemoryId],
) -> Result<Vec<Closeness>> {
    let nothing = || vec![Closeness::default(); ids.len()];
    let Some(query_vector) = QueryVector::new(&question.vector) else { return Ok(nothing()) };
    let weights =
        question.words.iter().map(|word| rarity(connection, &caches.frequent, &word.term));
    let weights: Vec<f64> = weights.collect::<Result<_>>()?;
    let words = question.words.iter().zip(weights);
    let words: Vec<(&[f32], f32)> =
        words.map(|(word, weight)| (word.vector.as_slice(), weight as f32)).collect();
    let model_vectors = caches.vectors.model_vectors(model, question.vector.len());
    model_vectors.read_new(connection)?;
    let rows = model_vectors.rows();
    let mut comparison = Comparison {
        connection,
        rows: &rows,
        query_vector,
        words: AskedWords::new(&words, question.vector.len()),
        known: HashMap::new(),
    };
    ids.iter().map(|id| comparison.of(access, id)).collect()
}

struct Comparison<'s> {
    connection: &'s Connection,
    rows: &'s VectorTable,
    query_vector: QueryVector,
    words: Option<AskedWords>,
    /// Neighbours are mostly those of others too.
    known: HashMap<i64, Option<Nearness>>,
}

impl Comparison<'_> {
    fn of(&mut self, access: &MemoryAccess, id: &MemoryId) -> Result<Closeness> {
        let sql = "SELECT number, source IS NOT NULL FROM memories WHERE id = ?1";
        let found = self
            .connection
            .prepare_cached(sql)?
            .query_row([id.as_str()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?)));
        let Some((number, has_source)) = found.optional()? else { return Ok(Closeness::default()) };
        let mut closeness = Closeness { own: self.nearness(number)?, around: Vec::new() };
        if has_source {
            for (steps, neighbour) in around(self.connection, access, number)? {
                let nearness = self.nearness(neighbour)?;
                closeness.around.extend(nearness.map(|nearness| (steps, nearness)));
            }
        }
        Ok(closeness)
    }

    fn nearness(&mut self, memory: i64) -> Result<Option<Nearness>> {
        if let Some(known) = self.known.get(&memory) {
            return Ok(*known);
        }
        let place = self.rows.place_of(memory);
        let held = place.and_then(|place| Some((place, self.rows.at(place)?)));
        let nearness = match held {
            Some((place, held)) if is_there(self.connection, held.number)? => {
                Some(self.compared(place, held)?)
            }
            _ => None,
        };
        self.known.insert(memory, nearness);
        Ok(nearness)
    }

    fn compared(&self, place: u32, held: VectorRow) -> Result<Nearness> {
        let cosines = self.rows.cosines(&self.query_vector, &[place]);
        let cosine = cosines.first().copied().unwrap_or_default().clamp(-1.0, 1.0);
        let Some(asked) = &self.words else { return Ok(Nearness { cosine, words: None }) };
        let sql = "SELECT words FROM memory_word_vectors WHERE vector = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut found = statement.query([held.number])?;
        let words = match found.next()? {
            Some(row) => asked.nearness(row.get_ref(0)?.as_blob()?),
            None => None,
        };
        Ok(Nearness { cosine, words })
    }
}

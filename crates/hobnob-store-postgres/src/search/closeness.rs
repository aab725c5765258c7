//! How near found memories and their neighbours are to a question: the exact cosines, and the
//! late-interaction score between the words of both.

use super::caches::PostgresCaches;
use super::neighbours;
use super::passing::within_reach;
use super::postings::rarities;
use super::vectors::{StoredParts, read_new, still_there, sure};
use super::work::SearchWork;
use crate::columns::{get, number, word};
use crate::error::Result;
use crate::transaction::Transaction;
use crate::value::{SqlValue, values};
use hobnob_store::memory::{Closeness, MemoryAccess, MemoryId, Nearness, QuestionVectors};
use hobnob_store::search::{AskedWords, LoadedMemories, LoadedMemory, ModelVectors, QueryVector};
use std::collections::{HashMap, HashSet};

/// The closeness of each of these memories.
pub(super) async fn closeness(
    transaction: &Transaction,
    caches: &PostgresCaches,
    access: &MemoryAccess,
    (model, question): (&str, &QuestionVectors),
    ids: &[MemoryId],
) -> Result<Vec<Closeness>> {
    let nothing = || vec![Closeness::default(); ids.len()];
    let Some(query_vector) = QueryVector::new(&question.vector) else { return Ok(nothing()) };
    let work = SearchWork::new(transaction).await?;
    let reach = within_reach(&caches.passing, &work, access).await?;
    let terms: Vec<&str> = question.words.iter().map(|word| &*word.term).collect();
    let weights = rarities(&work, &caches.frequent, reach.as_deref(), &terms).await?;
    let words = question.words.iter().zip(weights);
    let words: Vec<(&[f32], f32)> =
        words.map(|(word, weight)| (word.vector.as_slice(), weight as f32)).collect();
    let asked = AskedWords::new(&words, question.vector.len());
    let model_vectors = caches.vectors.model_vectors(model, question.vector.len());
    read_new(&work, &model_vectors).await?;
    let found = find(&work, &caches.loaded, ids).await?;
    let with_source: Vec<i64> =
        found.values().filter(|loaded| loaded.has_source).map(|loaded| loaded.number).collect();
    let beside = neighbours::beside(&work, &with_source, access.now, 2).await?;
    let mut numbers: Vec<i64> = found.values().map(|loaded| loaded.number).collect();
    numbers.extend(beside.values().flatten().flatten());
    numbers.sort_unstable();
    numbers.dedup();
    let near = nearness(&work, (&model_vectors, &query_vector), asked.as_ref(), &numbers).await?;
    let asking = asking(&work, &numbers).await?;
    let of = |id: &MemoryId| {
        let Some(loaded) = found.get(id) else { return Closeness::default() };
        let own = near.get(&loaded.number).copied();
        let sides = beside.get(&loaded.number).filter(|_| loaded.has_source);
        let Some(sides @ [before, after]) = sides else {
            return Closeness { own, ..Closeness::default() };
        };
        let steps = sides.iter().flat_map(|side| (1_u8..).zip(side));
        let around = steps.filter_map(|(steps, number)| Some((steps, *near.get(number)?)));
        let question = before.first().filter(|number| asking.contains(number));
        Closeness {
            own,
            around: around.collect(),
            question_before: question.and_then(|number| near.get(number).copied()),
            is_answered_question: !after.is_empty() && asking.contains(&loaded.number),
        }
    };
    Ok(ids.iter().map(of).collect())
}

/// Those of these memories that end with a question mark, apart from white space, quotes and
/// brackets.
async fn asking(work: &SearchWork<'_>, numbers: &[i64]) -> Result<HashSet<i64>> {
    let sql = "SELECT number FROM memories WHERE number = ANY($1) \
               AND right(rtrim(content, E' \\t\\n\\r\"\\'”»)]'), 1) IN ('?', '？', '؟')";
    let found = work.transaction.all(sql, values![numbers], |row| number(row, 0));
    Ok(found.await?.into_iter().collect())
}

/// The row numbers of these memories.
async fn find(
    work: &SearchWork<'_>,
    loaded: &LoadedMemories,
    ids: &[MemoryId],
) -> Result<HashMap<MemoryId, LoadedMemory>> {
    let mut found: HashMap<MemoryId, LoadedMemory> =
        ids.iter().filter_map(|id| Some((id.clone(), loaded.get(id)?))).collect();
    let missing: Vec<&str> =
        ids.iter().filter(|id| !found.contains_key(*id)).map(MemoryId::as_str).collect();
    if !missing.is_empty() {
        let sql = "SELECT id, number, source IS NOT NULL FROM memories WHERE id = ANY($1)";
        let given = [SqlValue::texts(missing.into_iter())];
        let rows = work.transaction.all(sql, &given, |row| {
            let loaded = LoadedMemory { number: number(row, 1)?, has_source: get(row, 2)? };
            Ok((word(row, 0, MemoryId::parse)?, loaded))
        });
        found.extend(rows.await?);
    }
    Ok(found)
}

/// The nearness of those of these memories that have a vector.
async fn nearness(
    work: &SearchWork<'_>,
    (model_vectors, query_vector): (&ModelVectors, &QueryVector),
    asked: Option<&AskedWords>,
    memories: &[i64],
) -> Result<HashMap<i64, Nearness>> {
    // Numbers of vectors and cosines.
    let mut stored = StoredParts::default();
    let held = stored.compare(work, |read| {
        let rows = model_vectors.rows();
        let cosine = |memory: &i64| {
            let place = rows.place_of(*memory)?;
            let cosines = sure(rows.cosines(query_vector, &[place], &mut *read));
            let cosine = cosines.first().copied().unwrap_or_default().clamp(-1.0, 1.0);
            Some((*memory, rows.at(place)?.number, cosine))
        };
        memories.iter().filter_map(cosine).collect::<Vec<(i64, i64, f32)>>()
    });
    let held = held.await?;
    let numbers: Vec<i64> = held.iter().map(|(_, number, _)| *number).collect();
    let words = match asked {
        Some(asked) => words_of(work, asked, &numbers).await?,
        None => HashMap::new(),
    };
    // Word vectors go with their vector, so a vector with words is there.
    let others: Vec<i64> =
        numbers.iter().copied().filter(|number| !words.contains_key(number)).collect();
    let there: HashSet<i64> = still_there(work, &others).await?;
    let near = held.into_iter().filter_map(|(memory, number, cosine)| {
        match (words.get(&number), there.contains(&number)) {
            (Some(words), _) => Some((memory, Nearness { cosine, words: *words })),
            (None, true) => Some((memory, Nearness { cosine, words: None })),
            (None, false) => None,
        }
    });
    Ok(near.collect())
}

/// The late-interaction score of those of these vectors that have words.
async fn words_of(
    work: &SearchWork<'_>,
    asked: &AskedWords,
    numbers: &[i64],
) -> Result<HashMap<i64, Option<f32>>> {
    let sql = "SELECT vector, words FROM memory_word_vectors WHERE vector = ANY($1)";
    let found = work.transaction.all(sql, values![numbers], |row| {
        Ok((number(row, 0)?, asked.nearness(get::<&[u8]>(row, 1)?)))
    });
    Ok(found.await?.into_iter().collect())
}

//! Chooses the weights of questions and answers among turns on one half of each set, and measures
//! the choice on the other half.
//!
//! What must stay true: every set counts alike, however many questions it has; no set may lose more
//! than a point of hit@1 on its tuning half; the held-out halves decide nothing.

use crate::data::{DataSet, QuestionLine};
use crate::trial::LoadedSet;
use hobnob_services::memory::recall::{RecallMode, TurnWeights};
use std::error::Error;

const ANSWER: [f64; 6] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5];
const QUESTION: [f64; 5] = [0.0, 0.1, 0.2, 0.25, 0.3];
/// Points of hit@1 that a set may lose on its tuning half.
const MAX_LOSS: f64 = 1.0;

/// Every pair of weights, the smaller ones first.
pub(crate) fn grid() -> Vec<TurnWeights> {
    let pairs = ANSWER.iter().flat_map(|answer| QUESTION.map(|question| (*answer, question)));
    pairs.map(|(answer, question)| TurnWeights { answer, question }).collect()
}

/// The questions of one half of a set that have a right first hit, for each pair of weights.
#[derive(Debug, Clone, Default)]
struct HalfHits {
    questions: usize,
    right: Vec<usize>,
}

impl HalfHits {
    fn hit_at_1(&self, pair: usize) -> f64 {
        let right = self.right.get(pair).copied().unwrap_or_default();
        100.0 * right as f64 / self.questions.max(1) as f64
    }

    fn gain(&self, pair: usize) -> f64 {
        self.hit_at_1(pair) - self.hit_at_1(0)
    }
}

/// The hits of a set in both halves.
pub(crate) struct SetHits {
    name: String,
    tuning: HalfHits,
    held_out: HalfHits,
}

/// Asks every answerable question of a set with every pair of weights.
pub(crate) async fn try_all(
    set: &DataSet,
    loaded: &mut LoadedSet,
) -> Result<SetHits, Box<dyn Error>> {
    let grid = grid();
    let empty = HalfHits { questions: 0, right: vec![0; grid.len()] };
    let mut hits = SetHits { name: set.name.clone(), tuning: empty.clone(), held_out: empty };
    for question in set.questions.iter().filter(|question| !question.relevant.is_empty()) {
        let half = match is_for_tuning(set, question) {
            true => &mut hits.tuning,
            false => &mut hits.held_out,
        };
        half.questions += 1;
        for (right, weights) in half.right.iter_mut().zip(&grid) {
            loaded.recall.turns = *weights;
            let ranked = loaded.ask(question, RecallMode::Hybrid).await?;
            *right += usize::from(ranked.rank == Some(0));
        }
    }
    Ok(hits)
}

/// Halves are split by source, that is by conversation or file, and by question where the answer
/// has no source. The hash is FNV-1a, so every machine splits alike.
fn is_for_tuning(set: &DataSet, question: &QuestionLine) -> bool {
    let answers = |key: &String| question.relevant.first() == Some(key);
    let answer = set.memories.iter().find(|memory| answers(&memory.key));
    let text = answer.and_then(|memory| memory.source.as_ref()).unwrap_or(&question.query);
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // The lowest bit of FNV-1a is only the parity of the bytes.
    (hash >> 32) & 1 == 0
}

/// The chosen weights, and a table of what they gain.
pub(crate) fn choice(sets: &[SetHits]) -> String {
    let mean = |pair: usize| {
        sets.iter().map(|set| set.tuning.gain(pair)).sum::<f64>() / sets.len().max(1) as f64
    };
    let is_allowed = |pair: &usize| sets.iter().all(|set| -MAX_LOSS <= set.tuning.gain(*pair));
    let grid = grid();
    let allowed = (0..grid.len()).filter(is_allowed);
    // Of equal pairs, the first and smallest wins.
    let chosen = allowed.fold(0, |best, pair| if mean(best) < mean(pair) { pair } else { best });
    let mut text = String::new();
    if let Some(TurnWeights { answer, question }) = grid.get(chosen) {
        text += &format!("chosen: answer {answer}, question {question}\n\n");
    }
    text += "| set | tuning | hit@1 without | with | held out | hit@1 without | with |\n";
    text += "|---|---|---|---|---|---|---|\n";
    for SetHits { name, tuning, held_out } in sets {
        text += &format!("| {name} |");
        for half in [tuning, held_out] {
            let (before, after) = (half.hit_at_1(0), half.hit_at_1(chosen));
            text += &format!(" {} | {before:.1} | {after:.1} |", half.questions);
        }
        text.push('\n');
    }
    text
}

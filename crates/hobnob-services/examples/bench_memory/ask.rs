//! Asks a store in process, one question after the other, and measures each.

use crate::fill::now;
use crate::meaning::KnownVectors;
use crate::options::Options;
use crate::text::{Question, questions};
use crate::usage::{processor_time, resident_kib};
use hobnob_services::memory::recall::{Recall, RecallMode, RecallRequest};
use hobnob_store::memory::{MemoryAccess, MemoryFilter, OrgRole};
use hobnob_store::{Owner, ProjectKey};
use hobnob_store_sqlite::SqliteStore;
use serde::Serialize;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The number of requested hits, which is the tool's default.
const LIMIT: usize = 10;
/// Questions before the first measured one: they fill caches and load code.
const WARM_UP_QUESTIONS: usize = 20;

/// The figures, named like those of the load generator.
#[derive(Serialize)]
pub(crate) struct Figures {
    p50_us: f64,
    p90_us: f64,
    p95_us: f64,
    cpu_us_per_call: f64,
    /// Resident memory when the store is open, before the first question.
    rss_before_kib: u64,
    /// Resident memory after the last answer: with all vectors, unless only words were searched.
    rss_kib: u64,
}

/// Asks all questions in one mode.
pub(crate) async fn measure(options: &Options) -> Result<Figures, Box<dyn Error>> {
    let asked = questions(options.memories, WARM_UP_QUESTIONS + options.count);
    let store = Arc::new(SqliteStore::open(&options.file)?);
    let model = KnownVectors::new(&options.model, &asked)?;
    let recall = Recall::new(store, Some(Arc::new(model)));
    let access = MemoryAccess {
        owner: Owner::default(),
        org: Some(OrgRole::Admin),
        project: Some(ProjectKey::new("folder:/somewhere")),
        now: now(options.memories),
    };
    let asker = Asker { recall, access, mode: options.mode };
    let rss_before_kib = resident_kib()?;
    let (first, counted) = asked.split_at(WARM_UP_QUESTIONS.min(asked.len()));
    for question in first {
        asker.ask(question).await?;
    }
    let mut costs = Vec::new();
    for question in counted {
        costs.push(asker.ask(question).await?);
    }
    let answered = costs.iter().filter(|cost| 0 < cost.hits).count();
    if answered < costs.len() / 2 {
        return Err("most questions find nothing: this measures nothing".into());
    }
    let wall = SortedTimes::of(costs.iter().map(|cost| cost.wall));
    let cpu: Duration = costs.iter().map(|cost| cost.cpu).sum();
    Ok(Figures {
        p50_us: wall.quantile(50),
        p90_us: wall.quantile(90),
        p95_us: wall.quantile(95),
        cpu_us_per_call: cpu.as_secs_f64() * 1e6 / costs.len().max(1) as f64,
        rss_before_kib,
        rss_kib: resident_kib()?,
    })
}

struct Asker {
    recall: Recall,
    access: MemoryAccess,
    mode: RecallMode,
}

struct Cost {
    wall: Duration,
    cpu: Duration,
    hits: usize,
}

impl Asker {
    async fn ask(&self, question: &Question) -> Result<Cost, Box<dyn Error>> {
        let request = RecallRequest {
            query: question.query.clone(),
            filter: MemoryFilter::default(),
            mode: self.mode,
            limit: LIMIT,
            after: None,
        };
        let access = self.access.clone();
        let before = processor_time()?;
        let begun = Instant::now();
        let recalled = self.recall.recall(access, request).await?;
        let wall = begun.elapsed();
        let cpu = processor_time()?.saturating_sub(before);
        Ok(Cost { wall, cpu, hits: recalled.hits.len() })
    }
}

/// Times in ascending order, in microseconds.
struct SortedTimes(Vec<f64>);

impl SortedTimes {
    fn of(times: impl Iterator<Item = Duration>) -> Self {
        let mut times: Vec<f64> = times.map(|time| time.as_secs_f64() * 1e6).collect();
        times.sort_unstable_by(f64::total_cmp);
        Self(times)
    }

    /// The nearest-rank percentile: the smallest time that `percent` % of the times do not exceed.
    fn quantile(&self, percent: usize) -> f64 {
        let rank = (self.0.len() * percent).div_ceil(100).max(1);
        self.0.get(rank - 1).copied().unwrap_or_default()
    }
}

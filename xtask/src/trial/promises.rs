//! The promises of the trial and the observations, for the table at the end.

use std::time::Duration;

/// One promise, and what was observed.
struct Promise {
    words: String,
    /// How it was broken; empty if it held.
    broken: Vec<String>,
    seen: String,
}

/// All checked promises, in their order.
#[derive(Default)]
pub(crate) struct Promises(Vec<Promise>);

impl Promises {
    /// Records a promise, what was observed, and what broke it.
    pub(crate) fn check(
        &mut self,
        words: impl Into<String>,
        seen: impl Into<String>,
        broken: Vec<String>,
    ) {
        let promise = Promise { words: words.into(), seen: seen.into(), broken };
        let mark = if promise.broken.is_empty() { "✓" } else { "✗" };
        eprintln!("{mark} {}: {}", promise.words, promise.seen);
        self.0.push(promise);
    }

    /// Records a promise that either held or failed with an error.
    pub(crate) fn outcome(
        &mut self,
        words: impl Into<String>,
        took: Duration,
        done: anyhow::Result<()>,
    ) {
        let broken = done.err().map(|error| format!("{error:#}"));
        self.check(words, seconds(took), broken.into_iter().collect());
    }

    /// Prints all promises; fails if one was broken.
    pub(crate) fn conclude(self) -> anyhow::Result<()> {
        println!("\n{:<66} SEEN", "PROMISE");
        for promise in &self.0 {
            let mark = if promise.broken.is_empty() { "✓" } else { "✗" };
            println!("{mark} {:<64} {}", promise.words, promise.seen);
            for line in &promise.broken {
                println!("    {line}");
            }
        }
        let broken = self.0.iter().filter(|promise| !promise.broken.is_empty()).count();
        anyhow::ensure!(broken == 0, "{broken} of {} promises were broken", self.0.len());
        Ok(())
    }
}

/// A duration for people.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

//! How thoroughly to measure: in full, or quickly to see that everything works.

/// The numbers that differ between a full and a quick run.
pub(super) struct Effort {
    pub(super) rounds: usize,
    pub(super) seconds: &'static str,
    pub(super) warmup: &'static str,
    /// Gateways on Node and Python need longer to warm up.
    pub(super) gateway_warmup: &'static str,
    /// The number of sessions that are held open.
    pub(super) sessions: usize,
    /// Instructions are counted with this number of calls and with six times as many.
    pub(super) few_small_calls: usize,
    pub(super) few_large_calls: usize,
    /// Sizes of the searched stores, in ascending order.
    pub(super) memories: &'static [usize],
    pub(super) questions: usize,
    /// The number of files in the searched tree, and how long to repeat the search.
    pub(super) files: usize,
    pub(super) search_seconds: &'static str,
    /// Seconds after which a server is at rest.
    pub(super) rest: &'static str,
}

pub(super) const FULL: Effort = Effort {
    rounds: 5,
    seconds: "0.6",
    warmup: "0.2",
    gateway_warmup: "1",
    sessions: 500,
    few_small_calls: 200,
    few_large_calls: 20,
    memories: &[1_000, 10_000, 100_000],
    questions: 200,
    files: 100_000,
    search_seconds: "3",
    rest: "2",
};

/// For instructions alone, as in `cargo xtask ci`: the fewest calls that give a stable count.
pub(super) const COUNT: Effort =
    Effort { rounds: 1, few_small_calls: 100, few_large_calls: 5, ..FULL };

pub(super) const QUICK: Effort = Effort {
    rounds: 1,
    seconds: "0.15",
    warmup: "0.05",
    gateway_warmup: "0.1",
    sessions: 100,
    few_small_calls: 50,
    few_large_calls: 4,
    memories: &[1_000],
    questions: 20,
    files: 2_000,
    search_seconds: "0.2",
    rest: "0.5",
};

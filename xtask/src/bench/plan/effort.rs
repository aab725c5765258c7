//! How thoroughly a run measures: in full, or once around to see that everything works.

/// How thoroughly to measure.
pub(in crate::bench) struct Effort {
    pub(in crate::bench) rounds: usize,
    pub(super) seconds: &'static str,
    pub(super) warmup: &'static str,
    pub(super) idle_sessions: &'static str,
    /// Principals with ten sessions each.
    pub(super) principals: &'static str,
    /// Gateways on Node and Python are slow to get going, and some start a process a session.
    pub(super) gateway_warmup: &'static str,
    pub(super) gateway_sessions: &'static str,
    /// Instructions are counted with so many calls and six times as many.
    pub(super) few_small_calls: usize,
    pub(super) few_large_calls: usize,
    /// Stores with so many memories are searched, ascending.
    pub(super) memories: &'static [usize],
    /// With so many of them also through the binary.
    pub(super) memories_through_binary: usize,
    pub(super) questions: usize,
    pub(super) tasks: usize,
    /// Files in the tree that is searched, and how long one search after the other is made.
    pub(super) files: usize,
    pub(super) search_seconds: &'static str,
    /// Lines of the log that is queried.
    pub(super) log_entries: usize,
    /// Seconds after which a server is at rest.
    pub(super) rest: &'static str,
    /// How long many subscriptions go on.
    pub(super) subscriptions_seconds: &'static str,
    /// Nodes of a tree that is drawn.
    pub(super) nodes: usize,
    /// Questions in one chat.
    pub(super) chat_turns: usize,
}

pub(in crate::bench) const FULL: Effort = Effort {
    rounds: 5,
    seconds: "0.6",
    warmup: "0.2",
    idle_sessions: "500",
    principals: "1000",
    gateway_warmup: "1",
    gateway_sessions: "50",
    few_small_calls: 200,
    few_large_calls: 20,
    memories: &[100, 1_000, 10_000, 100_000],
    memories_through_binary: 10_000,
    questions: 200,
    tasks: 1_000,
    files: 100_000,
    search_seconds: "3",
    log_entries: 1_000_000,
    rest: "2",
    subscriptions_seconds: "10",
    nodes: 100_000,
    chat_turns: 1_000,
};

/// For instructions alone, as `cargo xtask ci` counts them: as few calls as give a steady count.
pub(in crate::bench) const COUNT: Effort =
    Effort { rounds: 1, few_small_calls: 100, few_large_calls: 5, ..FULL };

pub(in crate::bench) const QUICK: Effort = Effort {
    rounds: 1,
    seconds: "0.15",
    warmup: "0.05",
    idle_sessions: "100",
    principals: "100",
    gateway_warmup: "0.1",
    gateway_sessions: "10",
    few_small_calls: 50,
    few_large_calls: 4,
    memories: &[100, 1_000],
    memories_through_binary: 1_000,
    questions: 20,
    tasks: 100,
    files: 2_000,
    search_seconds: "0.2",
    log_entries: 20_000,
    rest: "0.5",
    subscriptions_seconds: "1",
    nodes: 5_000,
    chat_turns: 60,
};

//! Counts steps of work, so that tests can show that work is linear in the length of the text.
//! Costs nothing outside of tests.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts that many visits of characters.
#[cfg(not(test))]
pub(crate) fn count(_steps: usize) {}

/// Counts that many visits of characters.
#[cfg(test)]
pub(crate) fn count(steps: usize) {
    STEPS.with(|it| it.set(it.get() + steps as u64));
}

/// The count of this thread since the last call.
#[cfg(test)]
pub(crate) fn taken() -> u64 {
    STEPS.with(|it| it.replace(0))
}

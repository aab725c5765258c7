//! Counts the work that text causes, so that tests can show that it grows with the text and not
//! faster. Costs nothing outside of tests.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Notes that so many characters were looked at.
#[cfg(not(test))]
pub(crate) fn count(_steps: usize) {}

/// Notes that so many characters were looked at.
#[cfg(test)]
pub(crate) fn count(steps: usize) {
    STEPS.with(|it| it.set(it.get() + steps as u64));
}

/// What was counted on this thread since the last time it was asked.
#[cfg(test)]
pub(crate) fn taken() -> u64 {
    STEPS.with(|it| it.replace(0))
}

//! A stack of work that creates more work, shared by a few threads until it is empty.
//!
//! The last piece is taken first, so that a walk is depth-first and holds few folders open. A
//! thread that panics gives its piece up, so that the other threads still end.

use parking_lot::{Condvar, Mutex, MutexGuard};

/// The waiting pieces, and how many are in progress.
#[derive(Debug)]
pub(crate) struct WorkStack<T> {
    state: Mutex<WorkState<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct WorkState<T> {
    waiting: Vec<T>,
    /// Pieces in progress, which may still create others.
    taken: usize,
    idle: usize,
}

/// A piece in progress; it counts until this is dropped.
pub(crate) struct Taken<'stack, T> {
    stack: &'stack WorkStack<T>,
}

impl<T> WorkStack<T> {
    pub(crate) fn new(first: T) -> Self {
        let state = WorkState { waiting: vec![first], taken: 0, idle: 0 };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, WorkState<T>> {
        // Every change is complete before any code that could panic.
        self.state.lock()
    }

    /// Takes the next piece; waits while pieces in progress may create more; `None` at the end.
    pub(crate) fn take(&self) -> Option<(T, Taken<'_, T>)> {
        let mut state = self.lock();
        loop {
            if let Some(piece) = state.waiting.pop() {
                state.taken += 1;
                return Some((piece, Taken { stack: self }));
            }
            if state.taken == 0 {
                return None;
            }
            state.idle += 1;
            self.changed.wait(&mut state);
            state.idle -= 1;
        }
    }

    /// Pushes pieces, and leaves the list empty for the next use.
    pub(crate) fn add(&self, pieces: &mut Vec<T>) {
        if pieces.is_empty() {
            return;
        }
        let count = pieces.len();
        let mut state = self.lock();
        state.waiting.append(pieces);
        match (state.idle, count) {
            (0, _) => {}
            (_, 1) => _ = self.changed.notify_one(),
            _ => _ = self.changed.notify_all(),
        }
    }

    /// Drops the waiting pieces, so that the threads end with the pieces they have.
    pub(crate) fn clear(&self) {
        self.lock().waiting.clear();
    }
}

impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        let mut state = self.stack.lock();
        state.taken -= 1;
        if state.taken == 0 && state.waiting.is_empty() {
            self.stack.changed.notify_all();
        }
    }
}

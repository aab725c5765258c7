//! A handle to what a callee keeps open while its questions travel, such as a call of its own.
//!
//! The side that waits for the answers owns the handle. Dropping it closes what is kept open; a
//! [`Withdrawal`] tells its owner that the callee needs no answers any more.

use parking_lot::{Mutex, MutexGuard};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker};

/// A handle to what a callee keeps open. Dropping the last clone closes it.
#[derive(Clone)]
pub struct Held(Arc<Inside>);

struct Inside(Mutex<State>);

struct State {
    let_go: Option<Box<dyn FnOnce() + Send>>,
    withdrawn: bool,
    waiting: Vec<Waker>,
}

impl Held {
    /// Makes a handle. `let_go` runs when the last clone is dropped, even if the callee has been
    /// called again by then: the callee must check that itself.
    pub fn new(let_go: impl FnOnce() + Send + 'static) -> Self {
        let let_go = Some(Box::new(let_go) as Box<dyn FnOnce() + Send>);
        Self(Arc::new(Inside(Mutex::new(State { let_go, withdrawn: false, waiting: Vec::new() }))))
    }

    /// Joins handles into one, for a callee that passes on the questions of several.
    pub fn together(mut all: Vec<Self>) -> Option<Self> {
        match all.len() {
            0 | 1 => all.pop(),
            _ => {
                let group = Group(all);
                Some(Self::new(move || group.let_go()))
            }
        }
    }

    /// Gives the handle up without running `let_go`: this process does not wait for the answers,
    /// but they may still arrive, so the callee keeps everything open until its own limit.
    pub fn release(&self) {
        let let_go = self.0.state().let_go.take();
        drop(let_go);
    }

    /// Waits until the callee withdraws its questions. Call it again then, without answers.
    pub fn withdrawn(&self) -> impl Future<Output = ()> + Send + 'static {
        Withdrawn(Arc::clone(&self.0))
    }

    /// The callee's half. What is kept open may own it: it does not keep the handle alive.
    pub fn withdrawal(&self) -> Withdrawal {
        Withdrawal(Arc::downgrade(&self.0))
    }
}

/// Handles that are joined into one. When the joined handle is released, so is each of them.
struct Group(Vec<Held>);

impl Group {
    fn let_go(mut self) {
        self.0.clear();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.0.iter().for_each(Held::release);
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Held")
    }
}

/// Withdraws the questions when it is dropped: the callee needs no answers any more.
#[derive(Debug)]
pub struct Withdrawal(Weak<Inside>);

impl Withdrawal {
    /// Whether the handle still has an owner, who waits for the answers.
    #[must_use]
    pub fn is_awaited(&self) -> bool {
        // Without `upgrade`: dropping the last reference here would run `let_go` in the caller.
        0 < self.0.strong_count()
    }

    /// Gives the half up without withdrawing anything.
    pub fn disarm(mut self) {
        self.0 = Weak::new();
    }
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        let Some(inside) = self.0.upgrade() else { return };
        let waiting = {
            let mut state = inside.state();
            state.withdrawn = true;
            std::mem::take(&mut state.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
    }
}

impl Inside {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }
}

impl fmt::Debug for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Held")
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        let let_go = self.state().let_go.take();
        if let Some(let_go) = let_go {
            let_go();
        }
    }
}

struct Withdrawn(Arc<Inside>);

impl Future for Withdrawn {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.state();
        if state.withdrawn {
            return Poll::Ready(());
        }
        // There are few waiters, and a waiter that polls again has the same waker.
        if !state.waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
            state.waiting.push(cx.waker().clone());
        }
        Poll::Pending
    }
}

//! Something a callee keeps open while its questions travel, such as a call of a server behind it.
//!
//! Whoever waits for the answers holds this. Dropped before the callee is called again, it lets
//! go of what was kept; and the callee can say through it that nobody need answer any more.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

/// A hold on what a callee keeps open. The last clone to go lets go of it.
#[derive(Clone)]
pub struct Held(Arc<Inside>);

struct Inside(Mutex<State>);

struct State {
    let_go: Option<Box<dyn FnOnce() + Send>>,
    withdrawn: bool,
    waiting: Vec<Waker>,
}

impl Held {
    /// Something is kept; `let_go` ends that, unless the callee has been called again by then,
    /// which it must find out itself.
    pub fn new(let_go: impl FnOnce() + Send + 'static) -> Self {
        let let_go = Some(Box::new(let_go) as Box<dyn FnOnce() + Send>);
        Self(Arc::new(Inside(Mutex::new(State { let_go, withdrawn: false, waiting: Vec::new() }))))
    }

    /// One hold on all of these, for a callee that passes the questions of several on at once.
    pub fn together(mut all: Vec<Self>) -> Option<Self> {
        match all.len() {
            0 | 1 => all.pop(),
            _ => {
                let several = Several(all);
                Some(Self::new(move || several.let_go()))
            }
        }
    }

    /// Nobody here waits for the answers, but they may come all the same: what is kept stays
    /// until the callee itself has had enough.
    pub fn release(&self) {
        let let_go = self.0.state().let_go.take();
        drop(let_go);
    }

    /// Waits until the callee needs no answers any more. It is to be called again without any.
    pub fn withdrawn(&self) -> impl Future<Output = ()> + Send + 'static {
        Withdrawn(Arc::clone(&self.0))
    }

    /// The callee's half. It must not keep alive what it is about.
    pub fn withdrawal(&self) -> Withdrawal {
        Withdrawal(Arc::downgrade(&self.0))
    }
}

/// Holds of which one stands for all. Dropped as a part of a hold that was released, they are
/// released too.
struct Several(Vec<Held>);

impl Several {
    fn let_go(mut self) {
        self.0.clear();
    }
}

impl Drop for Several {
    fn drop(&mut self) {
        self.0.iter().for_each(Held::release);
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Held")
    }
}

/// Says, when it is dropped, that the questions need no answers any more.
#[derive(Debug)]
pub struct Withdrawal(Weak<Inside>);

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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        // Few wait, and mostly the same one again.
        if !state.waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
            state.waiting.push(cx.waker().clone());
        }
        Poll::Pending
    }
}

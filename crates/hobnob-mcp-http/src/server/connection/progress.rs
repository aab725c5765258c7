//! The progress of a connection with its present request. The socket, the request and the reply
//! report it; the alarm reads it, and keeps the time: there is no clock here. All of them run on the
//! task of the connection, so the atomics only satisfy `Sync` and need no ordering.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// What the connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The first byte of the connection.
    Fresh,
    /// The rest of a request head.
    Head,
    /// A handler, or a reply that is not fully written.
    Busy,
    /// The next request on a connection that has answered one.
    Idle,
}

/// A phase of one particular turn. Two equal moments mean that nothing happened between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) phase: Phase,
    turn: u32,
}

/// The present moment, and whether a request was refused.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The turn, and the phase in the two lowest bits; zero is `Fresh`.
    packed: AtomicU32,
    refused: AtomicBool,
}

impl Progress {
    /// The present phase and turn.
    pub(super) fn now(&self) -> Moment {
        let packed = self.packed.load(Relaxed);
        let phase = match packed & 3 {
            0 => Phase::Fresh,
            1 => Phase::Head,
            2 => Phase::Busy,
            _ => Phase::Idle,
        };
        Moment { phase, turn: packed >> 2 }
    }

    /// Bytes came in. During a request they are body or a pipelined request, and mean nothing.
    pub(super) fn bytes_arrived(&self) {
        match self.now() {
            Moment { phase: Phase::Fresh, turn } => self.set(Phase::Head, turn),
            Moment { phase: Phase::Idle, turn } => self.set(Phase::Head, turn.wrapping_add(1)),
            Moment { phase: Phase::Head | Phase::Busy, .. } => {}
        }
    }

    /// The client took bytes. The end of a large reply is still being written after its body was
    /// handed to hyper, and a client that takes it slowly is not idle.
    pub(super) fn bytes_taken(&self) {
        if let Moment { phase: Phase::Idle, turn } = self.now() {
            self.set(Phase::Idle, turn.wrapping_add(1));
        }
    }

    /// The head of a request is complete.
    pub(super) fn request_begins(&self) {
        let Moment { phase, turn } = self.now();
        let turn = if phase == Phase::Idle { turn.wrapping_add(1) } else { turn };
        self.set(Phase::Busy, turn);
    }

    /// The last byte of the reply was handed to hyper.
    pub(super) fn reply_ends(&self) {
        self.set(Phase::Idle, self.now().turn);
    }

    /// A request was answered with a client error, perhaps before its body was read.
    pub(super) fn request_refused(&self) {
        self.refused.store(true, Relaxed);
    }

    pub(super) fn was_refused(&self) -> bool {
        self.refused.load(Relaxed)
    }

    fn set(&self, phase: Phase, turn: u32) {
        let bits = match phase {
            Phase::Fresh => 0,
            Phase::Head => 1,
            Phase::Busy => 2,
            Phase::Idle => 3,
        };
        self.packed.store(turn << 2 | bits, Relaxed);
    }
}

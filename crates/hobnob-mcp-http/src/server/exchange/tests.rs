//! Where the server requests of a call go if its client reads no stream.

use super::{Standing, next_deliverable};
use crate::server::accept::Accepts;
use crate::server::streams::PollingSupport;
use hobnob_mcp_transport::{Outbox, OutboxLimits};
use std::task::{Context, Poll, Waker};

#[test]
fn questions_nobody_reads_do_not_pile_up() {
    let exchange = Outbox::new(OutboxLimits::default());
    let main = Outbox::new(OutboxLimits::default());
    let standing = Some(Standing { outbox: &main, backlog: 400 });
    let accepts = Accepts { json: true, event_stream: false };
    let mut context = Context::from_waker(Waker::noop());
    let mut ask = |count: usize| {
        for _ in 0..count {
            exchange.ask("q".repeat(60));
        }
        let next =
            next_deliverable(&exchange, accepts, PollingSupport::Known, standing, &mut context);
        assert!(matches!(next, Poll::Pending), "there is no answer yet");
    };
    let waiting = || std::iter::from_fn(|| main.try_frame()).count();
    ask(1000);
    assert_eq!(waiting(), 2, "one may pass the bound, none may follow it");
    ask(1);
    assert_eq!(waiting(), 1, "somebody reads again");
}

//! Figures of servers: which calls count, and for how long.

use super::{CallsSum, MAX_SERVERS, ServerCalls};
use crate::observed_call::EndedCall;
use hobnob_gateway::{ObservedCall, ObservedEnd};
use hobnob_mcp_engine::ClientId;
use hobnob_mcp_types::Method;
use hobnob_policy::audit::AuditOutcome;
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::time::Duration;

fn start() -> Timestamp {
    "2026-01-02T03:00:00Z".parse().unwrap()
}

fn ended(server: Option<&str>, minute: i64, outcome: AuditOutcome, millis: u64) -> EndedCall {
    let call = ObservedCall {
        id: 1,
        at: start() + SignedDuration::from_mins(minute),
        method: Method::ToolsCall,
        target: "tool".into(),
        server: server.map(Into::into),
        original: None,
        principal: "".into(),
        client: None,
        via: None,
        revision: "2026-07-28",
        request_bytes: 1,
        client_id: ClientId::OURSELVES,
        trace: None,
    };
    let end = ObservedEnd { outcome, duration: Duration::from_millis(millis), result_bytes: 1 };
    EndedCall { call: Arc::new(call), end }
}

fn at(minute: i64) -> Timestamp {
    start() + SignedDuration::from_mins(minute)
}

#[test]
fn each_server_has_its_own_figures() {
    let known = [
        ended(Some("shop"), 0, AuditOutcome::Ok, 10),
        ended(Some("shop"), 1, AuditOutcome::Timeout, 30_000),
        ended(Some("shop"), 1, AuditOutcome::UpstreamLost, 1),
        ended(Some("shop"), 1, AuditOutcome::Refused, 1),
        ended(Some("bank"), 1, AuditOutcome::Error(-32603), 20),
        ended(None, 1, AuditOutcome::Ok, 20),
    ];
    let sums = ServerCalls::new(known.iter(), None).sums(at(2));
    let names: Vec<&str> = sums.keys().map(|name| &**name).collect();
    assert_eq!(names, ["bank", "shop"], "a built-in is no server");
    let CallsSum { calls, errors, p50_us, p95_us } = sums["shop"].clone();
    assert_eq!((calls, errors), (4, 2));
    assert!((8_000..13_000).contains(&p50_us.unwrap()), "{p50_us:?}");
    assert!((25_000_000..38_000_000).contains(&p95_us.unwrap()), "{p95_us:?}");
    assert_eq!((sums["bank"].calls, sums["bank"].errors), (1, 1));
}

#[test]
fn old_calls_are_forgotten_and_clocks_may_be_set_back() {
    let mut figures = ServerCalls::new([].iter(), Some(at(0)));
    for minute in 0..100 {
        figures.add(&ended(Some("shop"), minute, AuditOutcome::Ok, 1));
    }
    figures.add(&ended(Some("shop"), 3, AuditOutcome::Ok, 1));
    assert_eq!(figures.servers["shop"].len(), 15);
    assert_eq!(figures.sums(at(99))["shop"].calls, 16);
    assert_eq!(figures.sums(at(200)).len(), 0);
    assert_eq!(figures.since(at(10)), Some(at(0)));
    assert_eq!(figures.since(at(16)), None, "everything that is shown was counted");
}

#[test]
fn servers_are_bounded() {
    let mut figures = ServerCalls::new([].iter(), None);
    for number in 0..2 * MAX_SERVERS {
        figures.add(&ended(Some(&format!("server {number}")), 0, AuditOutcome::Ok, 1));
    }
    assert_eq!(figures.sums(at(0)).len(), MAX_SERVERS);
}

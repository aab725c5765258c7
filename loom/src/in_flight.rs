//! Model tests of the table of requests in flight: of racing threads, one gets a request.
//!
//! The table is in a mutex, as in the server; the thread that takes a request out answers it.

use hobnob_mcp_engine::InFlight;
use hobnob_mcp_types::RequestId;
use loom::sync::{Arc, Mutex};
use loom::thread;

type Table = Arc<Mutex<InFlight<&'static str>>>;

fn table() -> Table {
    Arc::new(Mutex::new(InFlight::new(2)))
}

/// Runs a function with the table on another thread.
fn spawn_with<T: 'static>(
    table: &Table,
    work: impl FnOnce(&Mutex<InFlight<&'static str>>) -> T + 'static,
) -> thread::JoinHandle<T> {
    let table = Arc::clone(table);
    thread::spawn(move || work(&table))
}

#[test]
fn a_call_is_answered_or_cancelled_never_both() {
    loom::model(|| {
        let table = table();
        let ticket = table.lock().unwrap().begin(RequestId::from(1), "call").unwrap();
        let cancelled = spawn_with(&table, |it| it.lock().unwrap().cancel(&RequestId::from(1)));
        let ended = spawn_with(&table, |it| it.lock().unwrap().end_all().pop());
        let finished = table.lock().unwrap().finish(ticket);
        let takers = [finished, cancelled.join().unwrap(), ended.join().unwrap()];
        assert_eq!(takers.iter().flatten().count(), 1, "{takers:?}");
        assert!(table.lock().unwrap().is_empty());
    });
}

#[test]
fn a_late_call_never_answers_for_a_newer_one_with_its_id() {
    loom::model(|| {
        let table = table();
        let old = table.lock().unwrap().begin(RequestId::from(1), "old").unwrap();
        // The client cancels and reuses the id while the old call finishes.
        let client = spawn_with(&table, |it| {
            let cancelled = it.lock().unwrap().cancel(&RequestId::from(1));
            let ticket = it.lock().unwrap().begin(RequestId::from(1), "new").unwrap();
            (cancelled, ticket)
        });
        let finished = table.lock().unwrap().finish(old);
        let (cancelled, new) = client.join().unwrap();
        assert!(matches!((finished, cancelled), (Some("old"), None) | (None, Some("old"))));
        assert_eq!(table.lock().unwrap().finish(new), Some("new"));
    });
}

#[test]
fn nothing_begins_after_the_end() {
    loom::model(|| {
        let table = table();
        let begun = spawn_with(&table, |it| it.lock().unwrap().begin(RequestId::from(1), "call"));
        let ended = table.lock().unwrap().end_all();
        // The call either began in time and was stopped, or was refused.
        assert_eq!(begun.join().unwrap().is_ok(), ended == ["call"]);
        assert!(table.lock().unwrap().begin(RequestId::from(2), "later").is_err());
    });
}

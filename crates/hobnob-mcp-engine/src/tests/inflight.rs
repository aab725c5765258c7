//! The table of requests in flight: one answer per request, and a limit.

use crate::{InFlight, Refused};
use hobnob_mcp_types::RequestId;

#[test]
fn an_id_is_open_once_and_free_again_afterwards() {
    let mut open = InFlight::new(10);
    let id = RequestId::from(1);
    let first = open.begin(id.clone(), "first").expect("free");
    assert_eq!(open.begin(id.clone(), "second"), Err(Refused::Duplicate));
    assert!(open.begin(RequestId::from("1"), "text").is_ok(), "a text is another id");
    assert_eq!(open.finish(first), Some("first"), "the refused one took nothing's place");
    assert_eq!(open.finish(first), None, "whoever comes second may not answer");
    assert!(open.begin(id.clone(), "third").is_ok());
    assert_eq!(open.len(), 2);
}

#[test]
fn a_late_call_never_answers_for_a_newer_one_with_its_id() {
    let mut open = InFlight::new(10);
    let id = RequestId::from(7);
    let old = open.begin(id.clone(), "old").expect("free");
    assert_eq!(open.cancel(&id), Some("old"));
    assert_eq!(open.cancel(&id), None);
    let new = open.begin(id, "new").expect("free again");
    assert_eq!(open.finish(old), None);
    assert_eq!(open.finish(new), Some("new"));
}

#[test]
fn a_full_table_refuses_until_one_ends_and_a_closed_one_for_good() {
    let mut open = InFlight::new(2);
    assert!(open.is_empty());
    for id in [1, 2] {
        assert!(open.begin(RequestId::from(id), id).is_ok());
    }
    assert_eq!(open.begin(RequestId::from(3), 3), Err(Refused::Full));
    assert_eq!(open.begin(RequestId::from(2), 3), Err(Refused::Duplicate), "the graver fault");
    assert_eq!(open.cancel(&RequestId::from(1)), Some(1));
    assert!(open.begin(RequestId::from(3), 3).is_ok());
    let mut rest = open.end_all();
    rest.sort_unstable();
    assert_eq!((rest, open.is_empty()), (vec![2, 3], true));
    assert_eq!(open.begin(RequestId::from(2), 4), Err(Refused::Full), "the end is the end");
    assert_eq!(InFlight::new(0).begin(RequestId::from(1), ()), Err(Refused::Full));
}

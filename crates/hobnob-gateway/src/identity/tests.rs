//! Hubs in front of each other, without transports.

use std::path::Path;
use std::time::{Duration, Instant};

use hobnob_config::Places;

use super::chain::Chain;
use super::{HubIdentity, MAX_CLIENT_AGE, MAX_DEPTH, is_refusal};

/// A hub whose settings are in this folder (which need not exist).
fn hub(settings: &str, inherited: Option<&str>) -> HubIdentity {
    let folder = Path::new("/nowhere").join(settings);
    let places = Places {
        home: folder.clone(),
        config_dir: folder.clone(),
        data_dir: folder.clone(),
        state_dir: folder.clone(),
        runtime_dir: folder.clone(),
        project: folder,
    };
    HubIdentity::new(&places, "/nowhere/program".into(), inherited)
}

fn variable(of: &HubIdentity) -> String {
    of.variable().1.into_string().unwrap()
}

#[test]
fn a_hub_with_the_same_settings_that_it_started_refuses_to_serve() {
    let first = hub("one", None);
    assert_eq!(first.check_start(), Ok(()));
    let other = hub("two", Some(&variable(&first)));
    assert_eq!(other.check_start(), Ok(()));
    let again = hub("one", Some(&variable(&other)));
    assert!(is_refusal(&again.check_start().unwrap_err()));
    // A command in a server's environment may run; it reads what a hub serves.
    assert_eq!(again.check_depth(), Ok(()));
}

#[test]
fn hubs_start_each_other_only_to_a_depth() {
    let mut inherited = None;
    for depth in 0..MAX_DEPTH {
        let next = hub(&depth.to_string(), inherited.as_deref());
        assert_eq!(next.check_start(), Ok(()), "{depth}");
        inherited = Some(variable(&next));
    }
    assert!(is_refusal(&hub("last", inherited.as_deref()).check_depth().unwrap_err()));
    assert!(hub("garbage", Some("garbage")).check_depth().is_err());
}

#[test]
fn a_request_that_comes_from_ourselves_is_refused_also_through_another_hub() {
    let (a, b) = (hub("a", None), hub("b", None));
    assert!(is_refusal(&a.admit(Some(&a.request_meta())).unwrap_err()), "our own listener");
    // A asks B; B remembers that and says so when it asks A.
    let answer = b.admit(Some(&a.request_meta())).unwrap().unwrap();
    assert_eq!(a.recognise(&answer), None);
    assert!(is_refusal(&a.admit(Some(&b.request_meta())).unwrap_err()));
    // Another process with the settings of A counts as A, too.
    assert!(is_refusal(&hub("a", None).admit(Some(&b.request_meta())).unwrap_err()));
    assert!(is_refusal(&hub("a", None).admit(Some(&a.request_meta())).unwrap_err()));
}

#[test]
fn a_greeting_of_a_hub_in_front_of_us_is_recognised() {
    let (a, b, c) = (hub("a", None), hub("b", None), hub("c", None));
    let answer_of_a = a.admit(Some(&c.request_meta())).unwrap().unwrap();
    assert_eq!(b.recognise(&answer_of_a), None);
    b.admit(Some(&a.request_meta())).unwrap();
    assert!(is_refusal(&b.recognise(&answer_of_a).unwrap()));
}

#[test]
fn other_clients_get_no_metadata_and_no_refusal() {
    let a = hub("a", None);
    for meta in [None, Some("{}"), Some(r#"{"progressToken":1}"#)] {
        assert_eq!(a.admit(meta), Ok(None), "{meta:?}");
    }
    assert_eq!(a.recognise("{}"), None);
    assert!(a.admit(Some(r#"{"dev.hobnob/hubs":7}"#)).is_err());
}

#[test]
fn a_hub_that_has_not_asked_for_long_is_in_front_of_us_no_more() {
    let (a, b) = (hub("a", None), hub("b", None));
    let now = Instant::now();
    b.admit_at(Some(&a.request_meta()), now).unwrap();
    assert_eq!(b.chain(now + Duration::from_secs(1)).hubs.len(), 2);
    assert_eq!(b.chain(now + MAX_CLIENT_AGE).hubs.len(), 1);
}

#[test]
fn a_chain_is_the_same_after_a_journey() {
    let (a, b) = (hub("a", None), hub("b", None));
    b.admit(Some(&a.request_meta())).unwrap();
    let chain = b.chain(Instant::now());
    assert_eq!(chain.depth, 2);
    assert_eq!(Chain::from_json(&chain.to_json()), Some(chain.clone()));
    assert_eq!(Chain::from_variable(&chain.to_variable()), chain);
    assert_eq!(Chain::from_variable(""), Chain::default());
}

//! How many places each client gets from a shared pool.

use crate::{ClientId, Principal, ShareKey, Shares};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

fn pipe() -> ShareKey {
    ShareKey::new(ClientId::next(), &Principal::anonymous(), Some("same name"))
}

/// Takes places until there are none to be had.
fn greedy(shares: &Arc<Shares>, who: ShareKey) -> Vec<crate::Share> {
    std::iter::from_fn(|| shares.take(who)).collect()
}

#[test]
fn a_greedy_client_leaves_something_for_the_next() {
    for (total, each, parts) in
        [(1024, 1024, &[512, 256, 128, 64][..]), (1024, 100, &[100, 100]), (4, 100, &[4, 0])]
    {
        let shares = Shares::new(total, each);
        let held: Vec<_> = parts.iter().map(|_| greedy(&shares, pipe())).collect();
        let counts: Vec<_> = held.iter().map(Vec::len).collect();
        assert_eq!(counts, parts, "{total} {each}");
        drop(held);
        assert_eq!(shares.taken(), 0);
        assert_eq!(greedy(&shares, pipe()).len(), parts[0], "given back");
    }
}

#[test]
fn clients_that_come_together_get_the_same() {
    let shares = Shares::new(1024, 1024);
    let clients: Vec<_> = (0..63).map(|_| pipe()).collect();
    let mut held = Vec::new();
    let mut counts = vec![0; clients.len()];
    loop {
        let before = held.len();
        for (client, count) in clients.iter().zip(&mut counts) {
            if let Some(share) = shares.take(*client) {
                held.push(share);
                *count += 1;
            }
        }
        if held.len() == before {
            break;
        }
    }
    let (min, max) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
    assert!(max - min <= 1 && *min >= 15, "{counts:?}");
    assert!(shares.take(pipe()).is_some(), "something is left for the next");
}

#[test]
fn several_at_once_are_taken_whole_or_not_at_all() {
    let shares = Shares::new(100, 60);
    let who = pipe();
    assert!(shares.take_many(who, 61).is_none());
    let held = shares.take_many(who, 40);
    assert!(held.is_some() && shares.take_many(who, 20).is_none());
    assert!(shares.take_many(pipe(), 20).is_some());
    drop(held);
    assert!(shares.take_many(who, 20).is_some());
    assert_eq!(shares.taken(), 0);
}

#[test]
fn clients_that_left_are_forgotten() {
    let shares = Shares::new(1024, 1024);
    let held: Vec<_> = (0..300).map(|_| shares.take(pipe())).collect();
    for _ in 0..10_000 {
        assert!(shares.take(pipe()).is_some());
        assert!(shares.remembered() <= 1200, "{}", shares.remembered());
    }
    assert!(held.iter().all(Option::is_some) && shares.taken() == 300);
}

#[test]
fn connections_are_free_but_count_together() {
    let address = |last| IpAddr::V4(Ipv4Addr::new(127, 0, 0, last));
    let key = |last, who: &Principal, name: &str| {
        ShareKey::new(ClientId::next_at(address(last)), who, Some(name))
    };
    let nobody = Principal::anonymous();
    assert_eq!(key(1, &nobody, "a"), key(1, &nobody, "a"));
    let somebody = Principal::named("x");
    let others = [key(2, &nobody, "a"), key(1, &nobody, "b"), key(1, &somebody, "a")];
    assert!(others.iter().all(|other| *other != key(1, &nobody, "a")));
    assert_eq!(key(1, &somebody, "a"), key(2, &somebody, "b"), "wherever they come from");
    assert_ne!(key(1, &somebody, "a"), key(1, &Principal::named("y"), "a"));
    assert_ne!(pipe(), pipe());
}

/// Only a pipe ends with its client; an HTTP session keeps the address of its connection.
#[test]
fn pipes_are_told_from_addresses() {
    let there = ClientId::next_at("::ffff:127.0.0.1".parse().unwrap());
    let cases = [
        (ClientId::next(), true, true),
        (ClientId::OURSELVES, true, true),
        (ClientId::next().next_session(), true, true),
        (there, false, true),
        (there.next_session(), false, true),
        (ClientId::next_at("192.0.2.1".parse().unwrap()), false, false),
    ];
    for (client, pipe, local) in cases {
        assert_eq!((client.is_pipe(), client.is_local()), (pipe, local), "{client:?}");
    }
}

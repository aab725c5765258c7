//! The parts that need no second process: frames, samples, and the refusal to kill others.

use super::confine::{decode, encode};
use super::end_all::NamespaceInit;
use super::message::{
    Afterwards, CgroupState, CommandLine, FromRunner, HEAD, Preparation, SandboxState, StartsIn,
    ToRunner, length,
};
use super::sampler::{ProcessSample, parse};
use super::spec::{CommandEnd, CommandReport};
use crate::limits::{LimitKind, ProcessLimits};
use crate::sandbox::{FileIdentity, NetworkAccess, Sandbox, SandboxLevel, SandboxPath};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

#[test]
fn whoever_is_not_the_first_of_a_namespace_cannot_kill_everybody() {
    assert_ne!(std::process::id(), 1, "tests have a parent");
    assert!(NamespaceInit::claim().is_none());
}

#[test]
fn frames_to_a_runner_arrive_as_they_were_sent() {
    let odd = OsString::from_vec(vec![b'a', 0xff, b'/', b'\n']);
    let command = CommandLine {
        starts_in: StartsIn::Scratch,
        program: odd.clone(),
        arguments: vec![odd.clone(), OsString::new()],
        environment: vec![("NAME".into(), odd.clone()), ("EMPTY".into(), OsString::new())],
    };
    let sent = ToRunner::Start(command.clone()).encode();
    let ToRunner::Start(received) = decoded(&sent) else { panic!("another frame") };
    assert!(received == command);
    for (sandbox, cgroup) in [
        (None, Some(odd.clone().into())),
        (
            Some(Sandbox {
                read: [odd, "/r".into()].map(SandboxPath::unchecked).into(),
                write: vec![SandboxPath {
                    path: "/w".into(),
                    identity: Some(FileIdentity { device: 3, inode: u64::MAX }),
                }],
                network: NetworkAccess::Host { closed_ports: vec![1, 65535] },
                level: SandboxLevel::Full,
            }),
            None,
        ),
    ] {
        let preparation = Preparation {
            limits: ProcessLimits { cpu: Duration::from_millis(1500), ..Default::default() },
            user_tasks: 7,
            sandbox,
            cgroup,
        };
        let sent = ToRunner::Prepare(preparation.clone()).encode();
        let ToRunner::Prepare(received) = decoded(&sent) else { panic!("another frame") };
        assert_eq!(received, preparation);
        let argument = encode(preparation.clone()).into();
        assert_eq!(decode(&argument).expect("digits"), preparation);
    }
}

fn decoded(frame: &[u8]) -> ToRunner {
    let (head, rest) = frame.split_first_chunk::<HEAD>().expect("a head");
    assert_eq!(length(*head).expect("a length"), rest.len());
    ToRunner::decode(rest).expect("a frame")
}

#[test]
fn frames_from_a_runner_arrive_as_they_were_sent() {
    let report = |end, peak_memory| {
        let cpu = Duration::from_micros(12_345);
        FromRunner::Ended(CommandReport { end, cpu, peak_memory }, Afterwards::Waits)
    };
    for frame in [
        FromRunner::Ready(SandboxState::On(SandboxLevel::Partial), CgroupState::Inside),
        FromRunner::Ready(SandboxState::NotAsked, CgroupState::Outside),
        FromRunner::Refused("because".into()),
        FromRunner::Started,
        FromRunner::Failed(13),
        report(CommandEnd::Code(255), None),
        report(CommandEnd::Signal(9), Some(0)),
        report(CommandEnd::Limit(LimitKind::Processes), Some(1 << 40)),
        report(CommandEnd::Killed, None),
    ] {
        let sent = frame.encode();
        assert_eq!(FromRunner::decode(&sent[HEAD..]).expect("a frame"), frame);
        for cut in HEAD..sent.len() {
            let part = FromRunner::decode(&sent[HEAD..cut]);
            // A text may end anywhere, a number may not.
            assert!(part.is_err(), "{frame:?} cut to {cut}");
        }
    }
}

#[test]
fn a_frame_that_is_too_long_is_refused() {
    assert!(length((8_u32 << 20).to_le_bytes()).is_ok());
    assert!(length(((8_u32 << 20) + 1).to_le_bytes()).is_err());
    assert!(length(u32::MAX.to_le_bytes()).is_err());
}

#[test]
fn a_sample_has_what_a_process_uses() {
    let stat = "12 (a) b) S 7 12 12 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 3 0 99 1000 55 1 2";
    let expected = ProcessSample { parent: 7, ticks: 100, resident: 55 };
    assert_eq!(parse(stat.as_bytes()), Some(expected));
    for broken in ["", "12 (a", "12 (a) S 7 12 12 0"] {
        assert_eq!(parse(broken.as_bytes()), None, "{broken}");
    }
}

//! A seccomp filter for a command and everything it starts: it refuses the system calls that would
//! bypass the rest of a sandbox. [`enter`](super::enter) installs it last.
//!
//! It sees numbers, never paths. A call of another architecture's interface ends the process.

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};
use std::collections::BTreeMap;
use std::io;

/// The kinds of socket that a command may create.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sockets {
    /// None. Pairs that are connected from the start are allowed, because they lead nowhere else.
    None,
    /// TCP, UDP and ICMP.
    Internet,
    /// TCP, UDP, ICMP and Unix sockets.
    InternetAndUnix,
}

/// The rules of each system call: it is refused if all conditions of one rule hold, or always if
/// there is no rule.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The number of an argument, the comparison, and the value to compare with.
type Condition = (u8, SeccompCmpOp, i32);

/// Installs the filter for good.
pub(super) fn install(sockets: Sockets) -> io::Result<()> {
    let refused = refused(sockets).map_err(io::Error::other)?;
    let missing = Rules::from_iter(UNIMPLEMENTED_CALLS.map(|call| (call, Vec::new())));
    for (rules, error) in [(refused, libc::EPERM), (missing, libc::ENOSYS)] {
        let program = program(rules, error).map_err(io::Error::other)?;
        apply_filter(&program).map_err(io::Error::other)?;
    }
    Ok(())
}

/// Calls that appear not to exist, so that programs fall back to older ones: `io_uring` could do
/// what a filter refuses without a call, and a filter cannot see the arguments of `clone3`.
const UNIMPLEMENTED_CALLS: [i64; 4] = [
    libc::SYS_clone3,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
];

/// Calls that no command needs: keys of other users of a key ring, and large parts of the kernel
/// that an ordinary user rarely reaches.
const REFUSED_CALLS: [i64; 6] = [
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_keyctl,
    libc::SYS_perf_event_open,
    libc::SYS_request_key,
    libc::SYS_userfaultfd,
];

fn refused(sockets: Sockets) -> Result<Rules, seccompiler::Error> {
    let mut rules = Rules::from_iter(REFUSED_CALLS.map(|call| (call, Vec::new())));
    if sockets == Sockets::None {
        rules.insert(libc::SYS_socket, Vec::new());
    }
    let mut add = |call: i64, conditions: &[Condition]| -> Result<(), seccompiler::Error> {
        rules.entry(call).or_default().push(rule(conditions)?);
        Ok(())
    };
    // In a user namespace every command would be an administrator of its own mounts and networks.
    for call in [libc::SYS_clone, libc::SYS_unshare] {
        add(call, &[has_bits(0, libc::CLONE_NEWUSER)])?;
    }
    // The kernel connects these sockets by itself, which bypasses the rules for ports.
    for (call, at) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
        add(call, &[has_bits(at, libc::MSG_FASTOPEN)])?;
    }
    for option in [libc::TCP_FASTOPEN_CONNECT, libc::TCP_ULP] {
        add(libc::SYS_setsockopt, &[is(1, libc::IPPROTO_TCP), is(2, option)])?;
    }
    let socket = libc::SYS_socket;
    let (unix, netlink) = (libc::AF_UNIX, libc::AF_NETLINK);
    match sockets {
        Sockets::None => {}
        Sockets::Internet => {
            add(
                socket,
                &[is_not(0, libc::AF_INET), is_not(0, libc::AF_INET6), is_not(0, netlink)],
            )?;
        }
        Sockets::InternetAndUnix => {
            let families = [libc::AF_INET, libc::AF_INET6, netlink, unix];
            add(socket, &families.map(|family| is_not(0, family)))?;
        }
    }
    if sockets != Sockets::None {
        // Of the netlink families only that of interfaces and addresses.
        add(socket, &[is(0, netlink), is_not(2, libc::NETLINK_ROUTE)])?;
        // MPTCP and SMC are TCP underneath.
        let protocols = [0, libc::IPPROTO_TCP, libc::IPPROTO_UDP, libc::IPPROTO_ICMP];
        for (family, icmp) in
            [(libc::AF_INET, libc::IPPROTO_ICMP), (libc::AF_INET6, libc::IPPROTO_ICMPV6)]
        {
            let mut conditions = vec![is(0, family), is_not(2, icmp)];
            conditions.extend(protocols.map(|protocol| is_not(2, protocol)));
            add(socket, &conditions)?;
        }
    }
    Ok(rules)
}

fn is(argument: u8, value: i32) -> Condition {
    (argument, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: i32) -> Condition {
    (argument, SeccompCmpOp::Ne, value)
}

fn has_bits(argument: u8, bits: i32) -> Condition {
    let bits_as_mask = u64::from(bits.cast_unsigned());
    (argument, SeccompCmpOp::MaskedEq(bits_as_mask), bits)
}

fn rule(conditions: &[Condition]) -> Result<SeccompRule, seccompiler::Error> {
    let conditions = conditions.iter().map(|(argument, comparison, value)| {
        let value = u64::from(value.cast_unsigned());
        SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, comparison.clone(), value)
    });
    let conditions = conditions.collect::<Result<Vec<_>, _>>()?;
    Ok(SeccompRule::new(conditions)?)
}

/// A filter that answers a call with `error` if one of its rules holds.
fn program(rules: Rules, error: i32) -> Result<BpfProgram, seccompiler::Error> {
    let target = TargetArch::try_from(std::env::consts::ARCH)?;
    let errno = SeccompAction::Errno(error.cast_unsigned());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, errno, target)?;
    let compiled: BpfProgram = filter.try_into()?;
    Ok(match target {
        TargetArch::x86_64 => [&refuse_x32()[..], &compiled].concat(),
        TargetArch::aarch64 | TargetArch::riscv64 => compiled,
    })
}

/// The x32 interface has the same architecture and its own call numbers, all with this bit.
fn refuse_x32() -> [sock_filter; 3] {
    const X32: u32 = 0x4000_0000;
    let number_at = 0;
    let refuse = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned();
    let instruction = |code: u32, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    [
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, number_at),
        instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, X32),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, refuse),
    ]
}

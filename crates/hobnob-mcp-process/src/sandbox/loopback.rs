//! Brings up the loopback interface of a new network namespace, so that a command can talk to the
//! servers that it starts itself. [`enter`](super::enter) calls it.

use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with,
};
use std::io;

/// `RTM_NEWLINK` and `NLMSG_ERROR` of rtnetlink(7).
const NEW_LINK: u16 = 16;
const ACKNOWLEDGEMENT: u16 = 2;
/// The flags `NLM_F_REQUEST` and `NLM_F_ACK` of netlink(7).
const REQUEST_WITH_ACK: u16 = 1 | 4;
/// The flag `IFF_UP` of netdevice(7).
const UP: u32 = 1;
/// The loopback interface is the first one of each namespace.
const LOOPBACK: i32 = 1;
/// A header of 16 bytes and a `struct ifinfomsg` of 16 bytes.
const MESSAGE_LEN: usize = 32;

/// Brings it up. Needs `CAP_NET_ADMIN` in the namespace.
pub(super) fn bring_up() -> io::Result<()> {
    let flags = SocketFlags::CLOEXEC;
    // Protocol 0 is `NETLINK_ROUTE`: interfaces and routes.
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None)?;
    let kernel = SocketAddrNetlink::new(0, 0);
    sendto(&socket, &message(), SendFlags::empty(), &kernel)?;
    let mut answer = [0; 256];
    let (count, _) = recv(&socket, &mut answer, RecvFlags::empty())?;
    error_of(answer.get(..count).unwrap_or_default())
}

fn message() -> Vec<u8> {
    let mut message = Vec::with_capacity(MESSAGE_LEN);
    message.extend(u32::try_from(MESSAGE_LEN).unwrap_or_default().to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(REQUEST_WITH_ACK.to_ne_bytes());
    // Sequence number and port.
    message.extend([0; 8]);
    // Family, padding and type of device: any.
    message.extend([0; 4]);
    message.extend(LOOPBACK.to_ne_bytes());
    // The flags, and the mask of flags to change.
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message
}

/// The kernel answers with a negative error number, or zero.
fn error_of(answer: &[u8]) -> io::Result<()> {
    let malformed = || io::Error::from(io::ErrorKind::InvalidData);
    let kind = answer.get(4..6).and_then(|it| it.try_into().ok()).map(u16::from_ne_bytes);
    let code = answer.get(16..20).and_then(|it| it.try_into().ok()).map(i32::from_ne_bytes);
    match (kind, code.ok_or_else(malformed)?) {
        (Some(ACKNOWLEDGEMENT), 0) => Ok(()),
        (Some(ACKNOWLEDGEMENT), code) => Err(io::Error::from_raw_os_error(-code)),
        _ => Err(malformed()),
    }
}

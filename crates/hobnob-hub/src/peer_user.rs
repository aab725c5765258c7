//! Restricts an HTTP listener without tokens to programs of this user and of root: Linux reports the
//! user of the socket at the other end of a loopback connection (sock_diag over netlink).
//!
//! The listener checks each connection once, and refuses it if the kernel does not report a user. The
//! audit log records refusals.

use crate::refusal_audit::AuditedRefusals;
use hobnob_mcp_http::PeerCheck;
use parking_lot::Mutex;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{
    AddressFamily, Protocol, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto,
    socket_with,
};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::os::fd::OwnedFd;

/// `NETLINK_SOCK_DIAG` and `SOCK_DIAG_BY_FAMILY` of sock_diag(7).
const SOCK_DIAG: NonZeroU32 = NonZeroU32::MIN.saturating_add(3);
const BY_FAMILY: u16 = 20;
/// The flag `NLM_F_REQUEST` of netlink(7): one socket, no list.
const REQUEST: u16 = 1;
/// The numbers of the address families and of TCP in such a message.
const INET: u8 = 2;
const INET6: u8 = 10;
const TCP: u8 = 6;
/// Offsets of user and inode in a `struct inet_diag_msg` behind its header.
const USER_AT: usize = 80;
const INODE_AT: usize = 84;
/// Offsets of both ports and addresses in the request and in the answer, and their length.
const ASKED_ADDRESSES_AT: usize = 24;
const ADDRESSES_AT: usize = 20;
const ADDRESSES_LEN: usize = 36;
/// The length of a request: a header of 16 bytes and a `struct inet_diag_req_v2` of 56 bytes.
const MESSAGE_LEN: u32 = 72;

/// Admits connections of this user's programs and of root's.
#[derive(Debug)]
pub struct LocalPrograms {
    user: u32,
    kernel: KernelSocket,
    refusals: AuditedRefusals,
}

/// A socket to the kernel, which is kept: with one for each connection, a lack of descriptors would
/// refuse programs of this very user.
#[derive(Debug)]
struct KernelSocket(Mutex<OwnedFd>);

impl LocalPrograms {
    /// Admits this user and root. Fails if the kernel does not answer such requests.
    pub fn new(refusals: AuditedRefusals) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        let client = std::net::TcpStream::connect(listener.local_addr()?)?;
        let kernel = KernelSocket::open()?;
        let user = kernel.owner(client.local_addr()?, client.peer_addr()?)?;
        if user == rustix::process::getuid().as_raw() {
            Ok(Self { user, kernel, refusals })
        } else {
            Err(io::Error::other("the kernel names another user than this one"))
        }
    }
}

impl PeerCheck for LocalPrograms {
    fn admits(&self, peer: SocketAddr, local: SocketAddr) -> bool {
        let user = self.kernel.owner(peer, local);
        if user.as_ref().is_ok_and(|user| *user == self.user || *user == 0) {
            return true;
        }
        tracing::debug!(?user, "refused a connection from another or an unknown user");
        self.refusals.connection_refused(peer.ip(), user.ok());
        false
    }
}

impl KernelSocket {
    fn open() -> io::Result<Self> {
        let (flags, protocol) = (SocketFlags::CLOEXEC, Some(Protocol::from_raw(SOCK_DIAG)));
        socket_with(AddressFamily::NETLINK, SocketType::DGRAM, flags, protocol)
            .map(|socket| Self(Mutex::new(socket)))
            .map_err(io::Error::from)
    }

    /// The user whose socket is connected from `from` to `to`.
    fn owner(&self, from: SocketAddr, to: SocketAddr) -> io::Result<u32> {
        let kernel = SocketAddrNetlink::new(0, 0);
        let question = question(from, to)?;
        let mut answer = [0; 512];
        let socket = self.0.lock();
        // The kernel answers while it takes the question; a late answer to an earlier one would
        // stand before this one's.
        while recv(&*socket, &mut answer, RecvFlags::DONTWAIT).is_ok() {}
        sendto(&*socket, &question, SendFlags::empty(), &kernel)?;
        let (count, _) = recv(&*socket, &mut answer, RecvFlags::DONTWAIT)?;
        understand(answer.get(..count).unwrap_or_default(), &question)
    }
}

fn question(from: SocketAddr, to: SocketAddr) -> io::Result<Vec<u8>> {
    let family = match (from.ip(), to.ip()) {
        (IpAddr::V4(_), IpAddr::V4(_)) => INET,
        (IpAddr::V6(_), IpAddr::V6(_)) => INET6,
        _ => return Err(io::ErrorKind::InvalidInput.into()),
    };
    let mut message = Vec::new();
    message.extend(MESSAGE_LEN.to_ne_bytes());
    message.extend(BY_FAMILY.to_ne_bytes());
    message.extend(REQUEST.to_ne_bytes());
    // Sequence number and port.
    message.extend([0; 8]);
    message.extend([family, TCP, 0, 0]);
    // Sockets in any state.
    message.extend(u32::MAX.to_ne_bytes());
    message.extend(from.port().to_be_bytes());
    message.extend(to.port().to_be_bytes());
    for address in [from.ip(), to.ip()] {
        match address {
            IpAddr::V4(address) => {
                message.extend(address.octets());
                message.extend([0; 12]);
            }
            IpAddr::V6(address) => message.extend(address.octets()),
        }
    }
    // Any interface.
    message.extend([0; 4]);
    // No cookie.
    message.extend([u8::MAX; 8]);
    Ok(message)
}

/// The user of exactly this connection: without it, the kernel reports a socket that listens there.
/// A socket without an inode is closed; the kernel reports user 0 then, so its owner is unknown.
fn understand(answer: &[u8], question: &[u8]) -> io::Result<u32> {
    let unknown = || io::Error::new(io::ErrorKind::NotFound, "the kernel knows no such socket");
    let kind = answer.get(4..6).and_then(|it| it.try_into().ok()).map(u16::from_ne_bytes);
    let number = |at: usize| {
        let bytes = answer.get(at..at + 4).and_then(|it| it.try_into().ok());
        bytes.map(u32::from_ne_bytes)
    };
    let addresses =
        |message: &[u8], at: usize| message.get(at..at + ADDRESSES_LEN).map(<[u8]>::to_vec);
    let is_same = addresses(answer, ADDRESSES_AT) == addresses(question, ASKED_ADDRESSES_AT);
    match (kind, number(USER_AT), number(INODE_AT)) {
        (Some(BY_FAMILY), Some(user), Some(1..)) if is_same => Ok(user),
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        ADDRESSES_AT, ADDRESSES_LEN, ASKED_ADDRESSES_AT, BY_FAMILY, INODE_AT, KernelSocket,
        LocalPrograms, MESSAGE_LEN, USER_AT, question, understand,
    };
    use crate::refusal_audit::AuditedRefusals;
    use hobnob_mcp_http::PeerCheck as _;
    use std::net::{TcpListener, TcpStream};

    fn answer(question: &[u8], kind: u16, user: u32, inode: u32) -> Vec<u8> {
        let mut answer = vec![0; 120];
        let asked = &question[ASKED_ADDRESSES_AT..ASKED_ADDRESSES_AT + ADDRESSES_LEN];
        answer[ADDRESSES_AT..ADDRESSES_AT + ADDRESSES_LEN].copy_from_slice(asked);
        answer[4..6].copy_from_slice(&kind.to_ne_bytes());
        answer[USER_AT..USER_AT + 4].copy_from_slice(&user.to_ne_bytes());
        answer[INODE_AT..INODE_AT + 4].copy_from_slice(&inode.to_ne_bytes());
        answer
    }

    #[test]
    fn a_closed_socket_belongs_to_nobody() {
        let at = |port: u16| std::net::SocketAddr::from(([127, 0, 0, 1], port));
        let (asked, other) = (question(at(1), at(2)).unwrap(), question(at(1), at(3)).unwrap());
        let answer =
            |kind, user, inode| understand(&answer(&asked, kind, user, inode), &asked).ok();
        assert_eq!(answer(BY_FAMILY, 1000, 7), Some(1000));
        assert_eq!(answer(BY_FAMILY, 0, 7), Some(0));
        assert_eq!(answer(BY_FAMILY, 0, 0), None);
        assert_eq!(answer(2, 1000, 7), None);
        assert!(understand(&super::tests::answer(&other, BY_FAMILY, 1000, 7), &asked).is_err());
        assert!(understand(&[], &asked).is_err());
    }

    #[test]
    fn the_kernel_knows_who_connects() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            // Some machines have no IPv6.
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (accepted, peer) = listener.accept().unwrap();
            let local = accepted.local_addr().unwrap();
            let own = rustix::process::getuid().as_raw();
            let kernel = KernelSocket::open().unwrap();
            for _ in 0..3 {
                assert_eq!(kernel.owner(peer, local).unwrap(), own);
                kernel.owner(local, local).unwrap_err();
            }
            let programs = LocalPrograms::new(AuditedRefusals::new(None)).unwrap();
            assert!(programs.admits(peer, local));
            // No connection goes from there to here.
            assert!(!programs.admits(local, local));
            drop(client);
            assert!(!programs.admits(peer, local));
        }
    }

    #[test]
    fn a_question_has_its_length() {
        let address = "127.0.0.1:1".parse().unwrap();
        assert_eq!(question(address, address).unwrap().len(), MESSAGE_LEN as usize);
        assert!(question(address, "[::1]:1".parse().unwrap()).is_err());
    }
}

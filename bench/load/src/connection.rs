//! One HTTP/1.1 keep-alive connection, reduced to what a load generator needs.

use std::net::SocketAddr;

use anyhow::{Context as _, bail, ensure};
use bytes::{Buf as _, BytesMut};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const READ_BYTES: usize = 64 * 1024;
const MAX_HEADERS: usize = 64;

pub(crate) struct Connection {
    stream: TcpStream,
    arrived: BytesMut,
}

/// The parts of a response's head that matter here.
#[derive(Debug, PartialEq)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) kind: Kind,
    pub(crate) session: Option<String>,
    framing: Framing,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Kind {
    EventStream,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Framing {
    Length(usize),
    Chunked,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> std::io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, arrived: BytesMut::new() })
    }

    pub(crate) async fn send(&mut self, request: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(request).await
    }

    pub(crate) async fn read_head(&mut self) -> anyhow::Result<Head> {
        loop {
            if let Some((length, head)) = parse_head(&self.arrived)? {
                self.arrived.advance(length);
                return Ok(head);
            }
            self.read_more().await?;
        }
    }

    /// Reads the whole body into `body`.
    pub(crate) async fn read_body(
        &mut self,
        head: &Head,
        body: &mut Vec<u8>,
    ) -> anyhow::Result<()> {
        body.clear();
        match head.framing {
            Framing::Length(length) => self.take(length, body).await,
            Framing::Chunked => loop {
                let size = self.read_chunk_size().await?;
                self.take(size, body).await?;
                self.take(b"\r\n".len(), &mut Vec::new()).await?;
                if size == 0 {
                    return Ok(());
                }
            },
        }
    }

    async fn read_chunk_size(&mut self) -> anyhow::Result<usize> {
        loop {
            match httparse::parse_chunk_size(&self.arrived) {
                Ok(httparse::Status::Complete((length, size))) => {
                    self.arrived.advance(length);
                    return Ok(usize::try_from(size)?);
                }
                Ok(httparse::Status::Partial) => self.read_more().await?,
                Err(_) => bail!("a chunk without a size"),
            }
        }
    }

    async fn take(&mut self, mut length: usize, body: &mut Vec<u8>) -> anyhow::Result<()> {
        loop {
            let part = self.arrived.len().min(length);
            body.extend_from_slice(&self.arrived[..part]);
            self.arrived.advance(part);
            length -= part;
            if length == 0 {
                return Ok(());
            }
            self.read_more().await?;
        }
    }

    async fn read_more(&mut self) -> anyhow::Result<()> {
        self.arrived.reserve(READ_BYTES);
        let read = self.stream.read_buf(&mut self.arrived).await?;
        ensure!(read > 0, "the server closed the connection");
        Ok(())
    }
}

/// The head and its length; `None` until it is complete.
fn parse_head(bytes: &[u8]) -> anyhow::Result<Option<(usize, Head)>> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(length) = response.parse(bytes)? else { return Ok(None) };
    let status = response.code.context("a response without a status")?;
    let mut head = Head { status, kind: Kind::Other, session: None, framing: Framing::Length(0) };
    for header in response.headers {
        let value = std::str::from_utf8(header.value)?.trim();
        match header.name.to_ascii_lowercase().as_str() {
            "content-length" => head.framing = Framing::Length(value.parse()?),
            "transfer-encoding" if value == "chunked" => head.framing = Framing::Chunked,
            "content-type" if value.starts_with("text/event-stream") => {
                head.kind = Kind::EventStream;
            }
            "mcp-session-id" => head.session = Some(value.to_owned()),
            _ => {}
        }
    }
    Ok(Some((length, head)))
}

/// The data of each event. Each line of data is one message: no server splits JSON over lines.
pub(crate) fn event_data(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = body.split(|byte| *byte == b'\n');
    let data = lines.filter_map(|line| line.strip_prefix(b"data:"));
    data.map(<[u8]>::trim_ascii).filter(|data| !data.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_when_they_are_complete() {
        let check = |head: &str, expected| {
            let found = parse_head(head.as_bytes()).unwrap();
            assert_eq!(found.map(|(_, head)| head), expected, "{head}");
        };
        check("HTTP/1.1 200 OK\r\nContent-Le", None);
        check(
            "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nMcp-Session-Id: s1\r\n\r\n",
            Some(Head {
                status: 200,
                kind: Kind::Other,
                session: Some("s1".into()),
                framing: Framing::Length(12),
            }),
        );
        check(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
            Some(Head {
                status: 200,
                kind: Kind::EventStream,
                session: None,
                framing: Framing::Chunked,
            }),
        );
        check(
            "HTTP/1.1 202 Accepted\r\n\r\n",
            Some(Head {
                status: 202,
                kind: Kind::Other,
                session: None,
                framing: Framing::Length(0),
            }),
        );
    }

    #[test]
    fn events_without_data_are_passed_over() {
        let body =
            b"id: 0\nretry: 3000\ndata: \n\n: ping\n\nid: 1\r\ndata: {\"id\":1}\r\n\r\ndata:{}\n\n";
        let data: Vec<_> = event_data(body).collect();
        assert_eq!(data, [&b"{\"id\":1}"[..], b"{}"]);
    }
}

//! The second private socket of a running `hobnob serve`, for a person's requests that no client
//! may make: one line with a request, one line with the answer.
//!
//! `serve` opens it; `hobnob restart`, `owner_questions` and `page_link` use it. What must stay true:
//! only the owner may open it, requests are bounded, and no program of a hub sees or answers the
//! owner's questions, or opens the page.

mod messages;

pub(crate) use messages::UNKNOWN_REQUEST;
pub use messages::{
    AnswerReceipt, ControlAnswer, ControlRequest, DescriptionAnswer, PageAnswer, QuestionsAnswer,
};

use crate::hub_description::HubFacts;
use crate::page::PageOpener;
use crate::private_peer::{admit, belongs_to, is_started_by_hub, own_user};
use crate::refusal_audit::AuditedRefusals;
use crate::socket::{key, remove};
use anyhow::Context as _;
use hobnob_config::Places;
use hobnob_gateway::{Gateway, RestartError};
use hobnob_mcp_engine::Principal;
use hobnob_mcp_server::Server;
use serde::de::DeserializeOwned;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

/// How many requests are answered at the same time.
const MAX_REQUESTS: usize = 16;

/// The most bytes that a request may have.
const MAX_REQUEST_BYTES: u64 = 16 * 1024;

/// The most bytes of an answer: enough for all questions that a hub keeps for its owner.
const MAX_ANSWER_BYTES: u64 = 16 << 20;

/// How long a request may take to arrive, and an answer to be read.
const IO_TIMEOUT: Duration = Duration::from_secs(5);

/// Which commands a hub's socket accepts; its file name says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ControlSocketKind {
    /// A hub with all servers: every command.
    Whole,
    /// A hub with one profile, whose servers no other command knows: the owner's questions.
    QuestionsOnly,
}

impl ControlSocketKind {
    fn extension(self) -> &'static str {
        match self {
            Self::Whole => "control",
            Self::QuestionsOnly => "questions",
        }
    }
}

/// Which hubs a request goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhichHubs {
    /// The hubs of this project with these settings.
    Ours,
    /// All hubs of this user that share the state folder.
    All,
}

/// The hub that requests are about.
#[derive(Clone)]
pub(crate) struct ControlledHub {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) server: Server,
    pub(crate) facts: HubFacts,
    pub(crate) page: PageOpener,
}

/// A listening socket. Dropping it removes the file.
pub(crate) struct ControlSocket {
    listener: UnixListener,
    path: PathBuf,
}

impl ControlSocket {
    /// Starts to listen. Must be called inside a runtime.
    pub(crate) fn open(places: &Places, kind: ControlSocketKind) -> io::Result<Self> {
        hobnob_disk::make_folder(&places.runtime_dir)?;
        let name = format!("{}-{}.{}", key(places), std::process::id(), kind.extension());
        let path = places.runtime_dir.join(name);
        // The name contains this process's id, so the process that left such a file is gone.
        remove(&path);
        let socket = Self { listener: UnixListener::bind(&path)?, path };
        fs::set_permissions(&socket.path, Permissions::from_mode(0o600))?;
        Ok(socket)
    }

    /// Answers requests until the server stops.
    pub(crate) async fn serve(self, hub: ControlledHub, refusals: AuditedRefusals) {
        let (user, mut open) = (own_user(), JoinSet::new());
        loop {
            let accepted = tokio::select! {
                () = hub.server.stopping() => break,
                Some(_) = open.join_next() => continue,
                accepted = self.listener.accept(), if open.len() < MAX_REQUESTS => accepted,
            };
            match accepted {
                Ok((stream, _)) => match admit(&stream, user) {
                    Ok(()) => drop(open.spawn(answer(stream, hub.clone()))),
                    Err(refusal) => {
                        tracing::warn!("refused a request: {refusal}");
                        refusals.peer_refused(refusal);
                    }
                },
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a request");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
        open.shutdown().await;
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

async fn answer(mut stream: UnixStream, hub: ControlledHub) {
    let read = tokio::time::timeout(IO_TIMEOUT, line_of(&mut stream, MAX_REQUEST_BYTES)).await;
    let Ok(Ok(line)) = read else { return };
    let Ok(text) = answer_to(&line, &stream, &hub).await else { return };
    // A command that has stopped waiting does not need the answer.
    let sent = stream.write_all(text.as_bytes());
    drop(tokio::time::timeout(IO_TIMEOUT, sent).await);
    if matches!(serde_json::from_str(&line), Ok(ControlRequest::Stop { pid }) if pid == std::process::id())
    {
        tracing::info!("stopping: a command asked for it");
        hub.server.stop();
    }
}

/// The answer to a request, as one line.
async fn answer_to(
    line: &str,
    stream: &UnixStream,
    hub: &ControlledHub,
) -> Result<String, serde_json::Error> {
    let gateway = &hub.gateway;
    let text = match serde_json::from_str(line) {
        Ok(ControlRequest::Restart { server, principal }) => {
            let principal = principal.as_deref();
            let principal = principal.map_or_else(Principal::anonymous, Principal::named);
            serde_json::to_string(&match gateway.restart(&server, &principal).await {
                Ok(()) => ControlAnswer::Done,
                Err(RestartError::Unknown(server)) => ControlAnswer::Unknown(server),
                Err(RestartError::Unavailable(why)) => ControlAnswer::Failed(why),
            })
        }
        Ok(ControlRequest::Questions | ControlRequest::Answer { .. })
            if is_started_by_hub(stream) =>
        {
            let why = "the owner's questions are not for programs that Hobnob started";
            serde_json::to_string(&ControlAnswer::Failed(why.into()))
        }
        Ok(ControlRequest::OpenPage) => serde_json::to_string(&open_page(stream, hub).await),
        Ok(ControlRequest::Questions) => {
            serde_json::to_string(&QuestionsAnswer::Questions(gateway.owner_controls().questions()))
        }
        Ok(ControlRequest::Answer { number, answer }) => {
            serde_json::to_string(&match gateway.owner_controls().answer(number, answer).await {
                Ok(question) => AnswerReceipt::Answered(Box::new(question)),
                Err(why) => AnswerReceipt::NotAnswered(why),
            })
        }
        Ok(ControlRequest::Describe) => {
            serde_json::to_string(&DescriptionAnswer::Description(hub.facts.describe()))
        }
        Ok(ControlRequest::Stop { pid }) => {
            serde_json::to_string(&match pid == std::process::id() {
                true => ControlAnswer::Done,
                false => ControlAnswer::Unknown(pid.to_string()),
            })
        }
        Err(_) => serde_json::to_string(&ControlAnswer::Failed(UNKNOWN_REQUEST.into())),
    };
    Ok(format!("{}\n", text?))
}

async fn open_page(stream: &UnixStream, hub: &ControlledHub) -> PageAnswer {
    if is_started_by_hub(stream) {
        return PageAnswer::Failed("the page is not for programs that Hobnob started".into());
    }
    match hub.page.open().await {
        Ok(url) => PageAnswer::Page { url },
        Err(why) => PageAnswer::Failed(why),
    }
}

/// Asks the newest hub of this project with these settings; `None` if there is none.
pub async fn ask(
    places: &Places,
    request: &ControlRequest,
) -> anyhow::Result<Option<ControlAnswer>> {
    match connect(places, WhichHubs::Ours, &[ControlSocketKind::Whole]).await.next() {
        Some(mut stream) => exchange(&mut stream, request).await.map(Some),
        None => Ok(None),
    }
}

/// Sends one request and reads its answer.
pub(crate) async fn exchange<A: DeserializeOwned>(
    stream: &mut UnixStream,
    request: &ControlRequest,
) -> anyhow::Result<A> {
    let text = serde_json::to_string(request)?;
    let lost = "the running `hobnob serve` has ended; try again";
    stream.write_all(format!("{text}\n").as_bytes()).await.context(lost)?;
    let line = line_of(stream, MAX_ANSWER_BYTES).await.context(lost)?;
    serde_json::from_str(&line).context(lost)
}

/// Connections to these hubs, the newest first.
pub(crate) async fn connect(
    places: &Places,
    which: WhichHubs,
    kinds: &[ControlSocketKind],
) -> impl Iterator<Item = UnixStream> {
    let prefix = match which {
        WhichHubs::Ours => format!("{}-", key(places)),
        WhichHubs::All => String::new(),
    };
    let user = own_user();
    let entries = fs::read_dir(&places.runtime_dir).map(|entries| entries.flatten().collect());
    let mut paths: Vec<fs::DirEntry> = entries.unwrap_or_default();
    paths.retain(|entry| {
        let name = entry.file_name();
        let extension = name.to_str().and_then(|name| name.strip_prefix(&prefix)?.split_once('.'));
        extension.is_some_and(|(_, found)| kinds.iter().any(|kind| kind.extension() == found))
    });
    paths.sort_by_key(|entry| entry.metadata().and_then(|about| about.modified()).ok());
    let mut streams = Vec::new();
    for entry in paths.iter().rev() {
        match UnixStream::connect(entry.path()).await {
            Ok(stream) if belongs_to(&stream, user) => streams.push(stream),
            Ok(_) => tracing::warn!("ignoring another user's socket"),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => remove(&entry.path()),
            Err(error) => tracing::debug!(%error, "cannot connect to a socket"),
        }
    }
    streams.into_iter()
}

async fn line_of(stream: &mut UnixStream, limit: u64) -> io::Result<String> {
    let mut line = String::new();
    BufReader::new(stream.take(limit)).read_line(&mut line).await?;
    Ok(line)
}

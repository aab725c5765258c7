//! The second private socket of a running `hobnob serve`: what a person may ask of it that no client
//! may. One line with a request, one line with the answer.
//!
//! `serve` opens it, `hobnob restart` and `owner_questions` ask through it. What must stay true: only the
//! owner may open it, a request is read within bounds of size and time, and no program that a hub started
//! sees or answers the owner's questions.

use crate::hub_description::{HubDescription, HubFacts};
use crate::private_peer::{admit, belongs_to, is_started_by_hub, own_user};
use crate::refusal_audit::AuditedRefusals;
use crate::socket::{key, remove};
use anyhow::Context as _;
use hobnob_config::Places;
use hobnob_gateway::{Gateway, NotAnswered, OwnerAnswer, OwnerQuestion, RestartError};
use hobnob_mcp_engine::Principal;
use hobnob_mcp_server::Server;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

/// Requests that are answered at the same time.
const MAX_REQUESTS: usize = 16;

/// The longest request in bytes.
const MAX_REQUEST: u64 = 16 * 1024;

/// The longest answer in bytes: all questions that a hub keeps for its owner.
const MAX_ANSWER: u64 = 16 << 20;

/// How long a request may take to arrive, and an answer to be read.
const ARRIVAL: Duration = Duration::from_secs(5);

/// Which commands a hub's socket is for; its name says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ControlSocketKind {
    /// A hub with all servers: every command.
    Whole,
    /// A hub with one profile only, whose servers no other command knows: the owner's questions.
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

/// Which hubs are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhichHubs {
    /// Those of this project and these settings.
    Ours,
    /// All of this user that share the state folder.
    All,
}

/// What a person asks of a running hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ControlRequest {
    /// End this server and start it again.
    Restart {
        /// Its name in the configuration.
        server: String,
        /// Whose login has changed, if it is not that of whoever runs the hub.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        principal: Option<String>,
    },
    /// What was the owner asked about calls of others? Answered by [`QuestionsAnswer`].
    Questions,
    /// The owner's answer to one of these questions. Answered by [`AnswerReceipt`].
    Answer {
        /// By which the hub knows the question.
        number: u64,
        /// What the owner says.
        answer: OwnerAnswer,
    },
    /// What are you? Answered by [`DescriptionAnswer`].
    Describe,
    /// End yourself, if you are this process.
    Stop {
        /// The process of the hub that is to end.
        pid: u32,
    },
}

/// What a hub is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DescriptionAnswer {
    /// How it was started, for which project, and for how many clients.
    Description(HubDescription),
    /// It does not say: it is older than the question.
    Failed(String),
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ControlAnswer {
    /// It was done, or is being done.
    Done,
    /// There is no such server in the hub's configuration, or it is another process.
    Unknown(String),
    /// It was tried and did not work.
    Failed(String),
}

/// The questions to the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionsAnswer {
    /// All that this hub keeps, the oldest first.
    Questions(Vec<OwnerQuestion>),
    /// They are not shown to this program, or this hub has none.
    Failed(String),
}

/// What came of an answer of the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerReceipt {
    /// It counts for this question.
    Answered(OwnerQuestion),
    /// It does not count.
    NotAnswered(NotAnswered),
    /// It is not taken from this program, or by this hub.
    Failed(String),
}

/// The hub that requests are about.
#[derive(Clone)]
pub(crate) struct ControlledHub {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) server: Server,
    pub(crate) facts: HubFacts,
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
        // The name contains our process id, so whoever left this file behind is gone.
        remove(&path);
        let socket = Self { listener: UnixListener::bind(&path)?, path };
        fs::set_permissions(&socket.path, Permissions::from_mode(0o600))?;
        Ok(socket)
    }

    /// Answers requests until the server stops.
    pub(crate) async fn serve(self, hub: ControlledHub, refusals: AuditedRefusals) {
        let (ours, mut open) = (own_user(), JoinSet::new());
        loop {
            let accepted = tokio::select! {
                () = hub.server.stopping() => break,
                Some(_) = open.join_next() => continue,
                accepted = self.listener.accept(), if open.len() < MAX_REQUESTS => accepted,
            };
            match accepted {
                Ok((stream, _)) => match admit(&stream, ours) {
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
    let read = tokio::time::timeout(ARRIVAL, line_of(&mut stream, MAX_REQUEST)).await;
    let Ok(Ok(line)) = read else { return };
    let Ok(text) = answer_to(&line, &stream, &hub).await else { return };
    // A command that does not wait for the answer does not need it.
    let sent = stream.write_all(text.as_bytes());
    drop(tokio::time::timeout(ARRIVAL, sent).await);
    if matches!(serde_json::from_str(&line), Ok(ControlRequest::Stop { pid }) if pid == std::process::id())
    {
        tracing::info!("stopping: a command asked for it");
        hub.server.stop();
    }
}

/// The line that answers a request.
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
        Ok(ControlRequest::Questions) => {
            serde_json::to_string(&QuestionsAnswer::Questions(gateway.owner_questions()))
        }
        Ok(ControlRequest::Answer { number, answer }) => {
            serde_json::to_string(&match gateway.answer_for_owner(number, answer).await {
                Ok(question) => AnswerReceipt::Answered(question),
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
        Err(_) => {
            let why = "this `hobnob serve` does not know the request";
            serde_json::to_string(&ControlAnswer::Failed(why.into()))
        }
    };
    Ok(format!("{}\n", text?))
}

/// Asks the newest hub of this project and these settings; nothing if there is none.
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
    let line = line_of(stream, MAX_ANSWER).await.context(lost)?;
    serde_json::from_str(&line).context(lost)
}

/// Connections to these hubs, the newest first.
pub(crate) async fn connect(
    places: &Places,
    which: WhichHubs,
    kinds: &[ControlSocketKind],
) -> impl Iterator<Item = UnixStream> {
    let head = match which {
        WhichHubs::Ours => format!("{}-", key(places)),
        WhichHubs::All => String::new(),
    };
    let ours = own_user();
    let entries = fs::read_dir(&places.runtime_dir).map(|entries| entries.flatten().collect());
    let mut paths: Vec<fs::DirEntry> = entries.unwrap_or_default();
    paths.retain(|entry| {
        let name = entry.file_name();
        let extension = name.to_str().and_then(|name| name.strip_prefix(&head)?.split_once('.'));
        extension.is_some_and(|(_, found)| kinds.iter().any(|kind| kind.extension() == found))
    });
    paths.sort_by_key(|entry| entry.metadata().and_then(|about| about.modified()).ok());
    let mut streams = Vec::new();
    for entry in paths.iter().rev() {
        match UnixStream::connect(entry.path()).await {
            Ok(stream) if belongs_to(&stream, ours) => streams.push(stream),
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

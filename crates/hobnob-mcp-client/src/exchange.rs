//! One request on its way, and everything that can become of it.

use crate::options::Timeouts;
use crate::peer::Peer;
use crate::pending::{Done, Pulse, ServerQuestion};
use crate::turns::Turn;
use hobnob_mcp_engine::{CallError, Caller, Notes};
use hobnob_mcp_transport::Loss;
use hobnob_mcp_types::subscriptions::SubscriptionFilter;
use hobnob_mcp_types::{ErrorCode, Method, RequestId, Revision, RpcError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A request to be sent.
pub(crate) struct Ask<'a> {
    pub(crate) method: Method,
    /// Writes the whole message under this id.
    pub(crate) text: Box<dyn FnOnce(&RequestId) -> String + 'a>,
    /// The revision, where none is agreed yet.
    pub(crate) revision: Option<Revision>,
    /// What HTTP repeats in headers.
    pub(crate) name: Option<Box<str>>,
    pub(crate) mirrored: Vec<(Box<str>, String)>,
    /// Who hears of progress and log messages.
    pub(crate) notes: Option<Notes>,
    /// Whether the server may ask back during it.
    pub(crate) questions: MayAsk,
    /// On whose behalf it is asked.
    pub(crate) caller: Option<Caller>,
    /// Hears what a server agrees to tell of, for a listen.
    pub(crate) agreed: Option<oneshot::Sender<SubscriptionFilter>>,
    /// The caller's turn, kept until the request is over. Requests of our own need none.
    pub(crate) turn: Option<Turn>,
}

impl<'a> Ask<'a> {
    /// A request that is quiet: no headers, nobody hears of progress, nobody is asked.
    pub(crate) fn quiet(method: Method, text: impl FnOnce(&RequestId) -> String + 'a) -> Self {
        Self {
            method,
            text: Box::new(text),
            revision: None,
            name: None,
            mirrored: Vec::new(),
            notes: None,
            questions: MayAsk::No,
            caller: None,
            agreed: None,
            turn: None,
        }
    }
}

/// Whether a server may ask back during a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MayAsk {
    Yes,
    No,
}

/// Why a request has no result.
#[derive(Debug, Clone)]
pub enum RequestError {
    /// The server answered with an error.
    Rpc(RpcError),
    /// The server answered, but not in the protocol.
    Unreadable(RpcError),
    /// It never left: the server cannot have run it.
    Unsent(Box<str>),
    /// It never left, since too much is under way already; the connection is as good as before.
    Busy(Box<str>),
    /// The transport lost it.
    Lost(Loss),
    /// The connection ended while it ran: it may have run.
    Ended(Box<str>),
    /// No answer in time; it was cancelled.
    Late(Duration),
}

impl RequestError {
    /// Whether the server cannot have run the request, so that asking again is safe.
    pub fn cannot_have_run(&self) -> bool {
        match self {
            Self::Unsent(_) | Self::Busy(_) => true,
            Self::Lost(loss) => loss.cannot_have_run(),
            Self::Rpc(_) | Self::Unreadable(_) | Self::Ended(_) | Self::Late(_) => false,
        }
    }

    /// Whether the connection is of no more use.
    pub fn ends_connection(&self) -> bool {
        matches!(self, Self::Ended(_) | Self::Unsent(_) | Self::Lost(Loss::SessionGone))
    }
}

impl std::fmt::Display for RequestError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rpc(error) => error.fmt(f),
            Self::Unreadable(error) => write!(f, "the answer cannot be read: {}", error.message),
            Self::Unsent(why) => write!(f, "not sent: {why}"),
            Self::Busy(why) => write!(f, "not sent: {why}; try again later"),
            Self::Lost(loss) => loss.fmt(f),
            Self::Ended(why) => write!(f, "the connection ended: {why}"),
            Self::Late(limit) => write!(f, "no answer within {limit:?}"),
        }
    }
}

impl std::error::Error for RequestError {}

impl From<RequestError> for CallError {
    fn from(failure: RequestError) -> Self {
        match failure {
            RequestError::Rpc(error) => Self::Other(error),
            RequestError::Late(_) => Self::Late(failure.to_string().into()),
            RequestError::Busy(_) => {
                Self::Other(RpcError::new(ErrorCode::BUSY, failure.to_string()))
            }
            other => Self::Other(RpcError::new(ErrorCode::INTERNAL, other.to_string())),
        }
    }
}

/// A request under way. Dropped before its answer, it is cancelled.
#[derive(Debug)]
pub(crate) struct Exchange {
    peer: Arc<Peer>,
    number: i64,
    method: Method,
    answer: oneshot::Receiver<Done>,
    questions: Option<mpsc::Receiver<ServerQuestion>>,
    pulse: Arc<Pulse>,
    /// Cancelled when it waits no longer.
    answered: CancellationToken,
    begun: Instant,
    /// How long it waited for somebody's answer to a question: not the server's time.
    parked: Duration,
    over: bool,
}

/// What comes next of a request under way.
pub(crate) enum Step {
    /// Its end.
    Done(Done),
    /// A question of the server.
    Question(ServerQuestion),
}

impl Exchange {
    pub(crate) fn new(
        peer: Arc<Peer>,
        number: i64,
        method: Method,
        answer: oneshot::Receiver<Done>,
        questions: Option<mpsc::Receiver<ServerQuestion>>,
        pulse: Arc<Pulse>,
        answered: CancellationToken,
    ) -> Self {
        let begun = Instant::now();
        let (parked, over) = (Duration::ZERO, false);
        Self { peer, number, method, answer, questions, pulse, answered, begun, parked, over }
    }

    /// Waits for the answer, at most that long whatever happens meanwhile.
    pub(crate) async fn answer_within(mut self, limit: Duration) -> Done {
        match tokio::time::timeout(limit, &mut self.answer).await {
            Ok(answer) => self.ended(answer),
            Err(_) => Err(RequestError::Late(limit)),
        }
    }

    /// Waits for the answer as long as it takes; for a listen.
    pub(crate) async fn answer(&mut self) -> Done {
        let answer = (&mut self.answer).await;
        self.ended(answer)
    }

    /// Waits for the answer or a question. Progress extends the time, up to the hard end.
    pub(crate) async fn step(&mut self, timeouts: &Timeouts) -> Step {
        loop {
            let quiet_end =
                self.begun + Duration::from_millis(self.pulse.last_ms()) + timeouts.call;
            let hard_end = self.begun + timeouts.call_max + self.parked;
            let question = async {
                match &mut self.questions {
                    Some(questions) => questions.recv().await,
                    None => None,
                }
            };
            tokio::select! {
                biased;
                answer = &mut self.answer => return Step::Done(self.ended(answer)),
                Some(question) = question => return Step::Question(question),
                () = tokio::time::sleep_until(quiet_end.min(hard_end)) => {}
            }
            let now = Instant::now();
            let alive = self.begun + Duration::from_millis(self.pulse.last_ms()) + timeouts.call;
            if now >= hard_end {
                return Step::Done(Err(RequestError::Late(timeouts.call_max)));
            }
            if now >= alive {
                return Step::Done(Err(RequestError::Late(timeouts.call)));
            }
        }
    }

    /// Goes on after a question that took so long to answer, with new ears.
    pub(crate) fn resume(&mut self, parked: Duration, notes: Notes) {
        self.parked += parked;
        self.pulse.beat();
        self.peer.renote(self.number, notes);
    }

    /// Is cancelled when it waits no longer, whether or not anybody looks.
    pub(crate) fn answered(&self) -> &CancellationToken {
        &self.answered
    }

    /// What the server knows the request by, and its progress.
    pub(crate) fn number(&self) -> i64 {
        self.number
    }

    /// Hears what is told of the call under this token, too.
    pub(crate) fn hear_of(&self, token: i64, notes: Notes) {
        self.peer.follow_token(token, self.number, notes);
    }

    pub(crate) fn peer(&self) -> &Arc<Peer> {
        &self.peer
    }

    fn ended(&mut self, answer: Result<Done, oneshot::error::RecvError>) -> Done {
        self.over = true;
        answer.unwrap_or_else(|_| Err(RequestError::Ended("the connection is gone".into())))
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if !self.over {
            self.peer.give_up(self.number, self.method);
        }
        // On a pipe a question is given to the likeliest call, so it may be another one's.
        let Some(questions) = &mut self.questions else { return };
        questions.close();
        while let Ok(question) = questions.try_recv() {
            self.peer.hand_on(question);
        }
    }
}

//! The requests of one connection that wait for their answers, matched by id.

use crate::exchange::RequestError;
use crate::turns::Turn;
use hobnob_mcp_engine::{Caller, ClientId, Notes, can_answer};
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::subscriptions::SubscriptionFilter;
use hobnob_mcp_types::{Method, RequestId};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::DropGuard;

/// How a request ended: the result as JSON text.
pub(crate) type Done = Result<Box<str>, RequestError>;

/// Questions one call may have open at once; more are refused.
pub(crate) const OPEN_QUESTIONS: usize = 16;

/// A question of the server that belongs to a call.
#[derive(Debug)]
pub(crate) struct ServerQuestion {
    /// The id our answer goes under.
    pub(crate) id: RequestId,
    /// What it asks.
    pub(crate) request: InputRequest,
    /// The request on whose own stream it came, where there is such a thing.
    pub(crate) exchange: Option<i64>,
    /// Ends when it is answered or taken back.
    pub(crate) taken_back: oneshot::Receiver<()>,
}

/// One waiting request.
pub(crate) struct Waiting {
    pub(crate) method: Method,
    pub(crate) done: oneshot::Sender<Done>,
    /// Who hears what is told meanwhile; nobody, of a request of our own.
    pub(crate) notes: Option<Notes>,
    /// Where questions go that the server asks during this call, if it may ask any.
    pub(crate) questions: Option<mpsc::Sender<ServerQuestion>>,
    pub(crate) pulse: Arc<Pulse>,
    /// On whose behalf it was asked.
    pub(crate) caller: Option<Caller>,
    pub(crate) agreed: Option<oneshot::Sender<SubscriptionFilter>>,
    /// Its caller's turn, which is the next one's when this is over.
    pub(crate) _turn: Option<Turn>,
    /// Dropped with this, it says that the request waits no longer.
    pub(crate) _answered: DropGuard,
}

impl Waiting {
    /// Whether both are calls of the same client. What a client calls itself does not count:
    /// any number of clients use one name.
    fn is_of_same_client(&self, other: &Self) -> bool {
        self.client() == other.client()
    }

    /// On which client's behalf it was asked; `None` of a request of our own.
    fn client(&self) -> Option<ClientId> {
        self.caller.as_ref().map(|caller| caller.client_id)
    }
}

/// Who is to be asked something that came without its call.
pub(crate) enum Likeliest<'a> {
    /// This call's caller.
    Call(&'a Waiting),
    /// Calls of several clients could be meant, and nothing says which.
    Unclear,
    /// No call is under way that could be meant.
    Nobody,
}

/// When a request last showed a sign of life.
#[derive(Debug)]
pub(crate) struct Pulse {
    begun: Instant,
    last_ms: AtomicU64,
}

impl Pulse {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { begun: Instant::now(), last_ms: AtomicU64::new(0) })
    }

    pub(crate) fn beat(&self) {
        let since = self.begun.elapsed().as_millis();
        self.last_ms.store(u64::try_from(since).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Milliseconds from the beginning to the last sign of life.
    pub(crate) fn last_ms(&self) -> u64 {
        self.last_ms.load(Ordering::Relaxed)
    }
}

/// All of them.
#[derive(Default)]
pub(crate) struct Pending {
    last: i64,
    waiting: HashMap<i64, Waiting>,
    /// Progress tokens of calls that became tasks, and the requests that wait for their results.
    tokens: HashMap<i64, i64>,
    /// The ears of tasks that are looked at again and again.
    task_notes: HashMap<i64, Notes>,
    /// Calls that were given up: the server may still be at work on them, and ask.
    given_up: VecDeque<GivenUp>,
    /// Why nothing can be asked any more.
    ended: Option<Box<str>>,
}

/// A call nobody waits for any more.
struct GivenUp {
    number: i64,
    /// A ping that was sent after the cancellation: a server that answers it has read both, and
    /// asks no more if it keeps to the specification.
    ping: i64,
    client: ClientId,
    at: Instant,
}

/// How long a server that does not answer may go on with a call that was given up.
const GOES_ON: Duration = Duration::from_secs(30);

/// How many such calls are remembered.
const GIVEN_UP: usize = 64;

impl Pending {
    /// Takes a request in, unless the connection is over or too much is asked at once.
    pub(crate) fn begin(&mut self, waiting: Waiting, most: usize) -> Result<i64, RequestError> {
        if let Some(why) = &self.ended {
            return Err(RequestError::Unsent(why.clone()));
        }
        if self.waiting.len() >= most {
            return Err(RequestError::Busy(
                format!("{most} requests are in flight already").into(),
            ));
        }
        self.last += 1;
        self.waiting.insert(self.last, waiting);
        Ok(self.last)
    }

    /// The request with this id; it waits no longer.
    pub(crate) fn take(&mut self, id: i64) -> Option<Waiting> {
        self.tokens.retain(|_, request| *request != id);
        self.waiting.remove(&id)
    }

    /// The listen with this id; it waits no longer. Any other request is left alone.
    pub(crate) fn take_listen(&mut self, id: i64) -> Option<Waiting> {
        let listens = self.get(id).is_some_and(|it| it.method == Method::SubscriptionsListen);
        listens.then(|| self.take(id)).flatten()
    }

    /// A call was given up that the server has not answered yet, and may ask about. The number of
    /// the ping to send after the cancellation.
    pub(crate) fn gave_up(&mut self, number: i64, waiting: &Waiting) -> Option<i64> {
        let client = waiting.client().filter(|_| waiting.questions.is_some())?;
        if self.given_up.len() >= GIVEN_UP {
            self.given_up.pop_front();
        }
        self.last += 1;
        let ping = self.last;
        self.given_up.push_back(GivenUp { number, ping, client, at: Instant::now() });
        Some(ping)
    }

    /// A call that was given up, or the ping after it, has been answered: the call asks no more.
    pub(crate) fn answered_late(&mut self, number: i64) {
        self.given_up.retain(|call| call.number != number && call.ping != number);
    }

    /// Whether a question may be about a call of another client that was given up.
    fn may_be_of_another(&self, waiting: &Waiting) -> bool {
        let of_another =
            |call: &GivenUp| Some(call.client) != waiting.client() && call.at.elapsed() < GOES_ON;
        self.given_up.iter().any(of_another)
    }

    /// Progress under this token is progress of that request.
    pub(crate) fn follow_token(&mut self, token: i64, id: i64) {
        if self.waiting.contains_key(&id) {
            self.tokens.insert(token, id);
        }
    }

    /// The request that progress under this token belongs to.
    fn by_token(&self, token: i64) -> Option<&Waiting> {
        let of_task = || self.waiting.get(self.tokens.get(&token)?);
        self.waiting.get(&token).or_else(of_task)
    }

    pub(crate) fn get(&self, id: i64) -> Option<&Waiting> {
        self.waiting.get(&id)
    }

    /// Gives a request that goes on new ears.
    pub(crate) fn renote(&mut self, id: i64, notes: Notes) {
        if let Some(waiting) = self.waiting.get_mut(&id) {
            waiting.notes = Some(notes);
        }
    }

    /// The call a question most likely belongs to: on a pipe nothing says which. The newest whose
    /// caller can answer it, unless several clients could.
    pub(crate) fn likeliest(&self, question: &InputRequest) -> Likeliest<'_> {
        let able = |waiting: &Waiting| {
            let caller = waiting.caller.as_ref();
            caller.is_none_or(|caller| can_answer(question, caller))
        };
        let askable = |waiting: &Waiting| waiting.questions.is_some();
        let newest = self.newest_of_one(|waiting| askable(waiting) && able(waiting));
        match newest {
            // Its caller cannot be asked either, and is not; the server hears why.
            Likeliest::Nobody => match self.newest(askable) {
                Some(waiting) => Likeliest::Call(waiting),
                None => Likeliest::Nobody,
            },
            Likeliest::Call(waiting) if self.may_be_of_another(waiting) => Likeliest::Unclear,
            newest => newest,
        }
    }

    /// The newest call, for log messages that do not say what they belong to.
    pub(crate) fn newest_heard(&self) -> Option<&Waiting> {
        match self.newest_of_one(|waiting| waiting.notes.is_some()) {
            Likeliest::Call(waiting) => Some(waiting),
            Likeliest::Unclear | Likeliest::Nobody => None,
        }
    }

    /// The newest of these, if all of them are calls of one client.
    fn newest_of_one(&self, of: impl Fn(&Waiting) -> bool) -> Likeliest<'_> {
        let Some(newest) = self.newest(&of) else { return Likeliest::Nobody };
        let mut all = self.waiting.values().filter(|waiting| of(waiting));
        if all.all(|waiting| waiting.is_of_same_client(newest)) {
            Likeliest::Call(newest)
        } else {
            Likeliest::Unclear
        }
    }

    fn newest(&self, of: impl Fn(&Waiting) -> bool) -> Option<&Waiting> {
        let these = self.waiting.iter().filter(|(_, waiting)| of(waiting));
        these.max_by_key(|(id, _)| **id).map(|(_, waiting)| waiting)
    }

    /// What a server agrees to tell of goes to whoever asked for it.
    pub(crate) fn agree(&mut self, id: i64, filter: SubscriptionFilter) {
        let agreed = self.waiting.get_mut(&id).and_then(|waiting| waiting.agreed.take());
        if let Some(agreed) = agreed {
            drop(agreed.send(filter));
        }
    }

    /// Progress under this token is for these ears, whatever request is under way.
    pub(crate) fn hear_token(&mut self, token: i64, notes: Option<Notes>) {
        match notes {
            Some(notes) => drop(self.task_notes.insert(token, notes)),
            None => drop(self.task_notes.remove(&token)),
        }
    }

    /// Who hears of progress under this token.
    pub(crate) fn notes_of(&self, token: i64) -> Option<Notes> {
        match self.by_token(token) {
            Some(waiting) => {
                waiting.pulse.beat();
                waiting.notes.clone()
            }
            None => self.task_notes.get(&token).cloned(),
        }
    }

    /// Ends the connection: everyone who waits, and what to tell them.
    pub(crate) fn end(&mut self, why: &str) -> Vec<Waiting> {
        if self.ended.is_none() {
            self.ended = Some(why.into());
        }
        self.tokens.clear();
        self.task_notes.clear();
        self.waiting.drain().map(|(_, waiting)| waiting).collect()
    }

    pub(crate) fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }

    /// How many wait, but for listens, which always do.
    pub(crate) fn calls(&self) -> usize {
        let listens = |waiting: &&Waiting| waiting.method != Method::SubscriptionsListen;
        self.waiting.values().filter(listens).count()
    }
}

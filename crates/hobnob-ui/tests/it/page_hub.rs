//! A hub with a page, whose servers, questions and answers a test scripts. What the page does to it
//! is written down.

use crate::scripted_recordings::ScriptedRecordings;
use hobnob_gateway::{
    AfterYes, CallObserver as _, GatewayStatus, NotAnswered, ObservedCall, ObservedEnd,
    OwnerAnswer, OwnerQuestion, Phase, PhaseChange, ShownArguments, UpstreamStatus,
};
use hobnob_mcp_engine::{BoxFuture, ClientId, Principal};
use hobnob_mcp_http::{OpenRoutes, TokenGate};
use hobnob_mcp_types::Method;
use hobnob_policy::audit::AuditOutcome;
use hobnob_store::usage::UsageScope;
use hobnob_ui::{
    AuditHealth, CallFeed, HealthReport, HubPage, HubPageOptions, LimitHealth, MessageRecordings,
    NoUsage, NotDone, PageActions, PageConnection, PageFacts, PageRefusal, PageSource, PageSwitch,
    PageVisitors, ProcessUse, UsageQuery, ViewAnswer, ViewCalls, ViewRequest, page_routes,
};
use parking_lot::Mutex;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub(crate) const INSTANCE: &str = "0123456789abcdef0123456789abcdef";

/// A hub as the page sees it.
pub(crate) struct ScriptedHub {
    pub(crate) status: Mutex<GatewayStatus>,
    pub(crate) questions: Mutex<Vec<OwnerQuestion>>,
    /// How much of its only limit, which is 100, is used.
    pub(crate) limit: Mutex<usize>,
    /// Everything that the page did or asked for.
    pub(crate) done: Mutex<Vec<String>>,
}

/// A page, its feed, and what its guard refused.
pub(crate) struct PageHub {
    pub(crate) page: Arc<HubPage>,
    pub(crate) routes: Arc<dyn OpenRoutes>,
    pub(crate) feed: Arc<CallFeed>,
    pub(crate) hub: Arc<ScriptedHub>,
    pub(crate) refused: Arc<Mutex<Vec<PageRefusal>>>,
    pub(crate) stop: CancellationToken,
    /// What the listener of principals has.
    pub(crate) gate: Option<TokenGate>,
    _tasks: JoinSet<()>,
}

impl PageHub {
    pub(crate) fn new() -> Self {
        Self::with(PageConnection::Plain, None)
    }

    pub(crate) fn with(connection: PageConnection, audit: Option<PathBuf>) -> Self {
        Self::of_instance(INSTANCE, connection, audit)
    }

    /// A page at a listener that requires tokens.
    pub(crate) fn for_bearers(
        gate: TokenGate,
        connection: PageConnection,
        audit: Option<PathBuf>,
    ) -> Self {
        let hub = Self::with(connection, audit);
        let routes = page_routes(&hub.page, connection, PageVisitors::Bearers(None));
        Self { gate: Some(gate), routes, ..hub }
    }

    pub(crate) fn of_instance(
        instance: &str,
        connection: PageConnection,
        audit: Option<PathBuf>,
    ) -> Self {
        let hub = Arc::new(ScriptedHub {
            status: Mutex::new(status(vec![server("git", Phase::Ready)])),
            questions: Mutex::default(),
            limit: Mutex::default(),
            done: Mutex::default(),
        });
        let (feed, stop) = (CallFeed::new(), CancellationToken::new());
        let refused: Arc<Mutex<Vec<PageRefusal>>> = Arc::default();
        let reported = Arc::clone(&refused);
        let page = HubPage::new(HubPageOptions {
            facts: PageFacts {
                version: "1.2.3".into(),
                instance: instance.into(),
                project: "/home/me/project".into(),
                profile_names: vec!["work".into()],
            },
            feed: Arc::clone(&feed),
            source: Arc::clone(&hub) as _,
            actions: Arc::clone(&hub) as _,
            servers: Arc::clone(&hub) as _,
            calls: Arc::clone(&hub) as _,
            rules: Arc::clone(&hub) as _,
            audit,
            refusals: Arc::new(move |refused| reported.lock().push(refused.why)),
            sign_ins: {
                let hub = Arc::clone(&hub);
                Arc::new(move |who, _| hub.done.lock().push(format!("signed in {}", who.as_str())))
            },
            stop: stop.clone(),
        });
        let mut tasks = JoinSet::new();
        let running = Arc::clone(&page);
        tasks.spawn(async move { running.run().await });
        let routes = page_routes(&page, connection, PageVisitors::Owner);
        Self { page, routes, feed, hub, refused, stop, gate: None, _tasks: tasks }
    }

    /// A call begins.
    pub(crate) fn begin(&self, id: u64) -> Arc<ObservedCall> {
        let call = Arc::new(call(id));
        self.feed.begun(&call);
        call
    }

    pub(crate) fn end(&self, call: &Arc<ObservedCall>) {
        self.feed.ended(call, &end(AuditOutcome::Ok));
    }

    /// A call begins and ends.
    pub(crate) fn call(&self, id: u64) {
        let call = self.begin(id);
        self.end(&call);
    }

    pub(crate) fn done(&self) -> Vec<String> {
        std::mem::take(&mut *self.hub.done.lock())
    }

    pub(crate) fn refused(&self) -> Vec<PageRefusal> {
        std::mem::take(&mut *self.refused.lock())
    }
}

/// Lets time pass on a paused clock.
pub(crate) async fn pass(time: Duration) {
    tokio::time::sleep_until(tokio::time::Instant::now() + time).await;
}

/// This machine, as a listener names it.
pub(crate) fn here() -> ClientId {
    ClientId::next_at([127, 0, 0, 1].into())
}

pub(crate) fn call(id: u64) -> ObservedCall {
    ObservedCall {
        id,
        at: "2026-01-02T03:04:05.678Z".parse().unwrap(),
        method: Method::ToolsCall,
        target: "git_log".into(),
        server: Some("git".into()),
        original: Some("log".into()),
        principal: "".into(),
        client: Some("claude".into()),
        via: None,
        revision: "2026-07-28",
        request_bytes: 12,
        client_id: ClientId::OURSELVES,
        trace: None,
    }
}

pub(crate) fn end(outcome: AuditOutcome) -> ObservedEnd {
    ObservedEnd { outcome, duration: Duration::from_millis(5), result_bytes: 34 }
}

pub(crate) fn status(servers: Vec<UpstreamStatus>) -> GatewayStatus {
    GatewayStatus {
        version: "1.2.3",
        pid: 7,
        instance: INSTANCE.into(),
        project: "/home/me/project".into(),
        problems: vec![],
        servers,
    }
}

pub(crate) fn server(name: &str, phase: Phase) -> UpstreamStatus {
    UpstreamStatus {
        name: name.into(),
        phase,
        reason: None,
        hint: None,
        login: None,
        failed_at: None,
        first_start: None,
        origin: "user".into(),
        transport: "stdio",
        target: "uvx server".into(),
        sandbox: None,
        server: None,
        revision: None,
        pid: None,
        uptime_seconds: Some(1),
        connections: 1,
        in_flight: 0,
        starts: 1,
        tools: 3,
        resources: 0,
        templates: 0,
        prompts: 0,
        quarantined: vec![],
        warnings: vec![],
    }
}

pub(crate) fn question(number: u64) -> OwnerQuestion {
    OwnerQuestion {
        number,
        principal: "ann".into(),
        address: Some("192.0.2.7".into()),
        via: None,
        client: None,
        own: false,
        server: Some("git".into()),
        tool: "push".into(),
        public: "git_push".into(),
        arguments: ShownArguments::Text("{\"force\":true}".into()),
        because: "ask owner".into(),
        age: 3,
        answer: None,
        always_writes: None,
        never_writes: None,
        after_yes: AfterYes::CallAgain,
    }
}

impl PageSource for ScriptedHub {
    fn status(&self) -> GatewayStatus {
        self.status.lock().clone()
    }

    fn view_status(&self, prefix: &str, _: &Principal) -> Option<GatewayStatus> {
        (prefix == "/p/work").then(|| self.status())
    }

    fn questions(&self) -> Vec<OwnerQuestion> {
        self.questions.lock().clone()
    }

    fn server_log(&self, server: &str) -> Option<String> {
        (server == "git").then(|| "started\n<b>hostile</b>\n".to_owned())
    }

    fn server_changes(&self) -> BTreeMap<Box<str>, Vec<PhaseChange>> {
        let change = |at: &str, phase, reason: Option<&str>| PhaseChange {
            at: at.parse().unwrap(),
            phase,
            reason: reason.map(Into::into),
        };
        let changes = vec![
            change("2026-01-02T03:00:00Z", Phase::Starting, None),
            change("2026-01-02T03:00:01Z", Phase::Failed, Some("<b>no settings</b>")),
        ];
        BTreeMap::from([("git".into(), changes)])
    }

    fn processes(&self) -> BTreeMap<Box<str>, ProcessUse> {
        let used = ProcessUse { processes: 2, resident_bytes: 4096, cpu_ms: 7 };
        BTreeMap::from([("git".into(), used)])
    }

    fn recordings(&self) -> &dyn MessageRecordings {
        &ScriptedRecordings
    }

    fn health(&self) -> HealthReport {
        HealthReport {
            version: "1.2.3".into(),
            revision: "2026-07-28".into(),
            sqlite: "3.50.0".into(),
            instance: INSTANCE.into(),
            pid: 7,
            process: None,
            uptime_seconds: 8,
            project: "/home/me/project".into(),
            problems: vec![],
            listener: "127.0.0.1:4815".into(),
            store: None,
            audit: AuditHealth { enabled: false, path: String::new(), bytes: 0 },
            limits: vec![],
            processes: vec![],
            advice: vec![],
        }
    }

    fn limits(&self) -> Vec<LimitHealth> {
        let used = *self.limit.lock();
        vec![LimitHealth::count("questions", used, 100, "answer them")]
    }

    fn usage(
        &self,
        query: UsageQuery,
        of: UsageScope,
    ) -> BoxFuture<'_, Result<Box<RawValue>, NoUsage>> {
        let whose = match &of {
            UsageScope::Everyone => String::new(),
            UsageScope::Of(owner) => format!(" of {}", owner.as_str()),
        };
        self.done.lock().push(format!("usage {} {}{whose}", query.days, query.by.as_str()));
        let answer = match query.days {
            30 => Err(NoUsage::Off("usage is off".into())),
            _ => Ok(RawValue::from_string("{\"rows\":[]}".into()).unwrap()),
        };
        Box::pin(std::future::ready(answer))
    }
}

impl PageActions for ScriptedHub {
    fn cancel_call(&self, id: u64) -> bool {
        self.done.lock().push(format!("cancel {id}"));
        id == 1
    }

    fn answer(
        &self,
        number: u64,
        answer: OwnerAnswer,
    ) -> BoxFuture<'_, Result<OwnerQuestion, NotAnswered>> {
        self.done.lock().push(format!("answer {number} {answer:?}"));
        let answered = match number {
            1 => Ok(OwnerQuestion { answer: Some(answer), ..question(1) }),
            2 => Err(NotAnswered::Answered(OwnerAnswer::No)),
            3 => Err(NotAnswered::Gone),
            _ => Err(NotAnswered::Unknown),
        };
        Box::pin(std::future::ready(answered))
    }

    fn restart<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<(), NotDone>> {
        self.done.lock().push(format!("restart {server}"));
        Box::pin(std::future::ready(match server {
            "git" | "two words" => Ok(()),
            "broken" => Err(NotDone::Failed("it did not start: exit 1".into())),
            _ => Err(NotDone::Unknown),
        }))
    }

    fn switch<'a>(
        &'a self,
        server: &'a str,
        switch: PageSwitch,
    ) -> BoxFuture<'a, Result<(), NotDone>> {
        self.done.lock().push(format!("{switch:?} {server}"));
        Box::pin(std::future::ready(Ok(())))
    }
}

impl ViewCalls for ScriptedHub {
    fn open_view<'a>(&'a self, _prefix: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn call(&self, request: ViewRequest) -> BoxFuture<'_, ViewAnswer> {
        let ViewRequest { method, params, prefix, principal, .. } = request;
        let who = principal.as_str();
        let asked = format!("{} {} as '{who}'{prefix}", method.as_str(), params.get());
        self.done.lock().push(asked);
        let raw = |text: &str| RawValue::from_string(text.into()).unwrap();
        let answer = match method {
            Method::ToolsCall => ViewAnswer::InputRequired(raw("{\"inputRequests\":{}}")),
            Method::PromptsGet => ViewAnswer::Error { code: -32602, message: "<script>".into() },
            Method::ResourcesRead => return Box::pin(std::future::pending()),
            _ => ViewAnswer::Result(raw("{\"tools\":[]}")),
        };
        Box::pin(std::future::ready(answer))
    }
}

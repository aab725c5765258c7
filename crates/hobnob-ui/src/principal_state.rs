//! The parts of a hub's state that a principal sees: the servers of its view by name, phase and
//! number of tools, and what its own calls wait for.
//!
//! `hub_state` fills a principal's state with them. What must stay true: every field is listed here,
//! so that a new one is shown to no principal by itself; and what counts other principals' calls is
//! left out.

use hobnob_gateway::{GatewayStatus, OwnerQuestion, ShownArguments, UpstreamStatus};
use hobnob_mcp_engine::Principal;
use hobnob_mcp_http::TokenBearer;
use hobnob_mcp_types::{Method, MethodName, Params};

/// The resource that has the status at `/mcp`.
const STATUS: &str = r#"{"uri":"hobnob://status"}"#;

/// Whether the token allows to read the status at `/mcp`: the page shows no more.
pub(crate) async fn reads_status(bearer: &TokenBearer) -> bool {
    let (Ok(identity), Ok(params)) = (bearer.identity().await, Params::from_json(STATUS.into()))
    else {
        return false;
    };
    let method = MethodName::Known(Method::ResourcesRead);
    identity.check(bearer.prefix(), &method, &params).is_ok()
}

/// A status without anything about the machine, its processes and other callers.
pub(crate) fn shown_status(status: Option<GatewayStatus>) -> GatewayStatus {
    let servers = status.map(|status| status.servers).unwrap_or_default();
    GatewayStatus {
        version: env!("CARGO_PKG_VERSION"),
        pid: 0,
        instance: String::new(),
        project: String::new(),
        problems: Vec::new(),
        servers: servers.into_iter().map(shown_server).collect(),
    }
}

fn shown_server(server: UpstreamStatus) -> UpstreamStatus {
    UpstreamStatus {
        name: server.name,
        phase: server.phase,
        tools: server.tools,
        reason: None,
        hint: None,
        login: None,
        failed_at: None,
        first_start: None,
        origin: String::new(),
        transport: "",
        target: String::new(),
        sandbox: None,
        server: None,
        revision: None,
        pid: None,
        uptime_seconds: None,
        connections: 0,
        in_flight: 0,
        starts: 0,
        resources: 0,
        templates: 0,
        prompts: 0,
        quarantined: Vec::new(),
        warnings: Vec::new(),
    }
}

/// The questions about a principal's own calls. Only the owner answers them, and their numbers would
/// count the questions of others.
pub(crate) fn own_questions(
    questions: Vec<OwnerQuestion>,
    principal: &Principal,
) -> Vec<OwnerQuestion> {
    let is_own = |question: &OwnerQuestion| {
        !question.own && !question.principal.is_empty() && question.principal == principal.as_str()
    };
    let own = questions.into_iter().filter(is_own);
    (1..).zip(own).map(|(number, question)| shown_question(number, question)).collect()
}

fn shown_question(number: u64, question: OwnerQuestion) -> OwnerQuestion {
    OwnerQuestion {
        number,
        principal: question.principal,
        address: question.address,
        via: question.via,
        client: question.client,
        own: false,
        server: None,
        tool: question.public.clone(),
        public: question.public,
        arguments: match question.arguments {
            ShownArguments::Text(text) => ShownArguments::Text(text),
            // The file is on the hub's machine.
            ShownArguments::Absent | ShownArguments::File { .. } => ShownArguments::Absent,
        },
        because: String::new(),
        age: question.age,
        answer: question.answer,
        always_writes: None,
        never_writes: None,
        after_yes: question.after_yes,
    }
}

//! Input requests (since 2026-07-28): a server answers a request with "I need this first", and the
//! client sends the request again with the answers.
//!
//! A response has no tag of its own; only the request under the same key says what kind it is. So
//! responses stay raw until a caller who knows the kind reads one.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::choice::exact;
use crate::elicitation::{ElicitParams, ElicitResult};
use crate::entries::Entries;
use crate::input_responses::InputResponses;
use crate::meta::MetaParams;
use crate::result::ResultType;
use crate::roots::ListRootsResult;
use crate::sampling::{CreateMessageParams, CreateMessageResult};

/// One thing a server needs from the client: a request without an envelope.
#[derive(Debug, Clone)]
pub enum InputRequest {
    /// Ask the person behind the client (`elicitation/create`).
    Elicit(Box<ElicitParams>),
    /// Ask the client's model (`sampling/createMessage`, deprecated since 2026-07-28).
    CreateMessage(Box<CreateMessageParams>),
    /// List the client's roots (`roots/list`, deprecated since 2026-07-28).
    ListRoots(MetaParams),
    /// A kind this crate does not know, kept as it came.
    Unknown(Box<RawValue>),
}

const ELICIT: &str = "elicitation/create";
const CREATE_MESSAGE: &str = "sampling/createMessage";
const LIST_ROOTS: &str = "roots/list";

impl Serialize for InputRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Parts<'a, P> {
            method: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            params: Option<&'a P>,
        }

        match self {
            Self::Elicit(params) => {
                Parts { method: ELICIT, params: Some(params) }.serialize(serializer)
            }
            Self::CreateMessage(params) => {
                Parts { method: CREATE_MESSAGE, params: Some(params) }.serialize(serializer)
            }
            Self::ListRoots(params) => {
                let params = params.meta.is_some().then_some(params);
                Parts { method: LIST_ROOTS, params }.serialize(serializer)
            }
            Self::Unknown(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for InputRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Parts {
            method: String,
            params: Option<Box<RawValue>>,
        }

        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let Parts { method, params } = exact(&raw)?;
        let needed = || serde::de::Error::missing_field("params");
        match method.as_str() {
            ELICIT => exact(&params.ok_or_else(needed)?).map(Self::Elicit),
            CREATE_MESSAGE => exact(&params.ok_or_else(needed)?).map(Self::CreateMessage),
            LIST_ROOTS => params
                .map_or_else(|| Ok(MetaParams::default()), |params| exact(&params))
                .map(Self::ListRoots),
            _ => Ok(Self::Unknown(raw)),
        }
    }
}

/// What a server needs from the client, under keys that the server chose. Order is kept.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InputRequests(pub Entries<InputRequest>);

impl InputRequests {
    /// An empty set; add what is needed with the methods below.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a question to the person behind the client.
    #[must_use]
    pub fn elicit(self, key: impl Into<String>, params: ElicitParams) -> Self {
        self.with(key, InputRequest::Elicit(Box::new(params)))
    }

    /// Adds a question to the client's model.
    #[must_use]
    pub fn create_message(self, key: impl Into<String>, params: CreateMessageParams) -> Self {
        self.with(key, InputRequest::CreateMessage(Box::new(params)))
    }

    /// Adds a request for the list of roots.
    #[must_use]
    pub fn list_roots(self, key: impl Into<String>) -> Self {
        self.with(key, InputRequest::ListRoots(MetaParams::default()))
    }

    fn with(mut self, key: impl Into<String>, request: InputRequest) -> Self {
        self.0.insert(key, request);
        self
    }
}

impl InputResponses {
    /// What the person did; nothing when there is no answer under this key.
    pub fn elicit(&self, key: &str) -> serde_json::Result<Option<ElicitResult>> {
        self.read(key)
    }

    /// What the model said; nothing when there is no answer under this key.
    pub fn create_message(&self, key: &str) -> serde_json::Result<Option<CreateMessageResult>> {
        self.read(key)
    }

    /// The roots; nothing when there is no answer under this key.
    pub fn list_roots(&self, key: &str) -> serde_json::Result<Option<ListRootsResult>> {
        self.read(key)
    }
}

/// The answer "I need this first" to `tools/call`, `prompts/get` and `resources/read`.
///
/// At least one of `input_requests` and `request_state` must be present.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InputRequiredResult {
    /// Always [`ResultType::InputRequired`], which tells this result from a complete one.
    pub result_type: ResultType,
    /// What the client must answer before it sends the request again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_requests: Option<InputRequests>,
    /// The state that the client sends back. The client could have changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl InputRequiredResult {
    /// A result that asks for these inputs, with a state for the client to send back.
    pub fn new(input_requests: InputRequests, request_state: Option<String>) -> Self {
        Self {
            result_type: ResultType::InputRequired,
            input_requests: Some(input_requests),
            request_state,
            meta: None,
        }
    }
}

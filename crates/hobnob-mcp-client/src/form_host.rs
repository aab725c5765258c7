//! A host that fills in forms with a function, for programs whose servers ask for nothing else.
//!
//! The builder makes it for [`ClientBuilder::on_form`](crate::ClientBuilder::on_form). It declines
//! every question that is not a form, and the server learns in advance that it may only send forms.

use crate::host::{Host, declined_question};
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_types::RpcError;
use hobnob_mcp_types::capabilities::{
    CapabilitySettings, ClientCapabilities, ElicitationCapability,
};
use hobnob_mcp_types::elicitation::{ElicitAction, ElicitFormParams, ElicitParams, ElicitResult};
use hobnob_mcp_types::input::InputRequest;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// Fills in the forms of a server with a function, and declines its other questions.
///
/// The function gets the form and returns what a person filled in, or `None` if they decline.
pub struct FormHost<F>(F);

impl<F, Fut, T> FormHost<F>
where
    F: Fn(ElicitFormParams) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Option<T>> + Send,
    T: Serialize,
{
    /// Calls `fill_in` for each form.
    pub fn new(fill_in: F) -> Self {
        Self(fill_in)
    }
}

impl<F, Fut, T> Host for FormHost<F>
where
    F: Fn(ElicitFormParams) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Option<T>> + Send + 'static,
    T: Serialize + 'static,
{
    fn capabilities(&self) -> ClientCapabilities {
        let forms = ElicitationCapability { form: Some(CapabilitySettings::default()), url: None };
        ClientCapabilities { elicitation: Some(forms), ..ClientCapabilities::default() }
    }

    fn answer<'a>(
        &'a self,
        question: &'a InputRequest,
    ) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
        let InputRequest::Elicit(params) = question else {
            return Box::pin(std::future::ready(Err(declined_question())));
        };
        let ElicitParams::Form(form) = &**params else {
            return Box::pin(std::future::ready(Err(declined_question())));
        };
        let filled_in = (self.0)(form.clone());
        Box::pin(async move {
            let result = match filled_in.await {
                Some(filled_in) => {
                    let content = to_raw_value(&filled_in).map_err(|_| RpcError::internal())?;
                    ElicitResult::accept(content)
                }
                None => ElicitResult::bare(ElicitAction::Decline),
            };
            to_raw_value(&result).map_err(|_| RpcError::internal())
        })
    }
}

impl<F> std::fmt::Debug for FormHost<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FormHost")
    }
}

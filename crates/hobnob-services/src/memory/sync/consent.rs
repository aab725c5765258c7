//! Asks the person before a project's memories are exchanged with a remote for the first time.
//!
//! A project names its own remote, so opening a folder is no consent to contact it. The answer is
//! stored in Hobnob's own folder, for this project and this remote; another URL asks again.

use super::remote::Remote;
use super::repository::SyncFolder;
use crate::memory::view::MemoryView;
use crate::presentation::Failure;
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_mcp_types::elicitation::{ElicitParams, ElicitResult};
use hobnob_mcp_types::form::{FormSchema, PrimitiveSchema};
use hobnob_mcp_types::form_field::{TitledSingleSelectEnumSchema, TitledValue};
use hobnob_mcp_types::input::InputRequests;
use serde::Deserialize;
use std::path::Path;

const KEY: &str = "sync";
/// The form value that means consent.
const YES: &str = "sync";

#[derive(Deserialize)]
struct Chosen {
    answer: String,
}

/// The agreement of a person to exchange a project's memories with one remote.
pub(super) struct SyncConsent<'a> {
    pub(super) view: &'a MemoryView,
    pub(super) root: &'a Path,
    pub(super) remote: &'a Remote,
    pub(super) sync_ref: &'a str,
}

impl SyncConsent<'_> {
    /// Succeeds only if a person has agreed to this exchange, now or earlier.
    pub(super) fn require(
        &self,
        context: &CallContext,
        folder: &SyncFolder,
    ) -> Result<(), ToolError> {
        if folder.is_approved() {
            return Ok(());
        }
        if !context.client_can_elicit() {
            let words = "no person has agreed to it yet, and your client cannot ask one";
            return Err(self.missing(words));
        }
        let asked = InputRequests::new().elicit(KEY, self.question());
        // An answer about another remote does not count.
        if context.request_state() != Some(folder.digest()) {
            return Err(context.ask_again(asked, folder.digest()));
        }
        context.ask_refusable(asked, folder.digest())?;
        let answer = context.answer_or_refusal::<ElicitResult>(KEY);
        let chosen = answer.ok().and_then(|answer| answer.form::<Chosen>().ok().flatten());
        if chosen.is_none_or(|chosen| chosen.answer != YES) {
            return Err(self.missing("the answer was not yes"));
        }
        folder.approve().map_err(|error| {
            tracing::error!(%error, "the agreement to a sync cannot be kept");
            self.view
                .fail(Failure::Sync, "sync failed: your agreement cannot be saved on this disk")
        })
    }

    fn missing(&self, why: &str) -> ToolError {
        let message = format!(
            "nothing was exchanged with {}: {why}. To agree, run `hobnob memory sync` in {} \
             (`hobnob memory sync --yes` where no terminal is)",
            self.remote.shown(),
            self.shown_root(),
        );
        self.view.fail(Failure::Sync, message)
    }

    /// The project's folder, escaped: the project's author may have chosen its name.
    fn shown_root(&self) -> String {
        self.root.display().to_string().chars().flat_map(char::escape_debug).collect()
    }

    fn question(&self) -> ElicitParams {
        let message = format!(
            "Exchange this project's memories with its git remote?\n\
             Folder: {}\n\
             Remote: {}\n\
             Sent: every memory of this project (text, tags, source, dates), to {}, where everybody \
             who can read that repository can read them. Memories found there are stored here.\n\
             Hobnob asks once for this folder and this address.",
            self.shown_root(),
            self.remote.shown(),
            self.sync_ref,
        );
        let choice = PrimitiveSchema::TitledSingleSelect(TitledSingleSelectEnumSchema {
            title: Some("Exchange memories?".into()),
            one_of: vec![
                TitledValue::new(YES, "Yes, with this remote"),
                TitledValue::new("no", "No"),
            ],
            ..TitledSingleSelectEnumSchema::default()
        });
        ElicitParams::form(message, FormSchema::new().required("answer", choice))
    }
}

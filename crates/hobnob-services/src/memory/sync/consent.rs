//! Asks the person before a project's memories are exchanged with a remote for the first time.
//!
//! A project names its own remote, so opening a folder is no consent to contact it. The answer is
//! stored in Hobnob's own folder, for this project and this remote; another URL asks again.

use super::remote::Remote;
use super::repository::SyncFolder;
use crate::memory::service::PresentedMemory;
use crate::presentation::Failure;
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_mcp_types::elicitation::{ElicitParams, ElicitResult};
use hobnob_mcp_types::form::{FormSchema, PrimitiveSchema};
use hobnob_mcp_types::form_field::{TitledSingleSelectEnumSchema, TitledValue};
use hobnob_mcp_types::input::InputRequests;
use serde::Deserialize;

const KEY: &str = "sync";
/// The form value that means consent.
const YES: &str = "sync";

#[derive(Deserialize)]
struct Chosen {
    answer: String,
}

impl PresentedMemory {
    /// Succeeds only if a person has agreed to this exchange, now or earlier.
    pub(super) fn need_consent(
        &self,
        context: &CallContext,
        folder: &SyncFolder,
        remote: &Remote,
    ) -> Result<(), ToolError> {
        if folder.is_approved() {
            return Ok(());
        }
        if !context.client_can_elicit() {
            let words = "no person has agreed to it yet, and your client cannot ask one";
            return Err(self.not_agreed(remote, words));
        }
        let asked = InputRequests::new().elicit(KEY, self.consent_question(remote));
        // An answer about another remote does not count.
        if context.request_state() != Some(folder.digest()) {
            return Err(context.ask_again(asked, folder.digest()));
        }
        context.ask_refusable(asked, folder.digest())?;
        let answer = context.answer_or_refusal::<ElicitResult>(KEY);
        let chosen = answer.ok().and_then(|answer| answer.form::<Chosen>().ok().flatten());
        if chosen.is_none_or(|chosen| chosen.answer != YES) {
            return Err(self.not_agreed(remote, "the answer was not yes"));
        }
        folder.approve().map_err(|error| {
            tracing::error!(%error, "the agreement to a sync cannot be kept");
            self.presentation
                .fail(Failure::Sync, "sync failed: your agreement cannot be saved on this disk")
        })
    }

    fn not_agreed(&self, remote: &Remote, why: &str) -> ToolError {
        let root = self.shown_root();
        let message = format!(
            "nothing was exchanged with {}: {why}. To agree, run `hobnob memory sync` in {root} \
             (`hobnob memory sync --yes` where no terminal is)",
            remote.shown()
        );
        self.presentation.fail(Failure::Sync, message)
    }

    /// The project's folder, escaped: the project's author may have chosen its name.
    fn shown_root(&self) -> String {
        let root = self.shared().project.root.display().to_string();
        root.chars().flat_map(char::escape_debug).collect()
    }

    fn consent_question(&self, remote: &Remote) -> ElicitParams {
        let shared = self.shared();
        let message = format!(
            "Exchange this project's memories with its git remote?\n\
             Folder: {}\n\
             Remote: {}\n\
             Sent: every memory of this project (text, tags, source, dates), to {}, where everybody \
             who can read that repository can read them. Memories found there are stored here.\n\
             Hobnob asks once for this folder and this address.",
            self.shown_root(),
            remote.shown(),
            shared.settings.sync_ref,
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

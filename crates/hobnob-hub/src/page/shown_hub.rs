//! What the page shows of a hub, and what its owner does with it there.
//!
//! `page` makes one for the page's server, which has verified that the owner asks. Methods of
//! [`PageSource`] are called where they may block.

use super::health::ExaminedHub;
use super::limits::HubLimits;
use super::opening::SharedOrigin;
use super::processes;
use super::server_switch;
use crate::recorder::MessageRecorder;
use crate::usage::{UsageDays, UsageRecorder, UsageRequest};
use hobnob_config::{Places, Servers, Switch, process_environment};
use hobnob_gateway::{
    Gateway, GatewayStatus, NotAnswered, OwnerAnswer, OwnerQuestion, PhaseChange, RestartError,
};
use hobnob_mcp_engine::{BoxFuture, Principal};
use hobnob_policy::audit::AuditLog;
use hobnob_store::Store;
use hobnob_store::usage::UsageScope;
use hobnob_ui::{
    HealthReport, LimitHealth, MessageRecordings, NoUsage, NotDone, PageActions, PageSource,
    PageSwitch, ProcessUse, UsageQuery,
};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// How many lines of a server's log are shown, and how much is read for them.
const LOG_LINES: usize = 200;
const LOG_BYTES: u64 = 256 << 10;

const USAGE_IS_OFF: &str = "calls are not counted; to count them: hobnob config set usage.enabled \
                            true, then restart the hub";

/// The parts of a hub that its page reaches.
pub(super) struct ShownHub {
    pub(super) gateway: Arc<Gateway>,
    /// The profile of the view at the root, if it has one.
    pub(super) first_profile: Option<String>,
    pub(super) places: Places,
    pub(super) audit: Option<Arc<AuditLog>>,
    pub(super) origin: SharedOrigin,
    /// Counts the calls; `None` if nothing does.
    pub(super) usage: Option<Arc<UsageRecorder>>,
    /// The store; `None` if no service uses one.
    pub(super) store: Option<Arc<dyn Store>>,
    pub(super) limits: HubLimits,
    pub(super) recorder: Arc<MessageRecorder>,
    pub(super) started: Instant,
}

impl PageSource for ShownHub {
    fn status(&self) -> GatewayStatus {
        self.gateway.status()
    }

    fn view_status(&self, prefix: &str, principal: &Principal) -> Option<GatewayStatus> {
        let profile = prefix.strip_prefix("/p/").or(self.first_profile.as_deref());
        self.gateway.view_status(profile, principal)
    }

    fn questions(&self) -> Vec<OwnerQuestion> {
        self.gateway.owner_controls().questions()
    }

    fn server_log(&self, server: &str) -> Option<String> {
        let servers = Servers::load(&self.places, &process_environment);
        let server = servers.get(server)?;
        let file = self.places.server_log(server.name.as_str(), &server.identity);
        Some(newest_lines(&file))
    }

    fn usage(
        &self,
        query: UsageQuery,
        of: UsageScope,
    ) -> BoxFuture<'_, Result<Box<RawValue>, NoUsage>> {
        Box::pin(async move {
            let Some(usage) = &self.usage else { return Err(NoUsage::Off(USAGE_IS_OFF.into())) };
            let failed = |why: String| NoUsage::Failed(why);
            let days = UsageDays::new(query.days).ok_or_else(|| failed("too many days".into()))?;
            let request = UsageRequest { days, by: query.by };
            let sums = usage.read(of, request).await;
            let sums = sums.map_err(|error| failed(error.to_string()))?;
            serde_json::value::to_raw_value(&sums).map_err(|error| failed(error.to_string()))
        })
    }

    fn server_changes(&self) -> BTreeMap<Box<str>, Vec<PhaseChange>> {
        self.gateway.owner_controls().server_changes()
    }

    fn processes(&self) -> BTreeMap<Box<str>, ProcessUse> {
        processes::of_servers(&self.gateway.owner_controls().server_processes())
    }

    fn recordings(&self) -> &dyn MessageRecordings {
        &*self.recorder
    }

    fn health(&self) -> HealthReport {
        let hub = ExaminedHub {
            gateway: &self.gateway,
            limits: &self.limits,
            places: &self.places,
            has_audit: self.audit.is_some(),
            store: self.store.as_deref(),
            listener: self.origin.lock().as_str().unwrap_or_default().to_owned(),
            started: self.started,
        };
        hub.read()
    }

    fn limits(&self) -> Vec<LimitHealth> {
        self.limits.read()
    }
}

impl PageActions for ShownHub {
    fn cancel_call(&self, id: u64) -> bool {
        self.gateway.owner_controls().cancel_call(id)
    }

    fn answer(
        &self,
        number: u64,
        answer: OwnerAnswer,
    ) -> BoxFuture<'_, Result<OwnerQuestion, NotAnswered>> {
        let controls = self.gateway.owner_controls();
        Box::pin(async move { controls.answer(number, answer).await })
    }

    fn restart<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<(), NotDone>> {
        Box::pin(async move {
            let restarted = self.gateway.restart(server, &Principal::anonymous()).await;
            restarted.map_err(|error| match error {
                RestartError::Unknown(_) => NotDone::Unknown,
                RestartError::Unavailable(why) => NotDone::Failed(why),
            })
        })
    }

    fn switch<'a>(
        &'a self,
        server: &'a str,
        switch: PageSwitch,
    ) -> BoxFuture<'a, Result<(), NotDone>> {
        let switch = match switch {
            PageSwitch::Enabled => Switch::On,
            PageSwitch::Disabled => Switch::Off,
        };
        let (places, audit) = (self.places.clone(), self.audit.clone());
        let (gateway, name) = (Arc::clone(&self.gateway), server.to_owned());
        Box::pin(async move {
            let switched = tokio::task::spawn_blocking(move || {
                server_switch::switch(&places, audit.as_deref(), &name, switch)?;
                gateway.read_again();
                Ok(())
            });
            let failed = |_| NotDone::Failed("the server was not switched; try again".to_owned());
            switched.await.map_err(failed).flatten()
        })
    }
}

/// The newest lines of a server's log. The gateway concealed secrets before it wrote them.
fn newest_lines(file: &Path) -> String {
    let mut text = String::new();
    for file in [&Places::previous_log(file), file] {
        // A server that has not written anything has no file.
        text.push_str(&end_of(file).unwrap_or_default());
    }
    let lines: Vec<&str> = text.lines().collect();
    let newest = lines.get(lines.len().saturating_sub(LOG_LINES)..).unwrap_or_default();
    newest.iter().flat_map(|line| [*line, "\n"]).collect()
}

/// The end of a file, from the beginning of a line.
fn end_of(file: &Path) -> io::Result<String> {
    let mut file = fs::File::open(file)?;
    let start = file.metadata()?.len().saturating_sub(LOG_BYTES);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(LOG_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(match (start, text.split_once('\n')) {
        (0, _) | (_, None) => text.into_owned(),
        (_, Some((_cut, rest))) => rest.to_owned(),
    })
}

//! Opens the store and puts the services together, as the settings say.

use super::keep::StoreKeeper;
use super::programs::ProgramAudit;
use anyhow::Context as _;
use hobnob_config::{EmbeddingProvider, EmbeddingSettings, Places, SecretsChoice, Settings};
use hobnob_embed::{ApiKey, Embedder, EndpointEmbedder, EndpointOptions, MiniLm, installed};
use hobnob_mcp_engine::{SealKey, random_bytes};
use hobnob_mcp_server::TaskStore;
use hobnob_mcp_server::toolbox::Kit;
use hobnob_policy::audit::AuditLog;
use hobnob_secrets::{PersonalData, ScanScope, Scanner};
use hobnob_services::memory::recall::Recall;
use hobnob_services::memory::{
    Embedded, MemoryParts, MemoryService, MemorySettings, OnShow, Project, SecretsRule, Turns,
};
use hobnob_services::tasks::TaskService;
use hobnob_services::{Presentation, health};
use hobnob_store::sqlite::SqliteStore;
use hobnob_store::tasks::ListName;
use hobnob_store::{Instance, StoreError};
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// After how long vectors that nobody searches in are not held in memory any more.
const VECTORS_IDLE: Duration = Duration::from_secs(600);
/// How often it is told how far vectors are.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Every service there is.
pub(crate) const KNOWN: &[&str] = &["health", "memory", "tasks"];

/// The services of this process.
#[derive(Clone)]
pub(crate) struct Services {
    health: bool,
    pub(super) memory: Option<MemoryService>,
    pub(super) tasks: Option<TaskService>,
    /// Where both are kept, if any of them is on.
    pub(super) kept: Option<Kept>,
    /// What the kits were made from.
    shown: Arc<Mutex<OnShow>>,
}

/// The store, and this process among all that share it.
#[derive(Clone)]
pub(super) struct Kept {
    pub(super) store: SqliteStore,
    /// `None` where the data folder takes no files.
    instance: Option<Arc<Instance>>,
    folder: PathBuf,
}

impl Services {
    /// Opens what is switched on. Without memory and tasks no file is touched.
    pub(crate) fn open(
        places: &Places,
        settings: &Settings,
        audit: Option<Arc<AuditLog>>,
    ) -> anyhow::Result<Self> {
        if let Some(name) = settings.services.keys().find(|name| !KNOWN.contains(&name.as_str())) {
            let known = KNOWN.join(", ");
            anyhow::bail!("config.toml: [services]: there is no service `{name}`; known: {known}");
        }
        let wanted = |service: &str| settings.services.get(service) != Some(&false);
        let health = wanted("health");
        if !wanted("memory") && !wanted("tasks") {
            let shown = Arc::default();
            return Ok(Self { health, memory: None, tasks: None, kept: None, shown });
        }
        let (store, missing) = SqliteStore::open_or_retry(&places.store());
        if let Some(error) = missing {
            let error = anyhow::Error::from(error);
            tracing::warn!(
                "memory and tasks are not available, everything else is: {error:#}; \
                 `hobnob doctor` says more, and they come back once the store can be opened"
            );
        }
        let memory = wanted("memory").then(|| memory(places, settings, &store, audit));
        let project = memory.as_ref().map(|memory| memory.project().key.clone());
        let project = project.unwrap_or_else(|| Project::of(&places.project).key);
        let list = ListName::new(project.as_str());
        let tasks = wanted("tasks").then(|| {
            let tasks = TaskService::new(Arc::new(store.clone()), list);
            // Whom to write to belongs into a task; what opens a door does not.
            match settings.memory.secrets {
                SecretsChoice::Block | SecretsChoice::Redact => {
                    tasks.refusing(Scanner::new(ScanScope::secrets()))
                }
                SecretsChoice::Off => tasks,
            }
        });
        let folder = places.data_dir.clone();
        let instance = match Instance::start(&folder) {
            Ok(instance) => Some(Arc::new(instance)),
            Err(error) => {
                tracing::warn!(%error, "long calls do not outlive this process");
                None
            }
        };
        let kept = Some(Kept { store, instance, folder });
        Ok(Self { health, memory, tasks, kept, shown: Arc::default() })
    }

    /// What seals the state that clients carry between rounds: the same for all processes on this
    /// store, so that a round may end where another began.
    pub(crate) async fn seal_key(&self) -> anyhow::Result<Option<SealKey>> {
        let Some(kept) = &self.kept else { return Ok(None) };
        let fresh = random_bytes::<32>().context("there is no randomness")?;
        let bytes = match kept.store.key("seal", fresh.to_vec()).await {
            Ok(bytes) => bytes,
            // Then rounds end where they began.
            Err(error) => {
                tracing::debug!(%error, "the key for carried state is this process's own");
                return Ok(None);
            }
        };
        let bytes: Option<[u8; 32]> = bytes.try_into().ok();
        let bytes = bytes.context("the key in the store is none")?;
        Ok(Some(SealKey::from_bytes(&bytes).context("the key in the store is none")?))
    }

    /// Where the long calls of a view outlive the process.
    pub(crate) fn keeper(&self, view: Option<&str>) -> Option<Arc<dyn TaskStore>> {
        let kept = self.kept.as_ref()?;
        // A call that had to be written down before anybody hears of it would fail each time.
        let instance = kept.instance.as_ref().filter(|_| kept.store.unavailable().is_none())?;
        let folder = kept.folder.clone();
        Some(Arc::new(StoreKeeper::new(&kept.store, instance, folder, view)))
    }

    /// Takes note of a failure of the store: a damaged one is not used any more. What was said
    /// already is not said again.
    pub(super) fn note_failure(&self, error: &anyhow::Error) {
        let Some(kept) = &self.kept else { return };
        let was_known = kept.store.unavailable().is_some();
        if let Some(why @ StoreError::Damaged(_)) = error.downcast_ref() {
            kept.store.give_up(why);
        }
        match was_known {
            true => tracing::debug!("the store is not available: {error:#}"),
            false => tracing::warn!(
                "memory and tasks may not be available, everything else is: {error:#}"
            ),
        }
    }

    /// Why memory and tasks cannot be used, if they cannot.
    pub(crate) fn problem(&self) -> Option<String> {
        let kept = self.kept.as_ref()?;
        kept.store.unavailable().map(|error| error.to_string())
    }

    /// Makes vectors and removes what is over, until told to stop.
    pub(crate) async fn tend(self, stop: CancellationToken) {
        let (Some(memory), Some(kept)) = (self.memory, self.kept) else { return };
        let forgetting = async {
            let mut ticks = tokio::time::interval(VECTORS_IDLE / 10);
            loop {
                ticks.tick().await;
                kept.store.drop_idle(VECTORS_IDLE);
            }
        };
        tokio::select! {
            () = memory.tend(turns(&kept.folder), stop) => {}
            never = forgetting => match never {},
        }
    }

    /// Makes the vectors that are missing now, and tells how far that is. Another process that is
    /// at it is waited for. `None` without memory or a model.
    pub(crate) async fn embed_now(
        &self,
        mut told: impl FnMut(&Embedded),
    ) -> anyhow::Result<Option<Embedded>> {
        let (Some(memory), Some(kept)) = (&self.memory, &self.kept) else { return Ok(None) };
        let turns = turns(&kept.folder);
        let making = async {
            loop {
                if let Some(_turn) = turns() {
                    return memory.embed_missing(&CancellationToken::new()).await;
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        tokio::pin!(making);
        loop {
            tokio::select! {
                made = &mut making => {
                    made?;
                    return Ok(memory.embedded().await?);
                }
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            if let Some(so_far) = memory.embedded().await? {
                told(&so_far);
            }
        }
    }

    /// One kit for each service that is on and wanted.
    pub(crate) async fn kits(
        &self,
        presentation: &Presentation,
        wanted: impl Fn(&str) -> bool,
    ) -> anyhow::Result<Vec<Kit>> {
        let mut kits = Vec::new();
        if self.health && wanted("health") {
            kits.push(health::kit().context("the service health")?);
        }
        if let Some(memory) = self.memory.as_ref().filter(|_| wanted("memory")) {
            // The tools say why; what is stored is listed once it can be read.
            let on_show = self.on_show().await.unwrap_or_else(|error| {
                self.note_failure(&error);
                OnShow::default()
            });
            kits.push(memory.kit(presentation, &on_show).context("the service memory")?);
            self.show(on_show);
        }
        if let Some(tasks) = self.tasks.as_ref().filter(|_| wanted("tasks")) {
            kits.push(tasks.kit(presentation).context("the service tasks")?);
        }
        Ok(kits)
    }

    /// What the kits were made from.
    pub(super) fn shown(&self) -> OnShow {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes what kits are made from.
    pub(super) fn show(&self, on_show: OnShow) {
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = on_show;
    }

    /// What the memory kit shows of what is stored.
    pub(super) async fn on_show(&self) -> anyhow::Result<OnShow> {
        match &self.memory {
            Some(memory) => memory.on_show().await.context("the store cannot be read"),
            None => Ok(OnShow::default()),
        }
    }
}

/// One of all processes at a time, told by a lock that the system lets go of when one ends.
fn turns(folder: &Path) -> Turns {
    let path = folder.join("embedding.lock");
    Box::new(move || {
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).ok()?;
        file.try_lock().ok()?;
        Some(Box::new(file))
    })
}

fn memory(
    places: &Places,
    settings: &Settings,
    store: &SqliteStore,
    audit: Option<Arc<AuditLog>>,
) -> MemoryService {
    let chosen = &settings.memory;
    let sought = match chosen.national_ids {
        true => ScanScope::default().with(PersonalData::NationalId),
        false => ScanScope::default(),
    };
    let secrets = match chosen.secrets {
        SecretsChoice::Block => SecretsRule::Block,
        SecretsChoice::Redact => SecretsRule::Redact,
        SecretsChoice::Off => SecretsRule::Off,
    };
    // Everything else works without, in a shell that does not know the key as well; `doctor` and
    // `embeddings status` tell what is wrong.
    let embedder = embedder(places, &settings.embeddings).unwrap_or_else(|error| {
        tracing::warn!("memories are found by text only: {error:#}");
        None
    });
    MemoryService::new(MemoryParts {
        memories: Arc::new(store.clone()),
        prompts: Arc::new(store.clone()),
        marks: Arc::new(store.clone()),
        recall: Recall::new(Arc::new(store.clone()), embedder),
        scanner: Scanner::new(sought),
        settings: MemorySettings {
            secrets,
            most_bytes: chosen.max_bytes,
            keep_deleted: chosen.keep_deleted,
            sync_ref: chosen.sync_ref.clone(),
        },
        folder: places.project.clone(),
        sync_folder: places.state_dir.join("sync"),
        programs: Arc::new(ProgramAudit(audit)),
    })
}

/// What turns text into vectors here, if anything does. No weights are read yet.
pub(crate) fn embedder(
    places: &Places,
    chosen: &EmbeddingSettings,
) -> anyhow::Result<Option<Arc<dyn Embedder>>> {
    let local = || installed(&places.models()).map(|folder| MiniLm::open(&folder)).transpose();
    match chosen.provider {
        EmbeddingProvider::None => Ok(None),
        EmbeddingProvider::Auto => {
            // Memory works without; whoever asked for nothing is not stopped by a broken model.
            let model = local().unwrap_or_else(|error| {
                tracing::warn!(%error, "the embedding model cannot be used; text search goes on");
                None
            });
            Ok(model.map(|model| Arc::new(model) as Arc<dyn Embedder>))
        }
        EmbeddingProvider::Local => {
            let model = local().context("[embeddings] provider = \"local\"")?;
            let model = model.context(
                "[embeddings] provider = \"local\": no model is installed; \
                 run `hobnob embeddings install --from FILE`",
            )?;
            Ok(Some(Arc::new(model)))
        }
        EmbeddingProvider::Endpoint => {
            let missing = "[embeddings] provider = \"endpoint\" needs `url` and `model`";
            let (url, model) = chosen.url.clone().zip(chosen.model.clone()).context(missing)?;
            let mut options = EndpointOptions::new(url, model);
            if let Some(variable) = &chosen.key_variable {
                let key = std::env::var(variable);
                let key = key.with_context(|| {
                    format!("[embeddings] key_variable: the variable {variable} is not set")
                })?;
                options.key = Some(ApiKey::new(&key));
            }
            let endpoint = EndpointEmbedder::new(options).context("[embeddings]")?;
            Ok(Some(Arc::new(endpoint)))
        }
    }
}

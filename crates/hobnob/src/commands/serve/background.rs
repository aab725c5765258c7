//! The background hub. A `hobnob serve` on a pipe starts one if Hobnob has never seen some of its
//! servers, and relays its client to it, so that first starts go on if the client gives up.
//! `hobnob ui` starts one if no hub runs that could show its page.
//!
//! What must stay true: it leaves the client's session, and it ends by itself soon after its last
//! client, its page and its last first start. Its servers are supervised as elsewhere, so none survives it.

use anyhow::Context as _;
use hobnob_config::{BackgroundHub, Places, Settings};
use hobnob_disk::create_private;
use hobnob_hub::attach::find_running;
use hobnob_hub::compose::{self, Plan};
use hobnob_hub::hub_description::HubKind;
use hobnob_hub::running_hub::RunningHub;
use hobnob_terminal::signals::Signals;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::net::UnixStream;
use tokio::process::Command;

/// The option that makes `hobnob serve` such a hub.
const OPTION: &str = "--background";

/// If this environment variable is set, no background hub is started.
const NO_BACKGROUND: &str = "HOBNOB_NO_BACKGROUND";

/// How long the hub may take until it listens. A client waits meanwhile.
const READY_TIMEOUT: Duration = Duration::from_secs(5);

/// Starts a background hub if it has servers to learn, and connects to it. After `None`, this
/// process serves its client itself.
pub(super) async fn start_to_learn(places: &Places) -> Option<UnixStream> {
    let settings = Settings::load(&places.settings()).ok()?;
    if is_off(&settings) || !compose::has_servers_to_learn(places, &settings) {
        return None;
    }
    match start(places, std::env::args_os().skip(1)).await {
        Ok(()) => find_running(places).await,
        Err(error) => {
            tracing::warn!("no hub in the background: {error:#}");
            None
        }
    }
}

/// Starts a background hub for its page, and connects to it: it stays at least as long as the
/// connection. `options` are the global options of this command. `None` if background hubs are
/// switched off.
pub(in crate::commands) async fn start_for_page(
    places: &Places,
    options: Vec<OsString>,
) -> anyhow::Result<Option<UnixStream>> {
    let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
    if is_off(&settings) {
        return Ok(None);
    }
    start(places, options.into_iter().chain(["serve".into()])).await?;
    let hub = find_running(places).await;
    hub.context("it has ended already; try again").map(Some)
}

fn is_off(settings: &Settings) -> bool {
    let by_environment = std::env::var_os(NO_BACKGROUND).is_some_and(|it| !it.is_empty());
    by_environment || settings.gateway.background_hub == BackgroundHub::Off
}

/// Starts the hub with these arguments of the program, and returns when it listens.
async fn start(
    places: &Places,
    arguments: impl IntoIterator<Item = OsString>,
) -> anyhow::Result<()> {
    let log = log_file(places).context("its log cannot be written")?;
    // Start the same file, not the same path, which may have another version by now.
    let program = Path::new("/proc/self/exe");
    let program = match program.exists() {
        true => program.to_owned(),
        false => std::env::current_exe().context("our own program cannot be found")?,
    };
    let mut hub = Command::new(program)
        .arg0("hobnob")
        .args(arguments)
        .arg(OPTION)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .context("it cannot be started")?;
    let mut output = hub.stdout.take().context("its output cannot be read")?;
    let mut ready = [0];
    match tokio::time::timeout(READY_TIMEOUT, output.read(&mut ready)).await {
        Ok(Ok(1..)) => Ok(()),
        Ok(Ok(0) | Err(_)) => anyhow::bail!("it ended; see {}", log_path(places).display()),
        Err(_) => {
            // Two hubs would start every server twice.
            drop(hub.kill().await);
            anyhow::bail!("it does not listen after {READY_TIMEOUT:?}")
        }
    }
}

/// Runs as a background hub until no client has used it for a while.
pub(super) async fn run(plan: Plan) -> anyhow::Result<()> {
    // Signals from the client's terminal, and its end, no longer reach this process.
    rustix::process::setsid().context("the client's session cannot be left")?;
    let linger = match Settings::load(&plan.places.settings())?.gateway.background_hub {
        BackgroundHub::Lingers(linger) => linger,
        BackgroundHub::Off => Duration::ZERO,
    };
    let mut signals = Signals::new()?;
    let hub = RunningHub::open(plan, HubKind::Background).await?;
    // The process that waits for this line may be gone; the servers are learnt all the same.
    drop(std::io::stdout().write_all(b"\n").and_then(|()| std::io::stdout().flush()));
    tokio::select! {
        () = hub.unused_for(linger) => tracing::info!("stopping: nobody uses this hub"),
        () = hub.composed.server.stopping() => {}
        () = signals.next() => tracing::info!("stopping"),
    }
    tokio::select! {
        () = hub.end() => {}
        () = signals.next() => tracing::warn!("stopped at once by a second signal"),
    }
    Ok(())
}

/// Creates a new log; only the latest background hub has one.
fn log_file(places: &Places) -> std::io::Result<File> {
    hobnob_disk::make_folder(&places.state_dir)?;
    let path = log_path(places);
    // A hub that still writes to the old log goes on with its deleted file.
    drop(fs::remove_file(&path));
    create_private(&path)
}

fn log_path(places: &Places) -> std::path::PathBuf {
    places.state_dir.join("background.log")
}

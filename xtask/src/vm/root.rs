//! Builds the virtual machine: a Debian kernel, and a root with the tests, a shell and a few
//! programs with their libraries. [`command`](super::command) boots it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::process::{built_program, quiet, step};
use crate::workspace::Workspace;

/// The script that the machine runs when it starts.
const INIT: &str = include_str!("init.sh");

/// Programs that the machine needs besides the tests, and their packages.
const PROGRAMS: [(&str, &str); 4] = [
    ("/bin/busybox", "busybox-static"),
    ("/usr/bin/setfattr", "attr"),
    ("/usr/bin/setpriv", "util-linux"),
    ("/usr/bin/unshare", "util-linux"),
];

/// The crate whose tests run, and the format of cargo's messages.
const PACKAGE: &str = "--package=hobnob-mcp-process";
const JSON: &str = "--message-format=json";

/// The emulator, and its package.
pub(super) const EMULATOR: (&str, &str) = ("/usr/bin/qemu-system-x86_64", "qemu-system-x86");

/// Installs missing packages on the host.
pub(super) fn install() -> anyhow::Result<()> {
    let needed = PROGRAMS.into_iter().chain([EMULATOR]);
    let missing: Vec<_> = needed.filter(|(file, _)| !Path::new(file).exists()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let script = "as_root=; test \"$(id -u)\" = 0 || as_root='sudo -n'
        install() { $as_root apt-get -o DPkg::Lock::Timeout=300 install --yes --no-install-recommends \"$@\"; }
        install \"$@\" || { $as_root apt-get update && install \"$@\"; }";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, "sh"]).args(missing.iter().map(|(_, package)| package));
    step("packages of the virtual machine", &mut shell)
}

/// The newest Debian kernel for virtual machines, extracted from its package once.
pub(super) fn kernel(folder: &Path) -> anyhow::Result<PathBuf> {
    let unpacked = folder.join("kernel");
    if let Some(kernel) = kernel_in(&unpacked) {
        return Ok(kernel);
    }
    fs::create_dir_all(&unpacked)?;
    let script = "set -e
        name=$(apt-cache search --names-only '^linux-image-[0-9][0-9.]*[0-9].*-cloud-amd64$' |
            cut -d ' ' -f 1 | sort -V | tail -n 1)
        apt-get -q download \"$name\"
        dpkg-deb --extract linux-image-*.deb .";
    let mut shell = Command::new("sh");
    step("kernel", shell.args(["-c", script]).current_dir(&unpacked))?;
    kernel_in(&unpacked).context("the package has no kernel")
}

fn kernel_in(folder: &Path) -> Option<PathBuf> {
    let mut files = fs::read_dir(folder.join("boot")).ok()?.flatten().map(|entry| entry.path());
    files.find(|file| file.display().to_string().contains("/vmlinuz-"))
}

/// Builds the tests with cargo: the test program, and the example that it starts.
pub(super) fn build_tests(workspace: &Workspace) -> anyhow::Result<[PathBuf; 2]> {
    eprintln!("\n▶ tests");
    let tests = ["test", "--no-run", PACKAGE, "--test=it", JSON];
    // Built with `build`, because `test` would build the example's tests.
    let supervisor = ["build", PACKAGE, "--example=supervised", JSON];
    Ok([
        built_program(&mut workspace.cargo(tests), "it")?,
        built_program(&mut workspace.cargo(supervisor), "supervised")?,
    ])
}

/// Packs the machine's root, with these tests, into an archive that the kernel can read.
pub(super) fn pack(folder: &Path, [tests, supervisor]: &[PathBuf; 2]) -> anyhow::Result<PathBuf> {
    let root = folder.join("root");
    if root.exists() {
        fs::remove_dir_all(&root)?;
    }
    for part in ["bin", "etc", "lib", "lib64", "tests/deps", "tests/examples", "usr"] {
        fs::create_dir_all(root.join(part))?;
    }
    // Sandboxes know these folders by all of their names.
    symlink("../bin", root.join("usr/bin"))?;
    symlink("../lib", root.join("usr/lib"))?;
    fs::write(root.join("init"), INIT)?;
    fs::set_permissions(root.join("init"), fs::Permissions::from_mode(0o755))?;
    for (file, _) in PROGRAMS {
        let name = Path::new(file).file_name().context("a program has a name")?;
        fs::copy(file, root.join("bin").join(name))?;
        add_libraries(&root, Path::new(file))?;
    }
    for (file, place) in [(tests, "tests/deps/it"), (supervisor, "tests/examples/supervised")] {
        // Backtraces are not needed in there, and symbols would be in memory twice.
        quiet(Command::new("strip").arg("-o").arg(root.join(place)).arg(file))?;
        add_libraries(&root, file)?;
    }
    let archive = folder.join("root.cpio");
    let script = "find . | busybox cpio -o -H newc > \"$1\"";
    let mut shell = Command::new("sh");
    quiet(shell.args(["-c", script, "sh"]).arg(&archive).current_dir(&root))?;
    Ok(archive)
}

/// Adds the libraries that a program is linked with, at the paths where it looks for them.
fn add_libraries(root: &Path, program: &Path) -> anyhow::Result<()> {
    // It fails for static programs.
    let said = quiet(Command::new("ldd").arg(program)).unwrap_or_default();
    let is_path = |word: &&str| word.starts_with('/');
    for file in said.lines().filter_map(|line| line.split_whitespace().find(is_path)) {
        let place = root.join(file.trim_start_matches('/'));
        if !place.exists() {
            fs::create_dir_all(place.parent().context("a library is in a folder")?)?;
            fs::copy(file, place).with_context(|| file.to_owned())?;
        }
    }
    Ok(())
}

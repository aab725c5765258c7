//! Checks the Debian package in a fresh system: the smallest one of a release that `debootstrap`
//! makes, with `man` and bash's completion.
//!
//! The system is made once and copied for every check, so that each check begins with a fresh one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use super::answer;
use super::packages::Packages;
use super::root::{Rights, Root};
use crate::process::quiet;

/// The packages of the system besides the essential ones.
const INCLUDE: &str = "--include=man-db,bash-completion";

/// Completes `hobnob ser` like bash when a person presses the tab key.
const COMPLETE: &str = "\
. /usr/share/bash-completion/bash_completion
_comp_load hobnob 2>/dev/null || _completion_loader hobnob
complete=$(complete -p hobnob) || exit 1
function=${complete##*-F }; function=${function%% *}
COMP_WORDS=(hobnob ser) COMP_CWORD=1 COMP_TYPE=9
$function hobnob ser hobnob
printf '%s\\n' \"${COMPREPLY[@]}\"";

/// Installs the package, uses everything in it, and removes it.
pub(super) fn check(packages: &Packages, scratch: &Path, release: &str) -> anyhow::Result<()> {
    anyhow::ensure!(
        Rights::find()? == Rights::Root,
        "this needs root: run `cargo xtask dist --check` as root, or with `--check tarball`"
    );
    let fresh = fresh_system(scratch, release)?;
    let root = Root::new(scratch.join("installed"), Rights::Root);
    if root.folder.exists() {
        fs::remove_dir_all(&root.folder).context("cannot clear the last system")?;
    }
    quiet(Command::new("cp").arg("--archive").arg(&fresh).arg(&root.folder))?;
    fs::copy(&packages.debian, root.outside("/tmp/hobnob.deb"))?;
    root.run("dpkg", ["--install", "/tmp/hobnob.deb"])?;
    use_everything(&root, packages, &scratch.join(format!("{release}.log")))?;
    root.run("dpkg", ["--purge", "hobnob"])?;
    let left = root.outside("/usr/share/doc/hobnob");
    anyhow::ensure!(!left.exists(), "after its removal the package leaves {}", left.display());
    fs::remove_dir_all(&root.folder).context("cannot remove the system")?;
    eprintln!("✓ {release}: the package installs, is found by man and bash, and serves");
    Ok(())
}

fn use_everything(root: &Root, packages: &Packages, log: &Path) -> anyhow::Result<()> {
    let version = root.run("hobnob", ["--version"])?;
    let expected = format!("hobnob {}", packages.version);
    anyhow::ensure!(version.starts_with(&expected), "--version printed {version}, not {expected}");
    let changed = root.run("dpkg", ["--verify", "hobnob"])?;
    anyhow::ensure!(changed.trim().is_empty(), "files differ from their md5sums: {changed}");

    for (page, file) in [("hobnob", "hobnob.1.gz"), ("hobnob-serve", "hobnob-serve.1.gz")] {
        let found = root.run("man", ["--where", page])?;
        anyhow::ensure!(found.trim() == format!("/usr/share/man/man1/{file}"), "man: {found}");
    }
    let page = root.run("man", ["--pager=cat", "hobnob"])?;
    anyhow::ensure!(page.contains("serve"), "the manual page names no commands: {page}");

    let completed = root.run("bash", ["-c", COMPLETE])?;
    anyhow::ensure!(completed.trim() == "serve", "bash completes `hobnob ser` to {completed}");
    for path in [
        "/usr/share/zsh/vendor-completions/_hobnob",
        "/usr/share/fish/vendor_completions.d/hobnob.fish",
        "/usr/share/doc/hobnob/copyright",
    ] {
        anyhow::ensure!(root.outside(path).is_file(), "the package has no {path}");
    }
    answer::check(root, "/usr/bin/hobnob", &packages.version, log)
}

/// A fresh system of the release, without our package.
fn fresh_system(scratch: &Path, release: &str) -> anyhow::Result<PathBuf> {
    let folder = scratch.join("fresh").join(release);
    let stamp = scratch.join("fresh").join(format!("{release}.made"));
    if fs::read_to_string(&stamp).is_ok_and(|found| found == INCLUDE) {
        return Ok(folder);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    fs::create_dir_all(&folder)?;
    eprintln!("making a system of {release} in {}", folder.display());
    let mut debootstrap = Command::new("debootstrap");
    quiet(debootstrap.args(["--variant=minbase", INCLUDE, release]).arg(&folder)).context(
        "a fresh system comes from debootstrap (`apt-get install debootstrap`) and the mirror",
    )?;
    fs::write(&stamp, INCLUDE)?;
    Ok(folder)
}

//! Checks the tarball in a root that has only the shared libraries it needs and `/proc`: no shell,
//! no `/etc`, no `/dev`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use super::answer;
use super::packages::Packages;
use super::root::{Rights, Root};
use crate::process::quiet;

/// Unpacks and uses it, as `docs/src/install.md` describes.
pub(super) fn check(packages: &Packages, scratch: &Path) -> anyhow::Result<()> {
    let folder = scratch.join("empty");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    for path in ["usr/local", "proc", "tmp", "root"] {
        fs::create_dir_all(folder.join(path))?;
    }
    let root = Root::new(folder, Rights::find()?);
    let mut tar = Command::new("tar");
    tar.arg("--extract").arg("--file").arg(&packages.tarball);
    tar.arg("--directory").arg(root.outside("/usr/local"));
    quiet(tar.args(["--strip-components", "1", "--no-same-owner"]))?;
    let program = "/usr/local/bin/hobnob";
    for library in libraries(&root.outside(program))? {
        root.take(&library)?;
    }
    let version = root.run(program, ["--version"])?;
    let expected = format!("hobnob {}", packages.version);
    anyhow::ensure!(version.starts_with(&expected), "--version printed {version}, not {expected}");
    for path in [
        "share/man/man1/hobnob.1",
        "share/man/man1/hobnob-serve.1",
        "share/bash-completion/completions/hobnob",
        "share/zsh/site-functions/_hobnob",
        "share/fish/vendor_completions.d/hobnob.fish",
        "share/doc/hobnob/README.md",
        "share/doc/hobnob/THIRD-PARTY-LICENSES.txt",
        "share/doc/hobnob/hobnob.cdx.json",
    ] {
        let size = fs::metadata(root.outside("/usr/local").join(path)).map(|file| file.len());
        anyhow::ensure!(size.is_ok_and(|size| 0 < size), "the tarball has no {path}");
    }
    answer::check(&root, program, &packages.version, &scratch.join("empty.log"))?;
    eprintln!("✓ empty root: {} runs, and `serve --http` answers", packages.folder);
    Ok(())
}

/// The shared libraries of a program and their loader, from this machine.
fn libraries(program: &Path) -> anyhow::Result<Vec<PathBuf>> {
    // For a static program, `ldd` fails.
    let Ok(listed) = quiet(Command::new("ldd").arg(program).env("LC_ALL", "C")) else {
        return Ok(Vec::new());
    };
    let path = |line: &str| {
        let mut words = line.split_whitespace();
        words.find(|word| word.starts_with('/')).map(PathBuf::from)
    };
    Ok(listed.lines().filter_map(path).collect())
}

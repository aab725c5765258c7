//! Builds the program so that it runs on old distributions and contains nothing about the build
//! machine.
//!
//! Zig links it: its linker knows the symbols of every glibc release, so the program needs none
//! newer than promised, and no libgcc. The program is not static: a static glibc that differs from
//! the machine's own aborts the process as soon as a name is looked up through a module of the
//! machine (seen with `hosts: files dns myhostname` on Ubuntu 16.04).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use super::platform::Platform;
use crate::process::{quiet, step};
use crate::workspace::Workspace;

/// The oldest glibc that the program runs with; Rust's own library promises no older one.
pub(crate) const OLDEST_GLIBC: &str = "2.17";

/// The packages that link the program, for `pip`.
const TOOLS: [&str; 2] = ["ziglang==0.17.0", "cargo-zigbuild==0.24.0"];

/// Builds `hobnob` in a profile and returns its path.
pub(crate) fn program(
    workspace: &Workspace,
    platform: &Platform,
    profile: &str,
) -> anyhow::Result<PathBuf> {
    let tools = install_tools(workspace)?;
    let triple = &platform.triple;
    let target = format!("{triple}.{OLDEST_GLIBC}");
    let mut cargo = workspace.cargo(["zigbuild", "--locked", "--package", "hobnob"]);
    cargo.args(["--profile", profile, "--target", &target]);
    hide_paths(&mut cargo, workspace, triple)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [tools.join("venv/bin")].into_iter().chain(std::env::split_paths(&path));
    cargo
        .env("PATH", std::env::join_paths(folders)?)
        .env("CARGO_ZIGBUILD_CACHE_DIR", tools.join("wrappers"))
        .env("ZIG_GLOBAL_CACHE_DIR", tools.join("cache"))
        .env("CARGO_INCREMENTAL", "0");
    step(&format!("build hobnob, profile {profile}, for glibc {OLDEST_GLIBC}"), &mut cargo)?;
    // Cargo's folder for the profile `dev` has another name.
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(workspace.target().join(triple).join(folder).join("hobnob"))
}

/// The licence texts of what Zig links into every program.
pub(crate) fn linked_licences(workspace: &Workspace) -> anyhow::Result<Vec<(String, String)>> {
    let packages = tools_folder(workspace).join("venv/lib");
    let mut texts = Vec::new();
    for folder in fs::read_dir(&packages).into_iter().flatten() {
        let zig = folder?.path().join("site-packages/ziglang");
        for (title, file) in [
            ("Zig's compiler runtime", "LICENSE"),
            ("LLVM's libunwind, as it comes with Zig", "lib/libunwind/LICENSE.TXT"),
        ] {
            let file = zig.join(file);
            let text = fs::read_to_string(&file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            texts.push((title.to_owned(), text));
        }
    }
    Ok(texts)
}

/// Replaces this machine's folders in panic messages and assertions: they would reveal where the
/// program was built, and no two machines would build the same bytes.
fn hide_paths(cargo: &mut Command, workspace: &Workspace, triple: &str) -> anyhow::Result<()> {
    let home = match std::env::var_os("CARGO_HOME") {
        Some(home) => PathBuf::from(home),
        None => Path::new(&std::env::var_os("HOME").context("HOME is not set")?).join(".cargo"),
    };
    let folders = [
        (workspace.root.clone(), "hobnob"),
        (home.join("registry/src"), "crates"),
        (workspace.target().to_owned(), "target"),
    ];
    let (mut rust, mut c) = (Vec::new(), Vec::new());
    for (folder, name) in &folders {
        let folder = folder.to_str().context("a folder's name is no UTF-8")?;
        anyhow::ensure!(!folder.contains(' '), "{folder}: flags of C cannot hold a space");
        rust.push(format!("--remap-path-prefix={folder}=/{name}"));
        c.push(format!("-ffile-prefix-map={folder}=/{name}"));
    }
    // Cargo separates encoded flags by the unit separator, so flags may contain spaces.
    cargo.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", rust.join("\u{1f}"));
    cargo.env(format!("CFLAGS_{}", triple.replace('-', "_")), c.join(" "));
    Ok(())
}

/// Installs Zig and its Cargo command once, into a folder that git ignores.
fn install_tools(workspace: &Workspace) -> anyhow::Result<PathBuf> {
    let folder = tools_folder(workspace);
    let stamp = folder.join("installed");
    let wanted = TOOLS.join(" ");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(folder);
    }
    eprintln!("installing {wanted} into {}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    quiet(Command::new("python3").args(["-m", "venv", "venv"]).current_dir(&folder))
        .context("the linker comes as a Python package, which needs python3 with venv")?;
    let mut pip = Command::new(folder.join("venv/bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    quiet(pip.args(TOOLS).current_dir(&folder)).context("cannot install the linker")?;
    fs::write(&stamp, wanted)?;
    Ok(folder)
}

fn tools_folder(workspace: &Workspace) -> PathBuf {
    workspace.target().join("dist-tools")
}

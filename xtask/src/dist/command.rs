//! `cargo xtask dist`: from the arguments to the files in `target/dist`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::archive::{gzip, tar};
use super::build::{self, OLDEST_GLIBC};
use super::check::{self, CheckScope, Packages};
use super::components::Components;
use super::debian::{self, DebianFiles};
use super::documents::{self, SBOM, read};
use super::hardening;
use super::material::Material;
use super::needs::{GlibcVersion, Needs};
use super::platform::Platform;
use super::release::Release;
use crate::workspace::Workspace;

/// The arguments of `cargo xtask dist`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The Cargo profile to build in; `dev` is quick, but too large to ship.
    #[arg(long, value_name = "NAME", default_value = "dist")]
    profile: String,

    /// Package this program instead of building one. It may need any glibc and libgcc.
    #[arg(long, value_name = "FILE", conflicts_with = "profile")]
    binary: Option<PathBuf>,

    /// The maintainer of the Debian package.
    #[arg(
        long,
        value_name = "NAME <ADDRESS>",
        default_value = "The Hobnob authors <hobnob@packages.invalid>"
    )]
    maintainer: String,

    /// Install the packages in empty roots and use them there: the tarball only, or all.
    #[arg(long, value_name = "WHAT", num_args = 0..=1, default_missing_value = "all")]
    check: Option<CheckScope>,

    /// With --check: the releases of Debian or Ubuntu to install the package in.
    #[arg(long = "on", value_name = "RELEASE", default_values = check::RELEASES)]
    releases: Vec<String>,
}

/// Makes the packages, and installs them if the arguments ask for it.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    let platform = Platform::detect(&workspace)?;
    let components = Components::load(&workspace, &platform)?;
    let release = Release::of(&workspace, &components.root.1, platform.clone(), args.maintainer)?;
    let program = match &args.binary {
        Some(program) => fs::canonicalize(program)
            .with_context(|| format!("there is no program at {}", program.display()))?,
        None => build::program(&workspace, &platform, &args.profile)?,
    };
    hardening::check(&program)?;
    let needs = Needs::of(&program)?;
    if args.binary.is_none() {
        promise(&needs)?;
    }
    let folder = workspace.target().join("dist");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let scratch = workspace.target().join("dist-check");
    fs::create_dir_all(&scratch).with_context(|| format!("cannot create {}", scratch.display()))?;

    let documents = documents::collect(&workspace, &components, &release)?;
    let material = Material::collect(&program, &scratch, documents)?;
    let files = packages(&workspace, &release, &material, &needs)?;
    for (name, bytes) in &files {
        write(&folder.join(name), bytes)?;
    }
    summarise(&folder, &files, &material, &needs);
    let Some(scope) = args.check else { return Ok(()) };
    let again = packages(&workspace, &release, &material, &needs)?;
    anyhow::ensure!(files == again, "packages made twice differ");
    eprintln!("✓ made twice, the packages are the same bytes");
    let packages = Packages {
        tarball: folder.join(tarball_name(&release)),
        folder: release.name(),
        debian: folder.join(debian::file_name(&release)),
        version: release.version.clone(),
    };
    check::run(&packages, &scratch, scope, &args.releases)
}

/// Fails if the program needs more than we promise.
fn promise(needs: &Needs) -> anyhow::Result<()> {
    let others = needs.beside_glibc();
    anyhow::ensure!(others.is_empty(), "the program needs {}, not only glibc", others.join(", "));
    let oldest = GlibcVersion::parse(OLDEST_GLIBC);
    anyhow::ensure!(
        needs.glibc <= oldest,
        "the program needs a newer glibc than {OLDEST_GLIBC}: {:?}",
        needs.glibc
    );
    Ok(())
}

/// Makes all files, by name: tarball, Debian package, list of components, checksums.
fn packages(
    workspace: &Workspace,
    release: &Release,
    material: &Material,
    needs: &Needs,
) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let folder = format!("{}/", release.name());
    let tarball = gzip(&tar(&material.below_prefix(), &folder, release.time)?)?;
    files.insert(tarball_name(release), tarball);
    let copyright = read(&workspace.root.join("packaging/debian/copyright"))?;
    let apparmor = read(&workspace.root.join("packaging/debian/apparmor"))?;
    let own = DebianFiles { copyright: &copyright, apparmor: &apparmor };
    let package = debian::package(release, material, needs, &own)?;
    files.insert(debian::file_name(release), package);
    let list = material.documents.get(SBOM).context("no list of contents")?;
    files.insert(format!("{}.cdx.json", release.name()), list.clone());
    let mut sums = String::new();
    for (name, bytes) in &files {
        sums.push_str(&format!("{}  {name}\n", debian::digest("sha256sum", bytes)?));
    }
    files.insert("SHA256SUMS".to_owned(), sums.into_bytes());
    Ok(files)
}

fn tarball_name(release: &Release) -> String {
    format!("{}.tar.gz", release.name())
}

fn summarise(folder: &Path, files: &BTreeMap<String, Vec<u8>>, material: &Material, needs: &Needs) {
    let megabytes = |bytes: &[u8]| bytes.len() as f64 / 1e6;
    println!("program: {:.1} MB", megabytes(&material.program));
    let glibc = needs.glibc.map_or_else(|| "none".to_owned(), |version| version.to_string());
    println!("needs: {}; glibc {glibc} or newer", needs.libraries.join(", "));
    for (name, bytes) in files {
        println!("{}: {:.1} MB", folder.join(name).display(), megabytes(bytes));
    }
}

fn write(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))
}

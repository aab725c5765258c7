//! What the program needs from a machine: shared libraries, and a release of glibc.
//!
//! It reads the output of `readelf`, which comes with every C compiler. The Debian package depends
//! on the result, and a program that needs more than glibc is not packaged.

use std::path::Path;
use std::process::Command;

use crate::process::quiet;

/// The libraries of every glibc.
const OF_GLIBC: [&str; 7] = [
    "libc.so.6",
    "libm.so.6",
    "libpthread.so.0",
    "libdl.so.2",
    "librt.so.1",
    "libutil.so.1",
    "libresolv.so.2",
];

/// The requirements of one program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Needs {
    /// The libraries, under the names that the dynamic linker uses; none for a static program.
    pub(crate) libraries: Vec<String>,
    /// The newest glibc release that a symbol requires.
    pub(crate) glibc: Option<GlibcVersion>,
}

/// A release of glibc, for example 2.17.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GlibcVersion {
    major: u32,
    minor: u32,
}

impl GlibcVersion {
    /// Parses `2.17`; ignores a third number, as in `2.2.5`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('.').map(str::parse::<u32>);
        Some(Self { major: numbers.next()?.ok()?, minor: numbers.next()?.ok()? })
    }
}

impl std::fmt::Display for GlibcVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Needs {
    /// Reads the requirements from the program's headers.
    pub(crate) fn of(program: &Path) -> anyhow::Result<Self> {
        let mut readelf = Command::new("readelf");
        readelf.args(["--wide", "--dynamic", "--version-info"]).arg(program).env("LC_ALL", "C");
        Ok(Self::parse(&quiet(&mut readelf)?))
    }

    pub(super) fn parse(text: &str) -> Self {
        let library = |line: &str| {
            let (_, name) = line.split_once("(NEEDED)")?.1.split_once('[')?;
            Some(name.split_once(']')?.0.to_owned())
        };
        let libraries = text.lines().filter_map(library).collect();
        let versions = text.split("GLIBC_").skip(1).filter_map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            GlibcVersion::parse(&rest[..end])
        });
        Self { libraries, glibc: versions.max() }
    }

    /// The libraries that are not part of glibc.
    pub(crate) fn beside_glibc(&self) -> Vec<&str> {
        let other = |name: &&str| !OF_GLIBC.contains(name) && !name.starts_with("ld-linux");
        self.libraries.iter().map(String::as_str).filter(other).collect()
    }

    /// The `Depends` field of the Debian package.
    pub(crate) fn debian_depends(&self) -> String {
        let mut depends: Vec<String> =
            self.glibc.iter().map(|version| format!("libc6 (>= {version})")).collect();
        if self.libraries.iter().any(|name| name == "libgcc_s.so.1") {
            depends.push("libgcc-s1".to_owned());
        }
        depends.join(", ")
    }
}

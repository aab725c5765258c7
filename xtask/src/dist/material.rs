//! Everything that goes into packages, and its place in each of them.
//!
//! The tarball and the Debian package have the same files in slightly different places, because
//! distributions have their own folders for completions.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context;

use super::archive::gzip;
use super::contents::Contents;
use crate::process::quiet;

/// Everything that goes into packages, independent of its place there.
pub(crate) struct Material {
    pub(crate) program: Vec<u8>,
    /// The manual pages, by file name: `hobnob.1` and one per command.
    pub(crate) man_pages: BTreeMap<String, Vec<u8>>,
    pub(crate) completions: Completions,
    /// The documents of every package, by file name.
    pub(crate) documents: BTreeMap<&'static str, Vec<u8>>,
}

/// The completion scripts for shells.
pub(crate) struct Completions {
    pub(crate) bash: String,
    pub(crate) zsh: String,
    pub(crate) fish: String,
}

impl Material {
    /// Lets the program write its pages and scripts, and adds the documents.
    pub(crate) fn collect(
        program: &Path,
        scratch: &Path,
        documents: BTreeMap<&'static str, Vec<u8>>,
    ) -> anyhow::Result<Self> {
        let bytes =
            fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
        let script = |shell| quiet(Command::new(program).args(["completions", shell]));
        let completions =
            Completions { bash: script("bash")?, zsh: script("zsh")?, fish: script("fish")? };
        let man_pages = man_pages(program, scratch)?;
        Ok(Self { program: bytes, man_pages, completions, documents })
    }

    /// The files below a prefix such as `/usr/local`.
    pub(crate) fn below_prefix(&self) -> Contents {
        let mut contents = Contents::default();
        contents.add_program("bin/hobnob", self.program.as_slice());
        for (name, page) in &self.man_pages {
            contents.add(format!("share/man/man1/{name}"), page.as_slice());
        }
        let Completions { bash, zsh, fish } = &self.completions;
        contents.add("share/bash-completion/completions/hobnob", bash.as_str());
        contents.add("share/zsh/site-functions/_hobnob", zsh.as_str());
        contents.add("share/fish/vendor_completions.d/hobnob.fish", fish.as_str());
        for (name, text) in &self.documents {
            contents.add(format!("share/doc/hobnob/{name}"), text.as_slice());
        }
        contents
    }

    /// The files below `/` of a Debian system, without those that only Debian needs.
    pub(crate) fn for_debian(&self) -> anyhow::Result<Contents> {
        let mut contents = Contents::default();
        contents.add_program("usr/bin/hobnob", self.program.as_slice());
        for (name, page) in &self.man_pages {
            contents.add(format!("usr/share/man/man1/{name}.gz"), gzip(page)?);
        }
        let Completions { bash, zsh, fish } = &self.completions;
        contents.add("usr/share/bash-completion/completions/hobnob", bash.as_str());
        contents.add("usr/share/zsh/vendor-completions/_hobnob", zsh.as_str());
        contents.add("usr/share/fish/vendor_completions.d/hobnob.fish", fish.as_str());
        for (name, text) in &self.documents {
            match *name {
                // `copyright` has the texts of our own licences.
                "LICENSE-MIT" | "LICENSE-APACHE" => {}
                "CHANGELOG.md" => contents.add("usr/share/doc/hobnob/changelog.gz", gzip(text)?),
                // Debian compresses documents unless they are small.
                _ if text.len() <= 4096 => {
                    contents.add(format!("usr/share/doc/hobnob/{name}"), text.as_slice());
                }
                _ => contents.add(format!("usr/share/doc/hobnob/{name}.gz"), gzip(text)?),
            }
        }
        Ok(contents)
    }
}

/// The manual pages, written by the program itself.
fn man_pages(program: &Path, scratch: &Path) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
    let folder = scratch.join("man-pages");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    quiet(Command::new(program).arg("man-pages").arg(&folder))?;
    let mut pages = BTreeMap::new();
    for file in fs::read_dir(&folder)? {
        let file = file?;
        let name = file.file_name().into_string();
        let name = name.map_err(|name| anyhow::anyhow!("{} is no UTF-8", name.display()))?;
        pages.insert(name, fs::read(file.path())?);
    }
    anyhow::ensure!(pages.contains_key("hobnob.1"), "the program wrote no hobnob.1");
    Ok(pages)
}

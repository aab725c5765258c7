//! The page of figures in the book: one section per kind, with its commit, date and machine.
//!
//! `--write` replaces the sections of the measured kinds and keeps the others, so a figure always
//! has its own commit beside it. The page is not edited by hand: a test checks that it is exactly
//! what the command writes.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context;

use super::kind::Kind;
use super::kinds;

/// The text before the first section.
const INTRODUCTION: &str = "\
# Speed: figures

`cargo xtask bench --write docs/src/speed-figures.md` measured these figures and wrote this page.
[Speed](speed.md) says what the kinds and the columns mean.
Compare only within a table: another machine gives other figures and much the same ratios.
";

/// The page, as a list of sections.
#[derive(Default)]
pub(super) struct Page {
    pub(super) sections: Vec<Section>,
}

/// The figures of one kind.
pub(super) struct Section {
    pub(super) kind: &'static Kind,
    /// The commit, the machine, and how it was measured.
    pub(super) stamp: String,
    pub(super) table: String,
}

impl Page {
    /// Reads a page that the command wrote; fails with a reason for anything else.
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let rest = text.strip_prefix(INTRODUCTION).context("the introduction is another one")?;
        let mut page = Self::default();
        for section in rest.split("\n## ").skip(1) {
            let mut parts = section.splitn(3, "\n\n");
            let title = parts.next().unwrap_or_default();
            let name = title.split(':').next().unwrap_or_default();
            let kind = kinds::ALL.into_iter().find(|kind| kind.name == name);
            let kind = kind.with_context(|| format!("`{name}` is no kind of measurement"))?;
            let stamp = parts.next().with_context(|| format!("{name} has no stamp"))?.to_owned();
            let table = parts.next().with_context(|| format!("{name} has no table"))?.to_owned();
            page.sections.push(Section { kind, stamp, table });
        }
        let again = page.render();
        anyhow::ensure!(again == text, "the page is not as the command writes it");
        Ok(page)
    }

    /// Adds a section, in place of the one of the same kind.
    pub(super) fn put(&mut self, section: Section) {
        self.sections.retain(|it| !it.kind.is(section.kind));
        self.sections.push(section);
    }

    /// The text of the page, with its sections in the order of the kinds.
    pub(super) fn render(&self) -> String {
        let mut text = INTRODUCTION.to_owned();
        for kind in kinds::ALL {
            for Section { stamp, table, .. } in self.sections.iter().filter(|it| it.kind.is(kind)) {
                // Writing to a string never fails.
                let _ = write!(text, "\n## {}\n\n{stamp}\n\n{table}", kind.heading());
            }
        }
        text
    }
}

/// Puts sections into the page in a file; a missing file counts as an empty page.
pub(super) fn write(file: &Path, sections: Vec<Section>) -> anyhow::Result<()> {
    let mut page = match fs::read_to_string(file) {
        Ok(text) => Page::parse(&text).with_context(|| format!("cannot use {}", file.display()))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Page::default(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
    };
    for section in sections {
        page.put(section);
    }
    fs::write(file, page.render()).with_context(|| format!("cannot write {}", file.display()))
}

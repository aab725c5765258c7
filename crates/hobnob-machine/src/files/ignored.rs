//! The files that a project wants ignored: `.gitignore`, `.ignore` and `.git/info/exclude`.
//!
//! Searches and trees enter one folder after the other; each level with such files links to the
//! level above. Ignore files above the granted folder and in a person's home are not read: they are
//! outside of the grant.

use std::ffi::OsStr;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use hobnob_policy::{DotFiles, EntryKind, IgnoreFiles};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::fstat;

use super::kind::{kind_of, must_be_file};
use super::open::{look, open_bytes, open_folder};

/// Maximum number of bytes of an ignore file that are read.
const MAX_BYTES: u64 = 1 << 20;

/// The rules that apply in one folder. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct IgnoreRules {
    files: IgnoreFiles,
    dots: DotFiles,
    level: Option<Arc<Level>>,
}

/// Which ignore files a folder has; the walk notes them while it reads the folder.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RuleFiles {
    gitignore: bool,
    ignore: bool,
    repository: bool,
}

impl RuleFiles {
    /// For a folder whose entries were not read: each file is tried.
    pub(crate) const ALL: Self = Self { gitignore: true, ignore: true, repository: true };

    pub(crate) fn note(&mut self, name: &OsStr) {
        match name.as_bytes() {
            b".gitignore" => self.gitignore = true,
            b".ignore" => self.ignore = true,
            b".git" => self.repository = true,
            _ => {}
        }
    }

    fn any(self) -> bool {
        self.gitignore || self.ignore || self.repository
    }
}

/// The rules of one folder, and of its parents.
#[derive(Debug)]
struct Level {
    above: Option<Arc<Level>>,
    /// How many bytes of a path come before the names below this folder.
    prefix: usize,
    ignore: Option<Gitignore>,
    gitignore: Option<Gitignore>,
    exclude: Option<Gitignore>,
    /// Git's rules above a repository do not apply in it.
    repository: bool,
}

impl IgnoreRules {
    pub(crate) fn new(files: IgnoreFiles, dots: DotFiles) -> Self {
        Self { files, dots, level: None }
    }

    /// The rules below a folder. The paths of its entries have `prefix` bytes before their names.
    pub(crate) fn enter(&self, folder: BorrowedFd<'_>, prefix: usize, has: RuleFiles) -> Self {
        if self.files == IgnoreFiles::Disregard || !has.any() {
            return self.clone();
        }
        let repository = has.repository && look(folder, OsStr::new(".git")).is_ok();
        let level = Level {
            above: self.level.clone(),
            prefix,
            ignore: has.ignore.then(|| rules_in(folder, ".ignore")).flatten(),
            gitignore: has.gitignore.then(|| rules_in(folder, ".gitignore")).flatten(),
            exclude: repository.then(|| exclude_in(folder)).flatten(),
            repository,
        };
        Self { level: Some(Arc::new(level)), ..self.clone() }
    }

    /// Whether an entry is left out. `path` is relative to the granted folder and ends with `name`.
    pub(crate) fn skips(&self, path: &[u8], name: &OsStr, kind: EntryKind) -> bool {
        match self.judge(path, kind == EntryKind::Folder) {
            Match::Ignore(()) => true,
            Match::Whitelist(()) => false,
            Match::None => self.dots == DotFiles::Skip && name.as_bytes().first() == Some(&b'.'),
        }
    }

    /// The deepest level that names the path decides; `.ignore` takes precedence over git's files.
    fn judge(&self, path: &[u8], folder: bool) -> Match<()> {
        let (mut ignore, mut gitignore, mut exclude) = (Match::None, Match::None, Match::None);
        let mut in_repository = true;
        let mut level = self.level.as_deref();
        while let Some(here) = level {
            let below = Path::new(OsStr::from_bytes(path.get(here.prefix..).unwrap_or_default()));
            let ask = |rules: &Option<Gitignore>| match rules {
                Some(rules) => rules.matched(below, folder).map(|_| ()),
                None => Match::None,
            };
            if ignore.is_none() {
                ignore = ask(&here.ignore);
            }
            if in_repository && gitignore.is_none() {
                gitignore = ask(&here.gitignore);
            }
            if in_repository && exclude.is_none() {
                exclude = ask(&here.exclude);
            }
            in_repository &= !here.repository;
            level = here.above.as_deref();
        }
        ignore.or(gitignore).or(exclude)
    }
}

fn exclude_in(folder: BorrowedFd<'_>) -> Option<Gitignore> {
    let enter = |at: BorrowedFd<'_>, name: &str| -> Option<OwnedFd> {
        open_folder(at, OsStr::new(name)).ok()
    };
    let git = enter(folder, ".git")?;
    let info = enter(git.as_fd(), "info")?;
    rules_in(info.as_fd(), "exclude")
}

/// The rules of a file; none if it cannot be read. A line that is not a pattern is skipped.
fn rules_in(folder: BorrowedFd<'_>, name: &str) -> Option<Gitignore> {
    let file = open_bytes(folder, OsStr::new(name)).ok()?;
    must_be_file(kind_of(&fstat(&file).ok()?)).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut builder = GitignoreBuilder::new(".");
    for line in text.trim_start_matches('\u{feff}').lines() {
        // As in git, the other lines still apply.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}

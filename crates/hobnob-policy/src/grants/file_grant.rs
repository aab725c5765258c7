//! Grants of folders, and the decision about one operation on files.
//!
//! It only compares text and names: whether the folder is still the one that was granted, and where
//! links lead, only the effect can find out.

use std::sync::Arc;

use crate::grants::access::{MachineService, ServiceAccess};
use crate::grants::action::FileAction;
use crate::grants::denied::{NotGranted, NotGrantedReason, for_option, shell_word};
use crate::grants::file_operation::FileOperation;
use crate::grants::file_root::{FileRoot, GrantedPath, RootAccess};
use crate::grants::granted::GrantedAction;
use crate::grants::path_input::{PathInput, Unresolved};
use crate::grants::service_gate::{needs_enabling, refuse_remote};
use crate::grants::source::FileGrantSource;
use crate::grants::subject::{GrantHolder, GrantSubject};

/// A file operation that a caller asks for, as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileWish {
    /// An absolute path, a `file:` address, or the name of a granted folder and the path below it.
    pub path: String,
    /// What is to be done there.
    pub operation: FileOperation<String>,
}

/// A folder that the service `files` may work in.
#[derive(Debug, Clone)]
pub(super) struct FileGrant {
    root: Arc<FileRoot>,
    holder: GrantHolder,
    text: Arc<str>,
}

impl FileGrant {
    pub(super) fn parse(source: &FileGrantSource) -> Result<Self, String> {
        let root = FileRoot::parse(&source.folder)?;
        let holder = GrantHolder::parse(source.principal.as_deref())?;
        let (path, access) = (root.path().display(), root.access().as_str());
        let text = format!("files {path} {access}{}", holder.suffix());
        Ok(Self { root: Arc::new(root), holder, text: text.into() })
    }

    pub(super) fn root(&self) -> &Arc<FileRoot> {
        &self.root
    }

    pub(super) fn text(&self) -> &Arc<str> {
        &self.text
    }
}

/// The folders that are granted to one caller.
pub(super) fn roots_of<'a>(
    grants: &'a [FileGrant],
    who: GrantSubject<'_>,
) -> Vec<&'a Arc<FileRoot>> {
    grants.iter().filter(|it| it.holder.includes(who)).map(|it| &it.root).collect()
}

/// Decides about one operation.
pub(super) fn decide(
    grants: &[FileGrant],
    access: ServiceAccess,
    who: GrantSubject<'_>,
    wish: FileWish,
) -> Result<GrantedAction<FileAction>, NotGranted> {
    refuse_remote(who, &wish.path)?;
    let roots = roots_of(grants, who);
    let needed = wish.operation.needed_access();
    let find = Find { roots, needed, access, who, about_folder: wish.operation.is_about_folder() };
    let path = find.one(&wish.path)?;
    let operation = wish.operation.try_map(|to| find.one(&to))?;
    let whole = needed == RootAccess::Write && path.below().is_root();
    let onto = matches!(&operation, FileOperation::Move { to, .. } if to.below().is_root());
    if whole || onto {
        return Err(NotGranted::new(&wish.path, NotGrantedReason::GrantedItself));
    }
    let grant = grants.iter().find(|it| Arc::ptr_eq(&it.root, path.root()));
    let Some(grant) = grant else {
        return Err(NotGranted::new(&wish.path, NotGrantedReason::NotCovered));
    };
    Ok(GrantedAction::new(FileAction { path, operation }, &grant.text))
}

/// Resolves the places of one operation; all of them need the same access.
struct Find<'a> {
    roots: Vec<&'a Arc<FileRoot>>,
    needed: RootAccess,
    access: ServiceAccess,
    who: GrantSubject<'a>,
    about_folder: bool,
}

impl Find<'_> {
    fn one(&self, text: &str) -> Result<GrantedPath, NotGranted> {
        let input =
            PathInput::parse(text).map_err(|problem| NotGranted::bad_input(text, problem))?;
        let found = input.resolve(&self.roots, self.needed);
        let enable = needs_enabling(MachineService::Files, self.access, self.needed);
        let reason = match (&found, &enable) {
            (_, Some((reason, _))) => reason.clone(),
            (Ok(path), None) => return Ok(path.clone()),
            (Err(Unresolved::Outside), None) => NotGrantedReason::NotCovered,
            (Err(Unresolved::ReadingOnly), None) => NotGrantedReason::ReadingOnly,
            (Err(Unresolved::Ambiguous), None) => NotGrantedReason::Ambiguous,
        };
        let mut denied = NotGranted::new(text, reason);
        if let Some((_, line)) = enable {
            denied = denied.with_command(line);
        }
        match found {
            Ok(_) | Err(Unresolved::Ambiguous) => Err(denied),
            Err(Unresolved::Outside | Unresolved::ReadingOnly) => {
                Err(denied.with_command(self.line_for(&input)))
            }
        }
    }

    /// The command that grants the folder of the typed path. For `FOLDER/rest`, only the person
    /// knows the whole path.
    fn line_for(&self, input: &PathInput) -> String {
        let folder = match input {
            PathInput::InFolder { .. } => None,
            PathInput::Absolute(path) if self.about_folder => Some(path.clone()),
            PathInput::Absolute(path) => path.parent(),
        };
        let word =
            folder.and_then(|folder| folder.to_absolute()).and_then(|text| shell_word(&text));
        let option = match self.needed {
            RootAccess::Read => "",
            RootAccess::Write => " --write",
        };
        let word = word.unwrap_or_else(|| "FOLDER".into());
        format!("hobnob grant files {word}{option}{}", for_option(self.who))
    }
}

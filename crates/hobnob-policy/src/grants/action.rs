//! What a permit for the machine carries: the exact action, found and checked.
//!
//! Only this folder makes actions, and nobody changes one: the fields are private and there are
//! readers only. An effect takes a permit and reads from it what it does.
//!
//! ```compile_fail,E0451
//! use hobnob_policy::{FileAction, FileOperation, GrantedPath, Permit};
//! fn elsewhere(permit: Permit<FileAction>, path: GrantedPath) -> FileAction {
//!     // error[E0451]: the fields of an action are private
//!     FileAction { path, operation: FileOperation::Stat }
//! }
//! ```

use crate::grants::file_operation::FileOperation;
use crate::grants::file_root::GrantedPath;

/// An operation on a place beneath a granted folder.
#[derive(Debug)]
pub struct FileAction {
    pub(super) path: GrantedPath,
    pub(super) operation: FileOperation<GrantedPath>,
}

impl FileAction {
    /// The place it is done at.
    #[must_use]
    pub fn path(&self) -> &GrantedPath {
        &self.path
    }

    /// What is done there.
    #[must_use]
    pub fn operation(&self) -> &FileOperation<GrantedPath> {
        &self.operation
    }
}

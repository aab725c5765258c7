//! Turns the machine's refusals into tool errors that repeat the paths as the caller typed them.

use crate::presentation::{Failure, Presentation};
use hobnob_machine::files::{FileError, FileRefusal, SearchError};
use hobnob_mcp_toolbox::ToolError;
use hobnob_policy::FileOperation;

/// How many characters of a path a message repeats.
const MAX_SHOWN: usize = 300;

/// The paths of one call, as the caller typed them.
pub(super) struct TypedPaths {
    path: String,
    /// The target of a move; `None` for other operations.
    to: Option<String>,
}

impl TypedPaths {
    pub(super) fn of(path: &str, operation: &FileOperation<String>) -> Self {
        let to = match operation {
            FileOperation::Move { to, .. } => Some(shown(to)),
            _ => None,
        };
        Self { path: shown(path), to }
    }

    /// The error for the caller, with the kind of failure.
    pub(super) fn refused(&self, presentation: &Presentation, error: &SearchError) -> ToolError {
        match error {
            SearchError::File(error) => {
                presentation.fail(failure(error.refusal()), self.message(error))
            }
            SearchError::Pattern(error) => presentation.fail(Failure::Invalid, error.to_string()),
            SearchError::Cursor(error) => presentation.fail(Failure::Invalid, error.to_string()),
        }
    }

    fn message(&self, error: &FileError) -> String {
        // The refusal of a whole granted folder names the path that the person granted.
        if matches!(error.refusal(), FileRefusal::RootReplaced) {
            return error.to_string();
        }
        let about_target = self.to.as_ref().filter(|to| to.ends_with(error.path()));
        let path = match about_target {
            Some(to) if !self.path.ends_with(error.path()) => to,
            _ => &self.path,
        };
        format!("`{path}` {}", error.refusal())
    }
}

fn shown(path: &str) -> String {
    path.chars().filter(|letter| !letter.is_control()).take(MAX_SHOWN).collect()
}

fn failure(refusal: &FileRefusal) -> Failure {
    match refusal {
        FileRefusal::Missing => Failure::NotFound,
        FileRefusal::System(_) => Failure::Storage,
        FileRefusal::Exists
        | FileRefusal::Outside
        | FileRefusal::TooManyLinks
        | FileRefusal::TooDeep
        | FileRefusal::NotFolder
        | FileRefusal::NotFile
        | FileRefusal::Special
        | FileRefusal::HardLinked
        | FileRefusal::KernelFileSystem
        | FileRefusal::OtherFileSystem
        | FileRefusal::RootReplaced
        | FileRefusal::IsRoot
        | FileRefusal::ContainsHidden
        | FileRefusal::TooLarge { .. }
        | FileRefusal::NotText
        | FileRefusal::Changed
        | FileRefusal::NoMatch(_)
        | FileRefusal::ManyMatches { .. }
        | FileRefusal::EmptyEdit(_)
        | FileRefusal::Cancelled => Failure::Invalid,
    }
}

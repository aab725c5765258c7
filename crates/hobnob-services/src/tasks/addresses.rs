//! The URIs of tasks, spelled the same where they are listed, read and announced.
//!
//! Names in them are percent-encoded, since names of projects' lists contain slashes.

use super::service::TaskService;
use crate::presentation::Presentation;
use hobnob_mcp_toolbox::encode_uri_component;

/// The URI of the ready tasks of the project's list.
pub(super) fn ready_uri(presentation: &Presentation) -> String {
    format!("{}://ready", presentation.uri_scheme(TaskService::NAME))
}

/// The URI of one list, as [`list_template`] expands to it.
pub(super) fn list_uri(presentation: &Presentation, list: &str) -> String {
    format!("{}://list/{}", presentation.uri_scheme(TaskService::NAME), encode_uri_component(list))
}

pub(super) fn list_template(presentation: &Presentation) -> String {
    format!("{}://list/{{list}}", presentation.uri_scheme(TaskService::NAME))
}

/// The URI of one task, as [`task_template`] expands to it.
pub(super) fn task_uri(presentation: &Presentation, id: &str) -> String {
    format!("{}://task/{}", presentation.uri_scheme(TaskService::NAME), encode_uri_component(id))
}

pub(super) fn task_template(presentation: &Presentation) -> String {
    format!("{}://task/{{id}}", presentation.uri_scheme(TaskService::NAME))
}

//! The URIs of trees and nodes, spelled the same where they are listed, read and announced.
//!
//! Names in them are percent-encoded, since a tree's name may contain any character.

use super::service::ArborService;
use crate::presentation::Presentation;
use hobnob_mcp_toolbox::encode_uri_component;

/// The URI of one tree, by its id or name, as [`tree_template`] expands to it.
pub(super) fn tree_uri(presentation: &Presentation, tree: &str) -> String {
    let scheme = presentation.uri_scheme(ArborService::NAME);
    format!("{scheme}://tree/{}", encode_uri_component(tree))
}

pub(super) fn tree_template(presentation: &Presentation) -> String {
    format!("{}://tree/{{tree}}", presentation.uri_scheme(ArborService::NAME))
}

/// The URI of one node, by its id or `root`, as [`node_template`] expands to it.
pub(super) fn node_uri(presentation: &Presentation, tree: &str, node: &str) -> String {
    format!("{}/node/{}", tree_uri(presentation, tree), encode_uri_component(node))
}

pub(super) fn node_template(presentation: &Presentation) -> String {
    format!("{}/node/{{node}}", tree_template(presentation))
}

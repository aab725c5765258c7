//! The conversation of a session, from the root of its tree to a node.

use super::service::PresentedChats;
use hobnob_agent::{PathError, load_path};
use hobnob_mcp_toolbox::ToolError;
use hobnob_store::model_sessions::ModelSession;
use hobnob_store::trees::{NodeId, NodeRef, TreeAccess, TreeNode, TreeRef};

impl PresentedChats {
    /// The nodes from the root of a session's tree to `to`, as far as a model needs them.
    pub(super) async fn path(
        &self,
        access: &TreeAccess,
        session: &ModelSession,
        to: &NodeId,
    ) -> Result<Vec<TreeNode>, ToolError> {
        let (tree, to) = (TreeRef::Id(session.tree.clone()), NodeRef::Id(to.clone()));
        load_path(self.trees(), access, tree, to).await.map_err(|error| match error {
            PathError::TooLong => {
                self.invalid(format!("{error}: go back with set_head, or create another session"))
            }
            PathError::Tree(error) => self.tree_refused(error),
        })
    }
}

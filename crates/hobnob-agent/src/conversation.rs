//! A conversation and where it is stored: in a session with a head, or in a branch of its tree.
//!
//! An [`Agent`](crate::Agent) has one. What must stay true: every step is on the disk before the
//! next one begins; a question does not move the head, so a turn without an answer is not in the
//! history; nodes that the model no longer sees stay in the tree.

use crate::conversation_path::{PathError, drop_summed_up, has_role, load_path};
use crate::history::{ChatHistory, PastCalls, for_model};
use hobnob_store::memory::PageRequest;
use hobnob_store::model_sessions::{
    AnswerPlace, ModelSession, ModelSessionError, ModelSessionName, NewModelSession,
};
use hobnob_store::trees::{
    NewNode, NodeContent, NodeId, NodeRef, TreeAccess, TreeError, TreeId, TreeNode, TreeRef,
};
use hobnob_store::{Owner, Store, Time};
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// Why a conversation cannot be read or continued.
#[derive(Debug, thiserror::Error)]
pub enum ConversationError {
    /// The session refuses the operation.
    #[error(transparent)]
    Session(#[from] ModelSessionError),
    /// The tree refuses the operation.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The path to the head cannot be read.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A bug: the store added a node and returned none, or a branch, which has no head, was moved.
    #[error("the store added no node")]
    NoNode,
}

/// Where a branch can begin. Clones are cheap.
#[derive(Clone)]
pub struct BranchPoint {
    store: Arc<dyn Store>,
    owner: Owner,
    tree: TreeId,
    node: NodeId,
}

/// What was said, and the node after which the next turn is stored.
pub struct Conversation {
    store: Arc<dyn Store>,
    owner: Owner,
    tree: TreeId,
    /// The session whose head moves with the conversation; none for a branch.
    session: Option<ModelSession>,
    /// What the model sees: system texts, and everything from the last summary on.
    path: Vec<TreeNode>,
    /// The parent of the next node.
    last: NodeId,
}

impl Conversation {
    /// Stores a new session, and opens it.
    pub async fn begin(
        store: Arc<dyn Store>,
        owner: Owner,
        new: NewModelSession,
    ) -> Result<Self, ConversationError> {
        let session = store.create_model_session(access(&owner), new).await?;
        Self::at_head(store, owner, session).await
    }

    /// Opens a session at its head.
    pub async fn open(
        store: Arc<dyn Store>,
        owner: Owner,
        name: ModelSessionName,
    ) -> Result<Self, ConversationError> {
        let session = store.model_session(access(&owner), name).await?;
        Self::at_head(store, owner, session).await
    }

    /// Opens a session that was read before, at the head that it had.
    pub async fn at_head(
        store: Arc<dyn Store>,
        owner: Owner,
        session: ModelSession,
    ) -> Result<Self, ConversationError> {
        let (tree, head) = (session.tree.clone(), session.head.clone());
        let (of, to) = (TreeRef::Id(tree.clone()), NodeRef::Id(head.clone()));
        let path = load_path(&*store, &access(&owner), of, to).await?;
        Ok(Self { store, owner, tree, session: Some(session), path, last: head })
    }

    /// Begins a branch: a conversation of its own, in which the model sees nothing of the parent's.
    pub async fn branch(
        from: &BranchPoint,
        system: String,
        metadata: String,
    ) -> Result<Self, ConversationError> {
        let BranchPoint { store, owner, tree, node } = from.clone();
        let content = NodeContent::Text { role: "system".into(), text: system };
        let first = NewNode { content, metadata: Some(metadata) };
        let (of, below) = (TreeRef::Id(tree.clone()), NodeRef::Id(node));
        let made = store.append_nodes(access(&owner), of, below, vec![first]).await?;
        let first = made.into_iter().next().ok_or(ConversationError::NoNode)?;
        let last = first.shape.id.clone();
        Ok(Self { store, owner, tree, session: None, path: vec![first], last })
    }

    /// The session; `None` for a branch.
    pub fn session(&self) -> Option<&ModelSession> {
        self.session.as_ref()
    }

    /// The tree that holds what was said.
    pub fn tree(&self) -> &TreeId {
        &self.tree
    }

    /// The last node, which the next one follows.
    pub fn last(&self) -> &NodeId {
        &self.last
    }

    /// The nodes that the model sees, oldest first.
    pub fn path(&self) -> &[TreeNode] {
        &self.path
    }

    /// The conversation as the model sees it.
    pub fn history(&self, past: PastCalls) -> ChatHistory {
        for_model(&self.path, past)
    }

    /// All nodes from the root to the last one, including those that a summary replaces.
    pub async fn whole_path(&self) -> Result<Vec<TreeNode>, ConversationError> {
        let (mut nodes, mut after) = (Vec::new(), None);
        loop {
            let (of, to) = (TreeRef::Id(self.tree.clone()), NodeRef::Id(self.last.clone()));
            let page = PageRequest { after, limit: 500 };
            let page = self.store.path(access(&self.owner), of, to, page).await?;
            nodes.extend(page.items);
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(nodes),
            }
        }
    }

    /// The place where a branch of this conversation can begin.
    pub fn branch_point(&self) -> BranchPoint {
        BranchPoint {
            store: Arc::clone(&self.store),
            owner: self.owner.clone(),
            tree: self.tree.clone(),
            node: self.last.clone(),
        }
    }

    /// Appends a question. The session's head stays until the question is answered.
    pub async fn ask(&mut self, text: String) -> Result<NodeId, ConversationError> {
        let content = NodeContent::Text { role: "user".into(), text };
        self.append(NewNode { content, metadata: None }).await
    }

    /// Whether the model sees an answer of its own, other than in a summary.
    pub fn has_answers(&self) -> bool {
        self.path.iter().any(|node| has_role(node, "assistant"))
    }

    /// Takes back a question that was not answered. It stays in the tree as a branch that ends.
    pub fn drop_question(&mut self) {
        let open = self.path.last().filter(|node| node.shape.id == self.last);
        let Some(parent) = open.and_then(|node| node.shape.parent.clone()) else { return };
        self.path.pop();
        self.last = parent;
    }

    /// Appends an answer, a result or a summary, and moves the head to it. Returns the head, which is
    /// another node if another caller has moved it meanwhile.
    pub async fn add(&mut self, node: NewNode) -> Result<NodeId, ConversationError> {
        let Some(session) = &mut self.session else { return self.append(node).await };
        let place = AnswerPlace {
            session: session.name.clone(),
            tree: session.tree.clone(),
            head: session.head.clone(),
            below: self.last.clone(),
        };
        let stored = self.store.add_answer(access(&self.owner), place, node).await?;
        session.head = stored.node.shape.id.clone();
        self.push(stored.node);
        Ok(stored.head)
    }

    /// Continues at another node of the tree. The nodes after it stay in the tree.
    pub async fn move_to(&mut self, node: NodeId) -> Result<(), ConversationError> {
        let Some(session) = &self.session else { return Err(ConversationError::NoNode) };
        let (name, to) = (session.name.clone(), NodeRef::Id(node));
        let moved = self.store.move_session_head(access(&self.owner), name, to).await?;
        *self = Self::at_head(Arc::clone(&self.store), self.owner.clone(), moved).await?;
        Ok(())
    }

    async fn append(&mut self, node: NewNode) -> Result<NodeId, ConversationError> {
        let (of, below) = (TreeRef::Id(self.tree.clone()), NodeRef::Id(self.last.clone()));
        let made = self.store.append_nodes(access(&self.owner), of, below, vec![node]).await?;
        Ok(self.push(made.into_iter().next().ok_or(ConversationError::NoNode)?))
    }

    fn push(&mut self, node: TreeNode) -> NodeId {
        self.last = node.shape.id.clone();
        self.path.push(node);
        drop_summed_up(&mut self.path);
        self.last.clone()
    }
}

fn access(owner: &Owner) -> TreeAccess {
    TreeAccess { owner: owner.clone(), now: Time::now() }
}

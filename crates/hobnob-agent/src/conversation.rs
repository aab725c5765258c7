//! A conversation and where it is stored: a session with a head, or a branch of another's tree.
//!
//! An [`Agent`](crate::Agent) has one. What must stay true: every step is on the disk before the next
//! one begins; a question moves no head, so a turn that comes to nothing is not in the history; what
//! the model no longer sees is in the tree still.

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

/// Why a conversation cannot be read or go on.
#[derive(Debug, thiserror::Error)]
pub enum ConversationError {
    /// The session refuses it.
    #[error(transparent)]
    Session(#[from] ModelSessionError),
    /// The tree refuses it.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The path to its head was not read.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The store took a node and gave none back, which only a defect of ours can cause.
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

/// What was said, and where the next thing that is said belongs.
pub struct Conversation {
    store: Arc<dyn Store>,
    owner: Owner,
    tree: TreeId,
    /// The session whose head moves with the conversation; none for a branch.
    session: Option<ModelSession>,
    /// What the model sees: system texts, and everything from the last summary on.
    path: Vec<TreeNode>,
    /// The node that the next one follows.
    last: NodeId,
}

impl Conversation {
    /// Stores a new session.
    pub async fn begin(
        store: Arc<dyn Store>,
        owner: Owner,
        new: NewModelSession,
    ) -> Result<Self, ConversationError> {
        let session = store.create_model_session(access(&owner), new).await?;
        Self::of(store, owner, session).await
    }

    /// Takes up a session at its head.
    pub async fn open(
        store: Arc<dyn Store>,
        owner: Owner,
        name: ModelSessionName,
    ) -> Result<Self, ConversationError> {
        let session = store.model_session(access(&owner), name).await?;
        Self::of(store, owner, session).await
    }

    async fn of(
        store: Arc<dyn Store>,
        owner: Owner,
        session: ModelSession,
    ) -> Result<Self, ConversationError> {
        let (tree, head) = (session.tree.clone(), session.head.clone());
        let (of, to) = (TreeRef::Id(tree.clone()), NodeRef::Id(head.clone()));
        let path = load_path(&*store, &access(&owner), of, to).await?;
        Ok(Self { store, owner, tree, session: Some(session), path, last: head })
    }

    /// Begins a branch: a conversation of its own, whose model sees nothing of what was said before.
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

    /// The session, unless it is a branch.
    pub fn session(&self) -> Option<&ModelSession> {
        self.session.as_ref()
    }

    /// The tree that holds what was said.
    pub fn tree(&self) -> &TreeId {
        &self.tree
    }

    /// The nodes that the model sees, oldest first.
    pub fn path(&self) -> &[TreeNode] {
        &self.path
    }

    /// What the model sees.
    pub fn history(&self, past: PastCalls) -> ChatHistory {
        for_model(&self.path, past)
    }

    /// Everything from the root to here, also what a summary stands for.
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

    /// Where a branch from here begins.
    pub fn branch_point(&self) -> BranchPoint {
        BranchPoint {
            store: Arc::clone(&self.store),
            owner: self.owner.clone(),
            tree: self.tree.clone(),
            node: self.last.clone(),
        }
    }

    /// Puts a question behind the last node. The session's head stays until it is answered.
    pub async fn ask(&mut self, text: String) -> Result<NodeId, ConversationError> {
        let content = NodeContent::Text { role: "user".into(), text };
        self.append(NewNode { content, metadata: None }).await
    }

    /// Whether the model has said something of what it sees, other than in a summary.
    pub fn has_answers(&self) -> bool {
        self.path.iter().any(|node| has_role(node, "assistant"))
    }

    /// Takes a question back that was not answered. It stays in the tree, as a branch that ends.
    pub fn drop_question(&mut self) {
        let open = self.path.last().filter(|node| node.shape.id == self.last);
        let Some(parent) = open.and_then(|node| node.shape.parent.clone()) else { return };
        self.path.pop();
        self.last = parent;
    }

    /// Puts an answer, a result or a summary behind the last node; the head moves to it.
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
        Ok(self.push(stored.node))
    }

    /// Goes on at another node of the tree. What came behind it stays there.
    pub async fn move_to(&mut self, node: NodeId) -> Result<(), ConversationError> {
        let Some(session) = &self.session else { return Err(ConversationError::NoNode) };
        let (name, to) = (session.name.clone(), NodeRef::Id(node));
        let moved = self.store.move_session_head(access(&self.owner), name, to).await?;
        *self = Self::of(Arc::clone(&self.store), self.owner.clone(), moved).await?;
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

//! The records of a tree and its nodes, and the results of walking through one.
//!
//! Services make these from what callers send. A stored node never changes.

use super::names::{Claimant, NodeId, TreeId, TreeName};
use crate::owner::Owner;
use crate::time::Time;

/// The owner of a query and the time at which it evaluates the states of trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeAccess {
    /// The owner whose trees are visible.
    pub owner: Owner,
    /// The time that decides what is scheduled, archived or gone.
    pub now: Time,
}

/// The state of a tree in its life cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeState {
    /// Nodes can be added.
    Active,
    /// The tree has no claim; it can be read, and a claim makes it active again.
    Scheduled {
        /// When it will be archived.
        archived_at: Time,
    },
    /// Like `Scheduled`, but for longer; the next step is removal.
    Archived {
        /// When it will be gone.
        gone_at: Time,
    },
}

impl TreeState {
    /// The state without its times.
    pub fn kind(self) -> TreeStateKind {
        match self {
            Self::Active => TreeStateKind::Active,
            Self::Scheduled { .. } => TreeStateKind::Scheduled,
            Self::Archived { .. } => TreeStateKind::Archived,
        }
    }
}

/// The states without their times, as filters of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TreeStateKind {
    /// Has a claim, or was made active without one.
    Active,
    /// Without a claim for less than seven days.
    Scheduled,
    /// Without a claim for seven days or longer.
    Archived,
}

impl TreeStateKind {
    /// The word in tools and lists.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Scheduled => "scheduled",
            Self::Archived => "archived",
        }
    }
}

/// The current record of a tree, without its nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTree {
    /// Unique among all trees.
    pub id: TreeId,
    /// Unique among the owner's trees, if it has a name.
    pub name: Option<TreeName>,
    /// The user's notes about it: the text of a JSON object.
    pub metadata: Option<String>,
    /// The state at the time of the access.
    pub state: TreeState,
    /// The node without a parent.
    pub root: NodeId,
    /// The number of nodes, including the root.
    pub nodes: u64,
    /// The claims on it, by claimant.
    pub claims: Vec<TreeClaim>,
    /// When it was created.
    pub created: Time,
    /// When it, or one of its nodes, last changed.
    pub updated: Time,
}

/// How many claims one claimant has on a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeClaim {
    /// The claimant who keeps the tree from being deleted.
    pub claimant: Claimant,
    /// The number of claims; never 0.
    pub count: u64,
}

/// A tree to be created, with one claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTree {
    /// A name that no other tree of the owner has.
    pub name: Option<TreeName>,
    /// The user's notes: the text of a JSON object.
    pub metadata: Option<String>,
    /// The content of its root.
    pub root: NodeContent,
    /// The claimant of the first claim.
    pub claimant: Claimant,
}

/// The content of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeContent {
    /// A message of the conversation.
    Text {
        /// The speaker: `user`, `assistant`, `system`, `tool`, or another word.
        role: String,
        /// The message, which may be empty.
        text: String,
    },
    /// A reference to something that another system stores.
    External(ExternalHandle),
}

impl NodeContent {
    /// The kind of this content.
    pub fn kind(&self) -> NodeKind {
        match self {
            Self::Text { .. } => NodeKind::Text,
            Self::External(_) => NodeKind::External,
        }
    }
}

/// The kind of a node's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKind {
    /// A text with a role.
    Text,
    /// A reference to an external object.
    External,
}

impl NodeKind {
    /// The word in tools and skeletons.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::External => "external",
        }
    }

    /// Reads the word that `as_str` writes.
    pub fn parse(raw: &str) -> Option<Self> {
        [Self::Text, Self::External].into_iter().find(|kind| kind.as_str() == raw)
    }
}

/// A reference to an object that another system stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalHandle {
    /// The system that stores it: a URI scheme or the name of a service.
    pub source: String,
    /// Its identifier in that system.
    pub identifier: String,
    /// Further data needed to find it: the text of a JSON object.
    pub metadata: Option<String>,
}

/// A node to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNode {
    /// The content, which never changes later.
    pub content: NodeContent,
    /// Metadata: the text of a JSON object.
    pub metadata: Option<String>,
}

/// A node with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeNode {
    /// Its position in its tree.
    pub shape: NodeShape,
    /// When it was added.
    pub created: Time,
    /// A message, or a reference to an external object.
    pub content: NodeContent,
    /// Metadata: the text of a JSON object.
    pub metadata: Option<String>,
}

/// A node without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeShape {
    /// Unique among all nodes.
    pub id: NodeId,
    /// The parent; `None` for the root.
    pub parent: Option<NodeId>,
    /// The number of ancestors: 0 for the root.
    pub depth: u64,
    /// The number of direct children.
    pub children: u64,
    /// The kind of its content.
    pub kind: NodeKind,
}

/// One part of a tree in drawing order (depth first): each node before its children, and children
/// in insertion order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeOutline {
    /// The nodes of this part.
    pub lines: Vec<OutlineLine>,
    /// The cursor of the next part, if there is one.
    pub next: Option<String>,
}

/// Maximum number of branches shown for a line.
pub const SHOWN_BRANCHES: usize = 20;

/// The branches around a line: its ancestors that have siblings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineBranches {
    /// How many outer branches are not shown.
    pub hidden: u64,
    /// The positions of the innermost branches among their siblings, outermost first.
    pub shown: Vec<NodePosition>,
}

/// A line of an outline: a node with the beginning of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineLine {
    /// The node, its text truncated.
    pub node: TreeNode,
    /// Its position among its siblings.
    pub position: NodePosition,
    /// The branches around it, excluding itself.
    pub branches: LineBranches,
}

/// The position of a node among its siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodePosition {
    /// No siblings: the root or an only child.
    Only,
    /// At least one sibling follows it.
    Before,
    /// The last of several siblings.
    Last,
}

/// The result of a search for nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundNodes {
    /// The matching nodes, newest first.
    pub nodes: Vec<FoundNode>,
    /// Whether these are all matches: false if more exist, or too many nodes to examine.
    pub complete: bool,
}

/// A node that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundNode {
    /// The tree it is in.
    pub tree: TreeId,
    /// The name of the tree.
    pub name: Option<TreeName>,
    /// The node with its whole text.
    pub node: TreeNode,
}

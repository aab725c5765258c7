//! A tree, its nodes, and what walks through it give back.
//!
//! Services make these from what callers send. A node never changes once it is there.

use super::names::{Claimant, NodeId, TreeId, TreeName};
use crate::owner::Owner;
use crate::time::Time;

/// Whose trees are asked about, and when: what a tree's time has brought it to by then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeAccess {
    /// Whose trees are seen and changed.
    pub owner: Owner,
    /// The time that decides what is scheduled, archived or gone.
    pub now: Time,
}

/// Where a tree is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeState {
    /// Nodes can be added.
    Active,
    /// Nobody claims it; it can be read, and a claim brings it back.
    Scheduled {
        /// When it will be archived.
        archived_at: Time,
    },
    /// The same, and soon it is gone.
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

/// The states by themselves, as lists ask for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TreeStateKind {
    /// Somebody claims it, or it was made active without a claim.
    Active,
    /// Claimed by nobody, for less than seven days.
    Scheduled,
    /// Claimed by nobody for longer.
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

/// A tree as it is now, without its nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTree {
    /// Unique among all trees.
    pub id: TreeId,
    /// Unique among the owner's trees, if it has one.
    pub name: Option<TreeName>,
    /// What its users noted about it: the text of a JSON object.
    pub metadata: Option<String>,
    /// Where it is in its life.
    pub state: TreeState,
    /// The node without a parent.
    pub root: NodeId,
    /// How many nodes it has, the root among them.
    pub nodes: u64,
    /// Who claims it, by name.
    pub claims: Vec<TreeClaim>,
    /// When it was made.
    pub created: Time,
    /// When it, or what is in it, last changed.
    pub updated: Time,
}

/// How often somebody claims a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeClaim {
    /// Who keeps the tree from being deleted.
    pub claimant: Claimant,
    /// How often; never 0.
    pub count: u64,
}

/// A tree to be. It begins with one claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTree {
    /// A name that none of the owner's trees has.
    pub name: Option<TreeName>,
    /// The text of a JSON object.
    pub metadata: Option<String>,
    /// What its root says.
    pub root: NodeContent,
    /// Who claims it first.
    pub claimant: Claimant,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeContent {
    /// Something that was said.
    Text {
        /// By whom: `user`, `assistant`, `system`, `tool`, or another word.
        role: String,
        /// What was said, which may be nothing.
        text: String,
    },
    /// Something that is kept elsewhere.
    External(ExternalHandle),
}

impl NodeContent {
    /// Which of the two it is.
    pub fn kind(&self) -> NodeKind {
        match self {
            Self::Text { .. } => NodeKind::Text,
            Self::External(_) => NodeKind::External,
        }
    }
}

/// What a node holds, without what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKind {
    /// A text with a role.
    Text,
    /// A handle of something elsewhere.
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

/// Where to find something that is kept elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalHandle {
    /// Who keeps it: a scheme, or the name of a service.
    pub source: String,
    /// What it is called there.
    pub identifier: String,
    /// What else is needed to find it: the text of a JSON object.
    pub metadata: Option<String>,
}

/// A node to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNode {
    /// What the node will hold for good.
    pub content: NodeContent,
    /// The text of a JSON object.
    pub metadata: Option<String>,
}

/// A node with what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeNode {
    /// Where it is in its tree.
    pub shape: NodeShape,
    /// When it was added.
    pub created: Time,
    /// A message, or a handle of something elsewhere.
    pub content: NodeContent,
    /// The text of a JSON object.
    pub metadata: Option<String>,
}

/// A node without what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeShape {
    /// Unique among all nodes.
    pub id: NodeId,
    /// The node it follows; the root follows none.
    pub parent: Option<NodeId>,
    /// How many nodes are above it: 0 for the root.
    pub depth: u64,
    /// How many nodes follow it directly.
    pub children: u64,
    /// Whether it is a text or a handle.
    pub kind: NodeKind,
}

/// A part of a tree in the order in which it is drawn: each node before its children, and children
/// in the order they came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeOutline {
    /// The nodes of this part.
    pub lines: Vec<OutlineLine>,
    /// What the next part comes after, if there is one.
    pub next: Option<String>,
}

/// The branches that a line comes with at most.
pub const SHOWN_BRANCHES: usize = 20;

/// The branches that a line is in: the nodes above it that have siblings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineBranches {
    /// How many there are further out than those that are shown.
    pub hidden: u64,
    /// Where the innermost are among their siblings, outermost first.
    pub shown: Vec<NodePosition>,
}

/// A node in an outline, with the beginning of what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineLine {
    /// The node, its text cut.
    pub node: TreeNode,
    /// Where it is among its siblings.
    pub position: NodePosition,
    /// The branches around it, without its own.
    pub branches: LineBranches,
}

/// Where a node is among its siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodePosition {
    /// It has none: the root, and whoever is the only child.
    Only,
    /// Others come behind it.
    Before,
    /// No sibling came after it.
    Last,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundNodes {
    /// Those that fit, the newest first.
    pub nodes: Vec<FoundNode>,
    /// Whether nothing else fits: false once there are more than asked for, or too many nodes to look at.
    pub complete: bool,
}

/// A node that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundNode {
    /// The tree it is in.
    pub tree: TreeId,
    /// What the tree's owner called it.
    pub name: Option<TreeName>,
    /// The node with its whole text.
    pub node: TreeNode,
}

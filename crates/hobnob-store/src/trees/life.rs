//! The rules of a tree's life, the same for every backend: how long nobody may claim it before it
//! is archived, and gone.
//!
//! Nothing moves a tree from state to state: what it is follows from when it was released.

use super::record::TreeState;
use crate::time::Time;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a tree that nobody claims is scheduled for deletion.
pub const SCHEDULED_FOR: Duration = DAY.saturating_mul(7);
/// How long it is archived after that.
pub const ARCHIVED_FOR: Duration = DAY.saturating_mul(30);

/// The state of a tree that was released then, or is claimed; nothing once it is gone.
pub fn state(released: Option<Time>, now: Time) -> Option<TreeState> {
    let Some(released) = released else { return Some(TreeState::Active) };
    let archived_at = released.plus(SCHEDULED_FOR);
    let gone_at = archived_at.plus(ARCHIVED_FOR);
    match now {
        now if now < archived_at => Some(TreeState::Scheduled { archived_at }),
        now if now < gone_at => Some(TreeState::Archived { gone_at }),
        _ => None,
    }
}

/// What was released at this time or earlier is archived by now.
pub fn archived_since(now: Time) -> Time {
    now.minus(SCHEDULED_FOR)
}

/// What was released at this time or earlier is gone by now.
pub fn gone_since(now: Time) -> Time {
    now.minus(SCHEDULED_FOR).minus(ARCHIVED_FOR)
}

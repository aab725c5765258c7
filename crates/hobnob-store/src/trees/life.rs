//! The life cycle of a tree, the same for every backend: how long an unclaimed tree stays before it
//! is archived, and then gone.
//!
//! No process moves a tree from state to state: its state follows from when it was released.

use super::record::TreeState;
use crate::time::Time;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How long an unclaimed tree is scheduled for deletion.
pub const SCHEDULED_FOR: Duration = DAY.saturating_mul(7);
/// How long it is archived after that.
pub const ARCHIVED_FOR: Duration = DAY.saturating_mul(30);

/// The state of a tree with this time of release (`None` if claimed); `None` once it is gone.
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

/// A tree released at this time or earlier is archived by `now`.
pub fn archived_since(now: Time) -> Time {
    now.minus(SCHEDULED_FOR)
}

/// A tree released at this time or earlier is gone by `now`.
pub fn gone_since(now: Time) -> Time {
    now.minus(SCHEDULED_FOR).minus(ARCHIVED_FOR)
}

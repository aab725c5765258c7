//! Systems without Landlock: commands cannot be confined here.

use super::spec::LandlockSupport;

/// Only Linux has Landlock.
pub fn landlock_support() -> LandlockSupport {
    LandlockSupport::Missing
}

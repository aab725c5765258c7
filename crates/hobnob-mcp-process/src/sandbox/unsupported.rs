//! Systems without Landlock: commands cannot be confined there.

use super::spec::LandlockSupport;

/// Only Linux has Landlock.
pub fn landlock_support() -> LandlockSupport {
    LandlockSupport::Missing
}

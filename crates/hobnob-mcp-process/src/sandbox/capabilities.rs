//! Gives up every capability of this process, for good. [`enter`](super::enter) calls it once the
//! new root is built.

use rustix::process::getuid;
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_capabilities_secure_bits,
};
use std::io;

/// No capability is left, and no program that this process becomes gets one back.
pub(super) fn drop_all() -> io::Result<()> {
    clear_ambient_capability_set()?;
    if getuid().is_root() {
        // User 0 gets all capabilities with each program it runs, unless these bits say otherwise.
        let no_root = CapabilitiesSecureBits::NO_ROOT | CapabilitiesSecureBits::NO_ROOT_LOCKED;
        set_capabilities_secure_bits(no_root)?;
        for capability in CapabilitySet::all().iter() {
            // Older kernels have fewer of them.
            let _unknown = remove_capability_from_bounding_set(capability);
        }
    }
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    Ok(set_capabilities(None, sets)?)
}

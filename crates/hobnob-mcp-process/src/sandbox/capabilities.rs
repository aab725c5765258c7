//! Drops every capability of this process for good. [`enter`](super::enter) calls it once the new
//! root is built.

use rustix::process::getuid;
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_capabilities_secure_bits,
};
use std::io;

/// Drops all capabilities; no program that this process becomes gets one back.
pub(super) fn drop_all() -> io::Result<()> {
    clear_ambient_capability_set()?;
    if getuid().is_root() {
        // Without these bits, user 0 gets all capabilities with each program it runs.
        let no_root = CapabilitiesSecureBits::NO_ROOT | CapabilitiesSecureBits::NO_ROOT_LOCKED;
        set_capabilities_secure_bits(no_root)?;
        for capability in CapabilitySet::all().iter() {
            // Older kernels know fewer capabilities.
            let _unknown = remove_capability_from_bounding_set(capability);
        }
    }
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    Ok(set_capabilities(None, sets)?)
}

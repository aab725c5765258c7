//! Which tools of built-in services are in the everyday list. `find_tools` finds the others.
//!
//! It is called for every snapshot, so the tools of trees and sessions are listed as soon as one
//! exists.

use hobnob_gateway::EverydayTools;
use hobnob_services::{BuiltInService, ListedOwner};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// All tools of services that the settings enable by name; of other services, those they choose.
pub(crate) fn everyday_tools(
    services: &[Arc<dyn BuiltInService>],
    switches: &BTreeMap<String, bool>,
    listed: ListedOwner,
) -> EverydayTools {
    let services = services.to_vec();
    let switched_on = switches.iter().filter(|(_, on)| **on).map(|(name, _)| name.clone());
    let switched_on: BTreeSet<String> = switched_on.collect();
    Arc::new(move |tool| {
        let own = |service: &Arc<dyn BuiltInService>| {
            let own = tool.strip_prefix(service.name())?.strip_prefix('_')?;
            Some(switched_on.contains(service.name()) || service.is_everyday(own, listed))
        };
        services.iter().find_map(own).unwrap_or(true)
    })
}

//! Finds profiles by name: the user's file first, then one that ships with Hobnob.
//!
//! `hobnob serve` and `hobnob doctor` call it.

use std::fs;
use std::path::Path;

use super::definition::Profile;
use super::name::{ProfileError, ProfileName};
use crate::disk::read_trusted_text;
use crate::places::Places;
use crate::settings::MAX_SETTINGS_BYTES;

/// The profiles that ship with the product, by name, as text.
pub const SHIPPED: &[(&str, &str)] = &[
    ("bossman", include_str!("../../profiles/bossman.toml")),
    ("subcog", include_str!("../../profiles/subcog.toml")),
    ("substrate", include_str!("../../profiles/substrate.toml")),
    ("sysmcp", include_str!("../../profiles/sysmcp.toml")),
];

/// Loads one profile: the user's file, or else a shipped one. `services` has those of every system,
/// so that a profile is the same everywhere; where a service is missing, it shows the others.
pub fn load_profile(
    places: &Places,
    name: &ProfileName,
    shipped: &[(&str, &str)],
    services: &[&str],
) -> Result<Profile, ProfileError> {
    let file = places.profiles().join(format!("{name}.toml"));
    if let Some(text) = read_trusted_text(&file, MAX_SETTINGS_BYTES)? {
        return Ok(Profile::parse(&file, &text, services)?);
    }
    match shipped.iter().find(|(shipped, _)| *shipped == name.as_str()) {
        // A shipped profile is in no file; messages name it as if it were.
        Some((_, text)) => Ok(Profile::parse(Path::new(&format!("{name}.toml")), text, services)?),
        None => Err(ProfileError::Unknown(name.clone(), file)),
    }
}

/// The names of all profiles, sorted; files with invalid names are left out.
pub fn list_profiles(places: &Places, shipped: &[(&str, &str)]) -> Vec<ProfileName> {
    let files = fs::read_dir(places.profiles()).into_iter().flatten().flatten();
    let own = files.filter_map(|file| {
        let name = file.file_name();
        ProfileName::parse(name.to_str()?.strip_suffix(".toml")?).ok()
    });
    let shipped = shipped.iter().filter_map(|(name, _)| ProfileName::parse(name).ok());
    let mut names: Vec<_> = own.chain(shipped).collect();
    names.sort();
    names.dedup();
    names
}

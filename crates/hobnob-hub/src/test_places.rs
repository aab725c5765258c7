//! The folders of a hub in a test, all inside one folder that the test owns.

use hobnob_config::Places;
use std::path::Path;

pub(crate) fn places(folder: &Path) -> Places {
    let inside = |name: &str| folder.join(name);
    Places {
        home: inside("home"),
        config_dir: inside("config"),
        data_dir: inside("data"),
        state_dir: inside("state"),
        runtime_dir: inside("run"),
        project: inside("project"),
    }
}

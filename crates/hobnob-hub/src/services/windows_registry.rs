//! Opens the service `registry`: with the registry of Windows, or with Wine's if the settings name
//! its folder. The registry of services calls it.
//!
//! The program is looked up once, and never inside the project, whose programs Hobnob does not run.

use super::context::ServiceContext;
use hobnob_machine::registry::Registry;
use hobnob_services::BuiltInService;
use hobnob_services::registry::RegistryService;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens the service for the registry of services; without the program, there is no registry.
pub(super) fn open(context: &ServiceContext<'_>) -> anyhow::Result<Arc<dyn BuiltInService>> {
    let registry = match context.settings.registry.wine_prefix.as_deref() {
        Some(prefix) => of_wine(prefix, &context.places.project),
        None => of_system(),
    };
    Ok(Arc::new(RegistryService::new(context.machine(), registry)))
}

fn of_wine(prefix: &Path, project: &Path) -> Option<Registry> {
    // Wine would create a missing folder, with hundreds of megabytes in it.
    if !prefix.join("system.reg").is_file() {
        tracing::warn!(
            prefix = %prefix.display(),
            "there is no registry: the folder in `[registry] wine_prefix` is no prefix of Wine"
        );
        return None;
    }
    let wine = find("wine", project);
    if wine.is_none() {
        tracing::warn!("there is no registry: the program `wine` is not in PATH");
    }
    wine.map(|wine| Registry::of_wine(wine, prefix.to_owned()))
}

fn find(program: &str, project: &Path) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let outside = |folder: &PathBuf| folder.is_absolute() && !folder.starts_with(project);
    let mut files = env::split_paths(&folders).filter(outside).map(|folder| folder.join(program));
    files.find(|file| file.is_file())
}

fn of_system() -> Option<Registry> {
    if !cfg!(windows) {
        return None;
    }
    let program = Path::new(&env::var_os("SystemRoot")?).join("System32").join("reg.exe");
    program.is_file().then(|| Registry::of_system(program))
}

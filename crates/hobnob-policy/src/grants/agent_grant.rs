//! Grants of agents' programs, and the decision about one run of such a program.
//!
//! An agent needs the network and its own files in the person's home, so no sandbox fits: a grant
//! lets it do anything the person can do, and its text says so. The folders say where it starts.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::grants::access::{MachineService, ServiceAccess};
use crate::grants::action::{
    NetworkRule, RootRule, RunCommand, SandboxFolder, SandboxRule, WorkingFolder,
};
use crate::grants::command_grant::check_program;
use crate::grants::denied::{NotGranted, NotGrantedReason, for_option, shell_word};
use crate::grants::file_root::{FileRoot, RootAccess};
use crate::grants::granted::GrantedAction;
use crate::grants::path_input::PathInput;
use crate::grants::service_gate::{needs_enabling, refuse_remote};
use crate::grants::source::AgentGrantSource;
use crate::grants::subject::{GrantHolder, GrantSubject};

/// Longest name of an agent, in bytes.
const MAX_NAME_BYTES: usize = 64;
/// Maximum number of words on a program's command line.
const MAX_WORDS: usize = 256;
/// Longest word in bytes: the limit of Linux.
const MAX_WORD_BYTES: usize = 128 * 1024 - 1;

/// A run of an agent's program that a caller asks for.
#[derive(Clone, PartialEq, Eq)]
pub struct AgentWish {
    /// Which agent, such as `claude`.
    pub agent: String,
    /// The words after the program's name.
    pub arguments: Vec<String>,
    /// The folder to work in; without one, the first folder of the grant.
    pub folder: Option<String>,
    /// What the program reads from its standard input.
    pub input: Vec<u8>,
    /// How long the program may run.
    pub timeout: Duration,
}

/// An agent's program that the service `claudecode` may run.
#[derive(Debug, Clone)]
pub(super) struct AgentGrant {
    agent: Box<str>,
    program: PathBuf,
    folders: Vec<Arc<FileRoot>>,
    holder: GrantHolder,
    text: Arc<str>,
}

impl AgentGrant {
    pub(super) fn parse(source: &AgentGrantSource) -> Result<Self, String> {
        if !is_name(&source.agent) {
            return Err("the agent's name is not small letters, digits, `-` and `_`".into());
        }
        check_program(&source.program)?;
        if source.folders.is_empty() {
            return Err("no folder is named in which the agent works".into());
        }
        let folders = source.folders.iter().map(|it| FileRoot::parse(it).map(Arc::new));
        let folders: Vec<Arc<FileRoot>> = folders.collect::<Result<_, _>>()?;
        if folders.iter().any(|root| root.access() < RootAccess::Write) {
            return Err("an agent cannot be kept from writing: grant its folder for that".into());
        }
        let holder = GrantHolder::parse(source.principal.as_deref())?;
        let places: Vec<String> =
            folders.iter().map(|root| format!(", in {}", root.path().display())).collect();
        let text = format!(
            "claudecode {} ({}){}, without a sandbox{}",
            source.agent,
            source.program.display(),
            places.concat(),
            holder.suffix()
        );
        Ok(Self {
            agent: source.agent.as_str().into(),
            program: source.program.clone(),
            folders,
            holder,
            text: text.into(),
        })
    }

    pub(super) fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The place that the caller names, if it is in a folder of this grant.
    fn working_folder(&self, wanted: Option<&PathInput>) -> Option<WorkingFolder> {
        let roots: Vec<&Arc<FileRoot>> = self.folders.iter().collect();
        match wanted {
            Some(wanted) => {
                wanted.resolve(&roots, RootAccess::Write).ok().map(WorkingFolder::Granted)
            }
            None => self.folders.first().map(WorkingFolder::root_of),
        }
    }
}

/// Decides about one run. An agent changes things, so a read-only service runs none.
pub(super) fn decide(
    grants: &[AgentGrant],
    own_program: Option<&Path>,
    access: ServiceAccess,
    who: GrantSubject<'_>,
    wish: AgentWish,
) -> Result<GrantedAction<RunCommand>, NotGranted> {
    let shown = wish.agent.as_str();
    refuse_remote(who, shown)?;
    if let Some(problem) = problem_of(&wish) {
        return Err(NotGranted::bad_input(shown, problem));
    }
    let folder = wish.folder.as_deref().map(PathInput::parse).transpose();
    let folder = folder.map_err(|problem| {
        NotGranted::bad_input(wish.folder.as_deref().unwrap_or_default(), problem)
    })?;
    let covering = grants
        .iter()
        .filter(|it| *it.agent == *wish.agent && it.holder.includes(who))
        .filter(|it| own_program != Some(it.program.as_path()))
        .find_map(|it| Some((it, it.working_folder(folder.as_ref())?)));
    let enable = needs_enabling(MachineService::Agents, access, RootAccess::Write);
    let Some((grant, working_folder)) = covering else {
        let reason = enable.as_ref().map_or(NotGrantedReason::NotCovered, |it| it.0.clone());
        let denied = NotGranted::new(shown, reason);
        let line = line_for(&wish.agent, folder.as_ref(), who);
        let enabling = enable.map(|(_, line)| line);
        return Err(enabling.into_iter().chain([line]).fold(denied, NotGranted::with_command));
    };
    if let Some((reason, line)) = enable {
        return Err(NotGranted::new(shown, reason).with_command(line));
    }
    let seen =
        |root: &Arc<FileRoot>| SandboxFolder { root: Arc::clone(root), access: root.access() };
    let action = RunCommand {
        program: grant.program.clone(),
        arguments: wish.arguments.into_iter().map(OsString::from).collect(),
        working_folder,
        folders: grant.folders.iter().map(seen).collect(),
        environment: Vec::new(),
        input: wish.input,
        timeout: wish.timeout,
        sandbox: SandboxRule::Off,
        network: NetworkRule::Host,
        // The grant lets an agent do everything that its user can do.
        root: RootRule::Allowed,
    };
    Ok(GrantedAction::new(action, &grant.text))
}

/// Why no program can be given these words, with any grant.
fn problem_of(wish: &AgentWish) -> Option<&'static str> {
    if !is_name(&wish.agent) {
        return Some("there is no such agent");
    }
    if MAX_WORDS < wish.arguments.len() {
        return Some("it would get too many arguments");
    }
    let is_bad = |word: &String| word.contains('\0') || MAX_WORD_BYTES < word.len();
    wish.arguments.iter().any(is_bad).then_some("a word has a NUL in it, or is too long")
}

fn is_name(name: &str) -> bool {
    let letter = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_'
    };
    name.len() <= MAX_NAME_BYTES
        && name.bytes().all(letter)
        && name.bytes().next().is_some_and(|first| first != b'-')
}

/// The command that grants this agent in this folder.
fn line_for(agent: &str, folder: Option<&PathInput>, who: GrantSubject<'_>) -> String {
    let folder = match folder {
        Some(PathInput::Absolute(path)) => path.to_absolute().and_then(|text| shell_word(&text)),
        Some(PathInput::InFolder { .. }) | None => None,
    };
    let folder = folder.unwrap_or_else(|| "FOLDER".into());
    format!("hobnob grant claudecode {agent} --in {folder}{}", for_option(who))
}

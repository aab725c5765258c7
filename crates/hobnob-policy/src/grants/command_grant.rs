//! Grants of commands, and the decision about one command.
//!
//! The program is the file that was found when it was granted; it is never looked up in a search
//! path again. Words are data: each stays one argument, with any content.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::grants::access::{MachineService, ServiceAccess};
use crate::grants::action::{
    NetworkRule, RootRule, RunCommand, SandboxFolder, SandboxRule, WorkingFolder,
};
use crate::grants::argv_pattern::ArgvPattern;
use crate::grants::command_text::{CommandInput, CommandText};
use crate::grants::denied::{NotGranted, NotGrantedReason, for_option, shell_word};
use crate::grants::environment::{self, AllowedVariables};
use crate::grants::file_root::{FileRoot, RootAccess};
use crate::grants::granted::GrantedAction;
use crate::grants::path_input::PathInput;
use crate::grants::service_gate::{needs_enabling, refuse_remote};
use crate::grants::source::CommandGrantSource;
use crate::grants::subject::{GrantHolder, GrantSubject};

/// A command that a caller asks to run, as it was typed.
#[derive(Clone, PartialEq, Eq)]
pub struct CommandWish {
    /// Words, which no shell reads, or a line for a shell.
    pub command: CommandText,
    /// The folder to run in; without one, the first folder of the grant.
    pub folder: Option<String>,
    /// The variables to set for the command.
    pub environment: Vec<(String, String)>,
    /// What the command reads from its standard input.
    pub input: Vec<u8>,
    /// How long the command may run.
    pub timeout: Duration,
}

/// A command that the service `shell` may run.
#[derive(Debug, Clone)]
pub(super) struct CommandGrant {
    name: Box<str>,
    program: PathBuf,
    words: GrantedWords,
    folders: Vec<Arc<FileRoot>>,
    variables: AllowedVariables,
    sandbox: SandboxRule,
    network: NetworkRule,
    root: RootRule,
    holder: GrantHolder,
    text: Arc<str>,
}

#[derive(Debug, Clone)]
enum GrantedWords {
    Pattern(ArgvPattern),
    /// The program is a shell that may be given any line.
    ShellLine,
}

impl CommandGrant {
    pub(super) fn parse(source: &CommandGrantSource) -> Result<Self, String> {
        if source.name.is_empty() || source.name.contains(|it: char| it.is_control()) {
            return Err("the command's name is empty or has control characters".into());
        }
        check_program(&source.program)?;
        let words = match &source.arguments {
            Some(parts) => GrantedWords::Pattern(ArgvPattern::parse(parts)?),
            None => GrantedWords::ShellLine,
        };
        let sandbox = match source.sandbox.as_str() {
            "on" => SandboxRule::Partial,
            "required" => SandboxRule::Full,
            "any" => SandboxRule::Any,
            "off" => SandboxRule::Off,
            word => return Err(format!("`{word}` is no sandbox: write on, required, any or off")),
        };
        let folders = source.folders.iter().map(|it| FileRoot::parse(it).map(Arc::new));
        let holder = GrantHolder::parse(source.principal.as_deref())?;
        let shown = match &source.arguments {
            Some(parts) => parts.iter().map(|part| format!(" {part}")).collect(),
            None => String::from(" (any command line)"),
        };
        let bounds = bounds_in_words(source, sandbox);
        let text = format!("shell {}{shown}{bounds}{}", source.program.display(), holder.suffix());
        Ok(Self {
            name: source.name.as_str().into(),
            program: source.program.clone(),
            words,
            folders: folders.collect::<Result<_, _>>()?,
            variables: AllowedVariables::parse(&source.environment)?,
            sandbox,
            network: if source.network { NetworkRule::Host } else { NetworkRule::Denied },
            root: if source.as_root { RootRule::Allowed } else { RootRule::Refused },
            holder,
            text: text.into(),
        })
    }

    pub(super) fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The arguments for the program, if the grant covers the command.
    fn arguments_for(&self, command: &CommandInput) -> Option<Vec<OsString>> {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        match (&self.words, command) {
            (GrantedWords::Pattern(pattern), CommandInput::Words { program, arguments, .. }) => {
                let named = *self.name == **program || self.program == Path::new(program);
                (named && pattern.matches(arguments))
                    .then(|| arguments.iter().map(OsString::from).collect())
            }
            (GrantedWords::Pattern(_), CommandInput::ShellLine(_)) => None,
            // The `--` keeps a line that begins with `-` from being read as an option.
            (GrantedWords::ShellLine, CommandInput::ShellLine(line)) => {
                Some(words(&["-c", "--", line]))
            }
            // The shell itself may have to read a line of words, such as `cd src` or `exit 3`.
            (GrantedWords::ShellLine, CommandInput::Words { line: Some(line), .. }) => {
                Some(words(&["-c", "--", line]))
            }
            // The shell finds the program, but does not interpret the words.
            (GrantedWords::ShellLine, CommandInput::Words { program, arguments, line: None }) => {
                let mut all = words(&["-c", "--", r#"exec "$@""#, "sh", program]);
                all.extend(arguments.iter().map(OsString::from));
                Some(all)
            }
        }
    }

    /// The place that the caller names, if it is in a folder of this grant.
    fn working_folder(&self, wanted: Option<&PathInput>) -> Option<WorkingFolder> {
        let roots: Vec<&Arc<FileRoot>> = self.folders.iter().collect();
        match (wanted, self.folders.first()) {
            (Some(wanted), _) => {
                wanted.resolve(&roots, RootAccess::Read).ok().map(WorkingFolder::Granted)
            }
            (None, Some(first)) => Some(WorkingFolder::root_of(first)),
            (None, None) => Some(WorkingFolder::Scratch),
        }
    }

    /// The command's access to its folders. While the service is read-only, nothing may be written,
    /// and only a full sandbox ensures that.
    fn confinement(&self, access: ServiceAccess) -> (Vec<SandboxFolder>, SandboxRule) {
        let (limit, sandbox) = match access {
            ServiceAccess::ReadWrite => (RootAccess::Write, self.sandbox),
            ServiceAccess::Disabled | ServiceAccess::ReadOnly => {
                (RootAccess::Read, SandboxRule::Full)
            }
        };
        let confined = |root: &Arc<FileRoot>| {
            let access = root.access().min(limit);
            SandboxFolder { root: Arc::clone(root), access }
        };
        (self.folders.iter().map(confined).collect(), sandbox)
    }
}

/// Decides about one command. Grants of words are tried before grants of whole lines.
pub(super) fn decide(
    grants: &[CommandGrant],
    own_program: Option<&Path>,
    access: ServiceAccess,
    who: GrantSubject<'_>,
    wish: CommandWish,
) -> Result<GrantedAction<RunCommand>, NotGranted> {
    let shown = wish.command.shown();
    refuse_remote(who, &shown)?;
    let bad = |problem: &str| NotGranted::bad_input(&shown, problem);
    let command = CommandInput::parse(wish.command).map_err(bad)?;
    if let Some(problem) = environment::problem_of(&wish.environment) {
        return Err(bad(problem));
    }
    let folder = wish.folder.as_deref().map(PathInput::parse).transpose();
    let folder = folder.map_err(|problem| {
        NotGranted::bad_input(wish.folder.as_deref().unwrap_or_default(), problem)
    })?;
    if own_program.is_some_and(|own| names_program(&command, own)) {
        return Err(bad("Hobnob itself is never run as a command"));
    }
    let not_ours = |it: &&CommandGrant| own_program != Some(it.program.as_path());
    let for_caller = |it: &&CommandGrant| it.holder.includes(who);
    let by_words = |it: &&CommandGrant| matches!(it.words, GrantedWords::Pattern(_));
    let applying: Vec<&CommandGrant> = grants.iter().filter(not_ours).filter(for_caller).collect();
    let ordered = applying.iter().copied().filter(by_words);
    let mut ordered = ordered.chain(applying.iter().copied().filter(|it| !by_words(it)));
    let covering = ordered.find_map(|grant| {
        let arguments = grant.arguments_for(&command)?;
        let place = grant.working_folder(folder.as_ref())?;
        grant.variables.include(&wish.environment).then_some((grant, arguments, place))
    });
    let enable = needs_enabling(MachineService::Shell, access, RootAccess::Read);
    let Some((grant, arguments, working_folder)) = covering else {
        let reason = enable.as_ref().map_or(NotGrantedReason::NotCovered, |it| it.0.clone());
        let line = line_for(&command, folder.as_ref(), &wish.environment, who);
        let denied = NotGranted::new(&shown, reason);
        let enabling = enable.map(|(_, line)| line);
        return Err(enabling.into_iter().chain([line]).fold(denied, NotGranted::with_command));
    };
    if let Some((reason, line)) = enable {
        return Err(NotGranted::new(&shown, reason).with_command(line));
    }
    let (folders, sandbox) = grant.confinement(access);
    let action = RunCommand {
        program: grant.program.clone(),
        arguments,
        working_folder,
        folders,
        environment: environment::as_system_text(wish.environment),
        input: wish.input,
        timeout: wish.timeout,
        sandbox,
        network: grant.network,
        root: grant.root,
    };
    Ok(GrantedAction::new(action, &grant.text))
}

/// Requires the one plain spelling of a path, so that it can be compared with our own program's.
pub(super) fn check_program(program: &Path) -> Result<(), String> {
    let folded: PathBuf = program.components().collect();
    let is_plain = folded.as_os_str() == program.as_os_str()
        && !folded.components().any(|part| part.as_os_str() == "..");
    match program.is_absolute() && is_plain {
        true => Ok(()),
        false => Err("the program is not a plain absolute path".into()),
    }
}

/// Where the command runs and what confines it, for a person who reads a list of grants.
fn bounds_in_words(source: &CommandGrantSource, sandbox: SandboxRule) -> String {
    let mut words = String::new();
    for folder in &source.folders {
        let path = folder.path.display();
        match folder.access.as_str() {
            "write" => words.push_str(&format!(", in {path}")),
            _ => words.push_str(&format!(", reading in {path}")),
        }
    }
    if !source.environment.is_empty() {
        words.push_str(&format!(", setting {}", source.environment.join(" ")));
    }
    match sandbox {
        SandboxRule::Partial => {}
        SandboxRule::Full => words.push_str(", only with a full sandbox"),
        SandboxRule::Any => words.push_str(", with any sandbox or none"),
        SandboxRule::Off => words.push_str(", without a sandbox"),
    }
    if source.network {
        words.push_str(", with the network");
    }
    if source.as_root {
        words.push_str(", also as root");
    }
    words
}

/// Whether the command names this program, by its path or by its file name.
fn names_program(command: &CommandInput, own: &Path) -> bool {
    match command {
        CommandInput::Words { program, .. } => {
            own == Path::new(program) || own.file_name().is_some_and(|it| it == program.as_str())
        }
        CommandInput::ShellLine(_) => false,
    }
}

/// The command line that grants exactly these words, in this folder, with these variables.
fn line_for(
    command: &CommandInput,
    folder: Option<&PathInput>,
    variables: &[(String, String)],
    who: GrantSubject<'_>,
) -> String {
    let mut line = format!("hobnob grant shell{}", for_option(who));
    let text = match folder {
        Some(PathInput::Absolute(path)) => path.to_absolute().and_then(|text| shell_word(&text)),
        // Without a folder the command would run in an empty one, which few commands are meant for.
        Some(PathInput::InFolder { .. }) | None => None,
    };
    line.push_str(&format!(" --in {}", text.unwrap_or_else(|| "FOLDER".into())));
    for (name, _) in variables {
        line.push_str(&format!(" --env {name}"));
    }
    match command {
        CommandInput::ShellLine(_) => line.push_str(" --line"),
        CommandInput::Words { program, arguments, .. } => {
            let pattern = ArgvPattern::exactly(arguments);
            let words = std::iter::once(program).chain(&pattern).map(|word| shell_word(word));
            let words: Option<Vec<String>> = words.collect();
            let words = words.map_or_else(|| "PROGRAM WORDS".into(), |words| words.join(" "));
            line.push_str(&format!(" -- {words}"));
        }
    }
    line
}

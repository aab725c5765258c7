//! The `hobnob` binary: parses the command line, runs one command, ends with its exit code.
//!
//! A process that was started as a supervisor never gets as far as the command line.

mod arguments;
mod cli;
mod cli_help;
mod commands;
mod config_problems;
mod content;
mod context;
mod exit;
mod file_tail;
mod json_problem;
mod logs;
mod report;
mod runtime;
mod version;
mod with_hub;

#[cfg(test)]
mod tests;

use clap::{CommandFactory as _, FromArgMatches as _, Parser as _};
use clap_complete::CompleteEnv;
use cli::{Cli, Command};
use context::CommandContext;
use hobnob_mcp_process::supervisor;
use hobnob_policy::RuleAction;
use logs::{LogRoom, WireLog};
use report::ErrorReporting;
use std::process::ExitCode;

/// Messages are allocated on one thread and freed on another all the time, which this allocator
/// does with a fraction of the instructions.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    hobnob_hub::running_program::set_build(version::VERSION);
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == supervisor::ARGUMENT) {
        // We were started to supervise a server's processes: nothing else may happen, and no thread
        // may exist, before that.
        return supervisor::run(arguments);
    }
    // Ends the process if a shell started it to complete a word.
    CompleteEnv::with_factory(Cli::command).complete();
    let cli = Cli::from_arg_matches(&cli_help::command().get_matches());
    let cli = cli.unwrap_or_else(|error| error.exit());
    let reporting = match &cli.command {
        Command::Serve(_) => ErrorReporting::Log,
        _ => ErrorReporting::Plain,
    };
    let wire = match &cli.command {
        Command::Serve(args) => args.trace.wire(),
        Command::Call(args) => args.trace.wire(),
        Command::Doctor(args) => args.trace.wire(),
        _ => WireLog::Quiet,
    };
    let room = match &cli.command {
        Command::Serve(args) if args.background => LogRoom::File,
        _ => LogRoom::Unlimited,
    };
    let logs = logs::start(cli.verbose, reporting, wire, room);
    #[cfg(unix)]
    if let Err(error) = hobnob_mcp_process::raise_descriptor_limit() {
        tracing::debug!(%error, "cannot raise the limit of open files");
    }
    let context = CommandContext { output: cli.output(), places: cli.places };
    // `serve` logs the problems of files, and `doctor` reports them in more detail.
    let prints_itself = matches!(cli.command, Command::Completions(_) | Command::ManPages(_));
    if !prints_itself && !matches!(cli.command, Command::Serve(_) | Command::Doctor(_)) {
        config_problems::warn_about_broken_files(&context);
    }
    let done = run(cli.command, &context);
    let code = report::exit_code(done, reporting);
    drop(logs);
    code
}

/// Runs a command as if a person had typed it.
fn run_words(words: &[&str], context: &CommandContext) -> anyhow::Result<()> {
    let cli = Cli::try_parse_from(std::iter::once(&"hobnob").chain(words))?;
    run(cli.command, context)
}

fn run(command: Command, context: &CommandContext) -> anyhow::Result<()> {
    match command {
        Command::Serve(args) => commands::serve::run(args, context),
        Command::Service(args) => commands::system_service::run(args, context),
        Command::Add(args) => commands::add::run(args, context),
        Command::AddJson(args) => commands::add::run_json(args, context),
        Command::Remove(args) => commands::remove::run(args, context),
        Command::List(args) => commands::list::run(args, context),
        Command::Show(args) => commands::show::run(args, context),
        Command::Enable(args) => commands::enable::run(args, context),
        Command::Disable(args) => commands::disable::run(args, context),
        Command::Grant(args) => commands::grant::run(args, context),
        Command::Revoke(args) => commands::revoke::run(args, context),
        Command::Grants(args) => commands::grants::run(args, context),
        Command::Token(args) => commands::token::run(args, context),
        Command::Sandbox(args) => commands::sandbox::run(args, context),
        Command::Allow(args) => commands::rule::run(args, RuleAction::Allow, context),
        Command::Ask(args) => commands::rule::run_ask(args, context),
        Command::Deny(args) => commands::rule::run(args, RuleAction::Deny, context),
        Command::Rules(args) => commands::rules::run(args, context),
        Command::Questions(args) => commands::questions::run(args, context),
        Command::Answer(args) => commands::answer::run(args, context),
        Command::Approve(args) => commands::approve::run(args, context),
        Command::ApproveLogin(args) => commands::approve_login::run(args, context),
        Command::User(args) => commands::user::run(args, context),
        Command::Connect(args) => commands::connect::run(args, context),
        Command::Import(args) => commands::import::run(args, context),
        Command::Doctor(args) => commands::doctor::run(args, context),
        Command::Audit(args) => commands::audit::run(args, context),
        Command::Usage(args) => commands::usage::run(args, context),
        Command::Status(args) => commands::status::run(args, context),
        Command::Tools(args) => commands::tools::run(args, context),
        Command::Call(args) => commands::call::run(args, context),
        Command::Run(args) => commands::run::run(args, context),
        Command::Chat(args) => {
            commands::chat::run(args, context, &|words| run_words(words, context))
        }
        Command::Resources(args) => commands::resources::run(args, context),
        Command::Read(args) => commands::read::run(args, context),
        Command::Prompts(args) => commands::prompts::run(args, context),
        Command::Prompt(args) => commands::prompt::run(args, context),
        Command::Watch(args) => commands::watch::run(args, context),
        Command::Login(args) => commands::login::run(&args, context),
        Command::Logout(args) => commands::logout::run(&args, context),
        Command::Hubs(args) => commands::hubs::run(args, context),
        Command::Stop(args) => commands::stop::run(args, context),
        Command::Restart(args) => commands::restart::run(&args, context),
        Command::Ui(args) => commands::ui::run(args, context),
        Command::Profiles(args) => commands::profiles::run(args, context),
        Command::Config(args) => commands::config::run(args, context),
        Command::Edit(args) => commands::edit::run(&args, context),
        Command::Logs(args) => commands::logs::run(args, context),
        Command::Memory(args) => commands::memory::run(args, context),
        Command::Tasks(args) => commands::tasks::run(args, context),
        Command::Trees(args) => commands::trees::run(args, context),
        Command::Embeddings(args) => commands::embeddings::run(args, context),
        Command::Backup(args) => commands::backup::run(args, context),
        Command::Restore(args) => commands::restore::run(args, context),
        Command::Completions(args) => commands::completions::run(&args, Cli::command()),
        Command::ManPages(args) => commands::man_pages::run(&args, Cli::command()),
    }
}

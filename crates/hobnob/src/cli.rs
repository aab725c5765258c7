//! The command line: global options and one variant per command.
//!
//! `main` parses it and passes each variant to its command. Commands never import this file, and
//! the doc comments here are the help texts.

use crate::commands;
use crate::context::{GLOBAL, PlaceArgs};
use crate::exit;
use crate::version::VERSION;
use clap::{Parser, Subcommand};
use hobnob_terminal::render::Output;

/// One place where AI assistants meet their tools.
#[derive(Debug, Parser)]
#[command(name = "hobnob", version = VERSION, about, arg_required_else_help = true, propagate_version = true)]
#[command(after_help = exit::HELP)]
pub(crate) struct Cli {
    /// Log more on standard error: -v for decisions, -vv for everything (RUST_LOG is finer).
    #[arg(short, long, action = clap::ArgAction::Count, global = true, help_heading = GLOBAL)]
    pub(crate) verbose: u8,

    /// Write JSON for programs instead of text for people.
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) places: PlaceArgs,

    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// The format that `--json` asks for.
    pub(crate) fn output(&self) -> Output {
        if self.json { Output::Json } else { Output::People }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve MCP clients on standard input and output, or over HTTP.
    Serve(commands::serve::ServeArgs),
    /// Let the system start Hobnob at login, with systemd or launchd.
    Service(commands::system_service::ServiceArgs),
    /// Add a server to the configuration.
    Add(commands::add::AddArgs),
    /// Add a server from the JSON of its entry, as other clients write it.
    AddJson(commands::add::AddJsonArgs),
    /// Remove a server from the configuration.
    Remove(commands::remove::RemoveArgs),
    /// List the configured servers without starting any.
    List(commands::list::ListArgs),
    /// Show one server: what it starts, where it is configured, and what it offers.
    Show(commands::show::ShowArgs),
    /// Switch a server on, or a service of the machine: shell, files, logs, registry, claudecode.
    Enable(commands::enable::EnableArgs),
    /// Switch a server off, or a service of the machine.
    Disable(commands::disable::DisableArgs),
    /// Let assistants use a folder, a command, a log or a registry key of this machine.
    Grant(commands::grant::GrantArgs),
    /// Take a grant back; this takes effect with the next call.
    Revoke(commands::revoke::RevokeArgs),
    /// Show what assistants may do on this machine.
    Grants(commands::grants::GrantsArgs),
    /// Make, list and revoke tokens for clients of `hobnob serve --http`.
    Token(commands::token::TokenArgs),
    /// Learn the narrowest sandbox for a server by watching it run.
    Sandbox(commands::sandbox::SandboxArgs),
    /// Allow calls of a tool, or of all tools of a server, without a question.
    Allow(commands::rule::RuleArgs),
    /// Ask before each call of a tool, or of any tool of a server.
    Ask(commands::rule::AskArgs),
    /// Deny calls of a tool, or of all tools of a server.
    Deny(commands::rule::RuleArgs),
    /// Show the rules that decide about calls, and whose calls each one is about.
    Rules(commands::rules::RulesArgs),
    /// Show which calls wait for your answer.
    Questions(commands::questions::QuestionsArgs),
    /// Answer one of these questions: let the call run once, refuse it, or write a rule. Run it in the
    /// folder of the hub's project, or name that with --project.
    Answer(commands::answer::AnswerArgs),
    /// Review what a project wants to start, or tools that have changed, and approve them.
    Approve(commands::approve::ApproveArgs),
    /// Approve a login to this hub whose page shows a code.
    ApproveLogin(commands::approve_login::ApproveLoginArgs),
    /// Add, list and remove the people who may log in to this hub.
    User(commands::user::UserArgs),
    /// Let another client use Hobnob: Claude, Cursor, VS Code, Codex, Windsurf, Zed, Gemini.
    Connect(commands::connect::ConnectArgs),
    /// Import servers from other clients: Claude, Cursor, VS Code, Codex, Windsurf, Zed, Gemini.
    Import(commands::import::ImportArgs),
    /// Start each server once, and report what is wrong and how to fix it.
    Doctor(commands::doctor::DoctorArgs),
    /// Show which tools were called, by whom, and what was decided.
    Audit(commands::audit::AuditArgs),
    /// Show how often tools were called, how long they took, and how many tokens they carried.
    Usage(commands::usage::UsageArgs),
    /// Show the state of each server, and the reason for it.
    Status(commands::status::StatusArgs),
    /// List the tools of all servers, or those that match a query.
    Tools(commands::tools::ToolsArgs),
    /// Call a tool: hobnob call TOOL key=value… | JSON | -
    Call(commands::call::CallArgs),
    /// Run a method and print its events as they come: hobnob run SERVICE.METHOD key=value…
    Run(commands::run::RunArgs),
    /// Talk to a model that can use all tools, or ask it once: hobnob chat -p TEXT
    Chat(commands::chat::ChatArgs),
    /// List the resources of all servers.
    Resources(commands::resources::ResourcesArgs),
    /// Print the contents of a resource.
    Read(commands::read::ReadArgs),
    /// List the prompts of all servers.
    Prompts(commands::prompts::PromptsArgs),
    /// Fill in a prompt and show it.
    Prompt(commands::prompt::PromptArgs),
    /// Watch a resource, or the result of a tool, and show every change.
    Watch(commands::watch::WatchArgs),
    /// Show what a server wrote to standard error, or what a token in a log stands for.
    Logs(commands::logs::LogsArgs),
    /// Log in to a server that wants to know who you are.
    Login(commands::login::LoginArgs),
    /// End the login to a server.
    Logout(commands::logout::LogoutArgs),
    /// End a server of the running `hobnob serve` and start it again.
    Restart(commands::restart::RestartArgs),
    /// Show the hubs that run, for all projects.
    Hubs(commands::hubs::HubsArgs),
    /// Stop the running hub of this project, with its servers.
    Stop(commands::stop::StopArgs),
    /// Open the page of the running hub in your browser: calls, questions, servers, usage.
    Ui(commands::ui::UiArgs),
    /// Show the profiles there are, or print one.
    Profiles(commands::profiles::ProfilesArgs),
    /// Show the settings and where each comes from, or read and change one.
    Config(commands::config::ConfigArgs),
    /// Open the settings, or the file of a server, in your editor, and check the result.
    Edit(commands::edit::EditArgs),
    /// Capture, recall, list, export and sync memories.
    Memory(commands::memory::MemoryArgs),
    /// Add, claim and finish tasks.
    Tasks(commands::tasks::TasksArgs),
    /// List, draw and search conversation trees.
    Trees(commands::trees::TreesArgs),
    /// Install the model that finds memories by meaning, or show which one is used.
    Embeddings(commands::embeddings::EmbeddingsArgs),
    /// Copy memories, tasks and trees to a file; you can keep working meanwhile.
    Backup(commands::backup::BackupArgs),
    /// Replace memories, tasks and trees with those of a backup.
    Restore(commands::restore::RestoreArgs),
    /// Print a completion script for a shell.
    Completions(commands::completions::CompletionsArgs),
    /// Write the manual pages of all commands into a folder.
    ManPages(commands::man_pages::ManPagesArgs),
}

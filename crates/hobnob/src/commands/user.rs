//! `hobnob user …`: who may log in to this hub. `main` runs it.
//!
//! What must stay true: a password is typed or piped, never an argument, and only a person changes who
//! may log in.

mod password;
mod show;

use super::change_log::ChangeLog;
use super::person::require_person;
use crate::context::CommandContext;
use crate::runtime;
use anyhow::Context as _;
use clap::{Args, Subcommand};
use hobnob_config::{Places, Settings};
use hobnob_hub::authorization::StoredRecords;
use hobnob_hub::store::open_store;
use hobnob_mcp_auth::authorization_server::{PasswordCost, UserApproval, UserDirectory, UserError};
use hobnob_terminal::ended::{Code, Ended};
use jiff::Timestamp;
use std::sync::Arc;

#[derive(Debug, Args)]
pub(crate) struct UserArgs {
    #[command(subcommand)]
    command: UserCommand,
}

#[derive(Debug, Subcommand)]
enum UserCommand {
    /// Add a user; asks for a password, or reads one line from standard input.
    Add(AddArgs),
    /// List the users, and how each one approves logins.
    List,
    /// Remove a user, and end every login of theirs.
    Remove(NameArgs),
    /// Set a new password; asks for it, or reads one line from standard input.
    Password(NameArgs),
}

#[derive(Debug, Args)]
struct AddArgs {
    /// The name to log in with: a-z, 0-9, `.`, `_`, `-` and `@`.
    name: String,

    /// Add the user without a password: they approve logins in the terminal only.
    #[arg(long)]
    no_password: bool,
}

#[derive(Debug, Args)]
struct NameArgs {
    /// The name of the user.
    name: String,
}

pub(crate) fn run(args: UserArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    match args.command {
        UserCommand::Add(args) => {
            let users = Users::open(&places)?;
            let (password, approval) = match args.no_password {
                true => (None, UserApproval::Terminal),
                false => (Some(password::ask()?), UserApproval::Password),
            };
            let now = u64::try_from(Timestamp::now().as_second()).unwrap_or_default();
            users.change(
                "users/add",
                &args.name,
                users.directory.add(&args.name, password, now),
            )?;
            show::added(context.output, &args.name, approval)
        }
        UserCommand::List => {
            let users = Users::open(&places)?;
            let all = users.wait(users.directory.list())?;
            show::list(context.output, &all)
        }
        UserCommand::Remove(args) => {
            let users = Users::open(&places)?;
            users.change("users/remove", &args.name, users.directory.remove(&args.name))?;
            show::removed(context.output, &args.name)
        }
        UserCommand::Password(args) => {
            let users = Users::open(&places)?;
            let password = password::ask()?;
            let change = users.directory.set_password(&args.name, password);
            users.change("users/password", &args.name, change)?;
            show::changed(context.output, &args.name)
        }
    }
}

/// The users of this data folder.
struct Users {
    directory: UserDirectory,
    log: ChangeLog,
    runtime: tokio::runtime::Runtime,
}

impl Users {
    fn open(places: &Places) -> anyhow::Result<Self> {
        require_person("users are")?;
        places.create().context("the folders for settings and state cannot be made")?;
        let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
        let log = ChangeLog::with_settings(places, &settings)?;
        let store = open_store(places, &settings.limits)?;
        let records = Arc::new(StoredRecords::new(store));
        let directory = UserDirectory::new(records, PasswordCost::default());
        Ok(Self { directory, log, runtime: runtime::current_thread()? })
    }

    fn wait<T>(&self, work: impl Future<Output = Result<T, UserError>>) -> anyhow::Result<T> {
        self.runtime.block_on(work).map_err(|error| match error {
            UserError::BadName | UserError::BadPassword => Ended::usage(error.to_string()).into(),
            UserError::Taken | UserError::Unknown | UserError::TooMany => {
                Ended::new(Code::Failed, error.to_string()).into()
            }
            UserError::Failure(failure) => anyhow::Error::new(failure),
        })
    }

    /// Writes a change down and makes it.
    fn change(
        &self,
        method: &str,
        name: &str,
        work: impl Future<Output = Result<(), UserError>>,
    ) -> anyhow::Result<()> {
        self.log.recorded(method, name, || self.wait(work))
    }
}

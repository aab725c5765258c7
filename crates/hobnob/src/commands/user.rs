//! `hobnob user …`: who may log in to this hub. `main` runs it.
//!
//! What must stay true: a password is typed or piped, never an argument, and only a person changes
//! who may log in.

mod logins;
mod password;
mod show;

use super::person::{require_owner, require_person};
use crate::context::CommandContext;
use crate::runtime;
use anyhow::Context as _;
use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use hobnob_config::{
    Places, ProfileName, SHIPPED, SettingEditError, SettingPlan, Settings, groups_of, list_profiles,
};
use hobnob_gateway::nearest::did_you_mean;
use hobnob_hub::authorization::{LoginChanges, StoredRecords};
use hobnob_hub::change_log::ChangeLog;
use hobnob_hub::store::open_store;
use hobnob_mcp_auth::authorization_server::{
    PasswordCost, UserAccess, UserApproval, UserDirectory, UserError, UserRole,
};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render::{self, Output};
use jiff::Timestamp;
use std::path::PathBuf;
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
    /// List the users: what each one may reach, and how they approve logins.
    List,
    /// Change what a user may reach; what you do not name stays.
    Set(SetArgs),
    /// Remove a user, and end every login of theirs.
    Remove(NameArgs),
    /// Set a new password, and end every login of the user; asks for it, or reads one line from
    /// standard input.
    Password(NameArgs),
    /// List what has logged in: clients that have tokens, and browsers.
    Logins(LoginsArgs),
    /// End one login; its tokens do not count from the next request on.
    EndLogin(EndLoginArgs),
}

#[derive(Debug, Args)]
struct AddArgs {
    /// The name to log in with: a-z, 0-9, `.`, `_`, `-` and `@`.
    name: String,

    /// Add the user without a password: they approve logins in the terminal only.
    #[arg(long)]
    no_password: bool,

    /// How much the user may let clients do; only an admin can give them the scope `admin`.
    #[arg(long, value_name = "ROLE", default_value = "member")]
    role: RoleWord,

    /// Let the user reach this profile and no other (may be repeated); without it, everything.
    #[arg(long = "profile", value_name = "NAME", value_parser = profile_name)]
    profiles: Vec<Box<str>>,

    /// Put the user into this group of `[groups]` in config.toml, for rules (may be repeated).
    #[arg(long = "group", value_name = "NAME")]
    groups: Vec<String>,
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("change").required(true).multiple(true)))]
struct SetArgs {
    /// The name of the user.
    name: String,

    /// How much the user may let clients do; tokens that they have are cut to it at once.
    #[arg(long, value_name = "ROLE", group = "change")]
    role: Option<RoleWord>,

    /// Let the user reach this profile and no other (may be repeated).
    #[arg(long = "profile", value_name = "NAME", value_parser = profile_name, group = "change")]
    profiles: Vec<Box<str>>,

    /// Let the user reach every profile, and what no profile shows.
    #[arg(long, conflicts_with = "profiles", group = "change")]
    all_profiles: bool,

    /// Put the user into this group of `[groups]` in config.toml and into no other (may be
    /// repeated).
    #[arg(long = "group", value_name = "NAME", group = "change")]
    groups: Vec<String>,

    /// Take the user out of every group.
    #[arg(long, conflicts_with = "groups", group = "change")]
    no_groups: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RoleWord {
    Member,
    Admin,
}

impl From<RoleWord> for UserRole {
    fn from(word: RoleWord) -> Self {
        match word {
            RoleWord::Member => Self::Member,
            RoleWord::Admin => Self::Admin,
        }
    }
}

/// Parses the name of a profile, which need not exist yet.
fn profile_name(text: &str) -> Result<Box<str>, String> {
    let name = ProfileName::parse(text).map_err(|error| error.to_string())?;
    Ok(name.as_str().into())
}

#[derive(Debug, Args)]
struct LoginsArgs {
    /// The name of the user; without it, the logins of all users.
    name: Option<String>,
}

#[derive(Debug, Args)]
struct EndLoginArgs {
    /// The id of the login, as `hobnob user logins` shows it.
    id: String,
}

#[derive(Debug, Args)]
struct NameArgs {
    /// The name of the user.
    name: String,
}

pub(crate) fn run(args: UserArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    match args.command {
        UserCommand::List | UserCommand::Logins(_) => require_person("users are")?,
        UserCommand::Add(_)
        | UserCommand::Set(_)
        | UserCommand::Remove(_)
        | UserCommand::Password(_)
        | UserCommand::EndLogin(_) => require_owner("users are", &places)?,
    }
    let users = Users::open(&places)?;
    let output = context.output;
    match args.command {
        UserCommand::Add(args) => {
            let profiles = args.profiles.clone();
            add(&users, args, output)?;
            note_missing(&places, &profiles);
            Ok(())
        }
        UserCommand::List => {
            let all = users.wait(users.directory.list())?;
            show::list(output, &all, |name| groups_of(&users.settings, name))
        }
        UserCommand::Set(args) => {
            let profiles = args.profiles.clone();
            set(&users, args, output)?;
            note_missing(&places, &profiles);
            Ok(())
        }
        UserCommand::Remove(args) => {
            let groups = users.plan_groups(&args.name, &[])?;
            users.change("users/remove", &args.name, users.directory.remove(&args.name))?;
            // A later user of the same name must not inherit the groups.
            users.write_groups(&args.name, &[], &groups)?;
            show::removed(output, &args.name)
        }
        UserCommand::Password(args) => {
            let password = password::ask()?;
            let change = users.directory.set_password(&args.name, password);
            users.change("users/password", &args.name, change)?;
            show::changed(output, &args.name)
        }
        UserCommand::Logins(args) => {
            let logins = users.wait(users.directory.logins(args.name.as_deref(), now()))?;
            logins::list(output, &logins)
        }
        UserCommand::EndLogin(args) => {
            let ending = users.directory.end_login(&args.id, now());
            let login = users.change("users/end-login", &args.id, ending)?;
            logins::ended(output, &login)
        }
    }
}

fn add(users: &Users, args: AddArgs, output: Output) -> anyhow::Result<()> {
    let (password, approval) = match args.no_password {
        true => (None, UserApproval::Terminal),
        false => (Some(password::ask()?), UserApproval::Password),
    };
    let groups = users.plan_groups(&args.name, &args.groups)?;
    let access = UserAccess { role: args.role.into(), profiles: args.profiles };
    let adding = users.directory.add_with(&args.name, password, access.clone(), now());
    users.change("users/add", &args.name, adding)?;
    users.write_groups(&args.name, &args.groups, &groups)?;
    show::added(output, &args.name, approval, (&access, &args.groups))
}

fn set(users: &Users, args: SetArgs, output: Output) -> anyhow::Result<()> {
    let groups = match (args.no_groups, args.groups.as_slice()) {
        (false, []) => owned(&groups_of(&users.settings, &args.name)),
        (_, named) => named.to_vec(),
    };
    let plan = users.plan_groups(&args.name, &groups)?;
    let changing = users.directory.change_access(&args.name, |access| {
        access.role = args.role.map_or(access.role, Into::into);
        if args.all_profiles || !args.profiles.is_empty() {
            access.profiles = args.profiles;
        }
    });
    let access = users.change("users/set", &args.name, changing)?;
    users.write_groups(&args.name, &groups, &plan)?;
    show::set(output, &args.name, &access, &groups)
}

/// Notes profiles that do not exist yet; until they do, the user reaches nothing there.
fn note_missing(places: &Places, profiles: &[Box<str>]) {
    let there = list_profiles(places, SHIPPED);
    for profile in profiles {
        if !there.iter().any(|name| name.as_str() == &**profile) {
            let near = did_you_mean(profile, there.iter().map(ProfileName::as_str));
            render::note(&format!("there is no profile `{profile}` yet{near}"));
        }
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn now() -> u64 {
    u64::try_from(Timestamp::now().as_second()).unwrap_or_default()
}

/// The users of this data folder.
struct Users {
    settings: Settings,
    file: PathBuf,
    directory: UserDirectory,
    log: ChangeLog,
    changes: LoginChanges,
    runtime: tokio::runtime::Runtime,
}

impl Users {
    fn open(places: &Places) -> anyhow::Result<Self> {
        places.create().context("the folders for settings and state cannot be made")?;
        let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
        let log = ChangeLog::with_settings(places, &settings)?;
        let store = open_store(places, &settings.limits)?;
        let records = Arc::new(StoredRecords::new(store));
        let directory = UserDirectory::new(records, PasswordCost::default());
        let changes = LoginChanges::new(places.login_changes());
        let (file, runtime) = (places.settings(), runtime::current_thread()?);
        Ok(Self { settings, file, directory, log, changes, runtime })
    }

    /// Prepares to put a user into exactly these groups, and checks that this can be written.
    fn plan_groups(&self, name: &str, groups: &[String]) -> anyhow::Result<SettingPlan> {
        SettingPlan::groups(&self.file, name, groups).map_err(|error| match error {
            SettingEditError::BadGroup(_) => Ended::usage(error.to_string()).into(),
            other => anyhow::Error::new(other),
        })
    }

    fn write_groups(
        &self,
        name: &str,
        groups: &[String],
        plan: &SettingPlan,
    ) -> anyhow::Result<()> {
        if !plan.has_changes() {
            return Ok(());
        }
        let line = format!("{name}: {}", groups.join(", "));
        self.log.recorded("groups/write", &line, || plan.write())
    }

    fn wait<T>(&self, work: impl Future<Output = Result<T, UserError>>) -> anyhow::Result<T> {
        self.runtime.block_on(work).map_err(|error| match error {
            UserError::BadName | UserError::BadPassword => Ended::usage(error.to_string()).into(),
            UserError::Taken | UserError::Unknown | UserError::TooMany | UserError::NoLogin => {
                Ended::new(Code::Failed, error.to_string()).into()
            }
            UserError::Failure(failure) => anyhow::Error::new(failure),
        })
    }

    /// Records a change, makes it, and announces it to running hubs.
    fn change<T>(
        &self,
        method: &str,
        name: &str,
        work: impl Future<Output = Result<T, UserError>>,
    ) -> anyhow::Result<T> {
        let changed = self.log.recorded(method, name, || self.wait(work))?;
        if let Err(error) = self.changes.announce() {
            render::note(&format!(
                "a hub that is running notices this within 15 seconds, not at once: {error}"
            ));
        }
        Ok(changed)
    }
}

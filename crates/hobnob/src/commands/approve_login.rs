//! `hobnob approve-login CODE`: agrees to a login whose page shows the code. `main` runs it.
//!
//! What must stay true: the person sees what the page shows and says yes to it, and a program that
//! a hub started cannot.

use super::person::require_owner;
use crate::context::CommandContext;
use crate::runtime;
use clap::Args;
use hobnob_config::LimitSettings;
use hobnob_hub::authorization::StoredRecords;
use hobnob_hub::store::{open_store, store_maintenance};
use hobnob_mcp_auth::authorization_server::{
    ApprovalOutcome, PasswordCost, TerminalApprovals, UserDirectory, WaitingLogin,
};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render::Output;
use hobnob_terminal::render::{self, Confirmation};
use jiff::Timestamp;
use serde_json::json;
use std::sync::Arc;

#[derive(Debug, Args)]
pub(crate) struct ApproveLoginArgs {
    /// The code that the page shows, such as BCDF-GHJK.
    code: String,

    /// The user to log in as; not needed if there is only one.
    #[arg(long, value_name = "NAME")]
    user: Option<String>,

    /// Approve without a question.
    #[arg(short, long)]
    yes: bool,
}

pub(crate) fn run(args: ApproveLoginArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    require_owner("logins are approved and users are", &places)?;
    let not_waiting = || {
        let message = "no login with this code waits for an approval: codes end after ten minutes, so \
                       load the page again";
        Ended::new(Code::Failed, message)
    };
    if !store_maintenance(&places).exists() {
        return Err(not_waiting().into());
    }
    // Logins have no quota, so a mistake in the settings need not block an approval.
    let store = open_store(&places, &LimitSettings::default())?;
    let records = Arc::new(StoredRecords::new(store));
    let approvals = TerminalApprovals::new(Arc::clone(&records) as _);
    let users = UserDirectory::new(records, PasswordCost::default());
    let runtime = runtime::current_thread()?;
    let now = || u64::try_from(Timestamp::now().as_second()).unwrap_or_default();
    let mut login = runtime.block_on(approvals.find(&args.code, now()))?.ok_or_else(not_waiting)?;
    let user = match args.user {
        Some(user) => user,
        None => only_user(&runtime.block_on(users.list())?)?,
    };
    // Show the scopes that the page will grant: those that the role of the user allows.
    let role = runtime.block_on(users.access(&user))?.unwrap_or_default().role;
    login.scopes.retain(|scope| role.may_have(scope));
    if !args.yes {
        for line in facts(&login, &user) {
            render::note(&line);
        }
        let instead = "type the command in a terminal, or add --yes";
        match render::confirm("Approve this login?", instead)? {
            Confirmation::Yes => {}
            Confirmation::No => {
                return Err(Ended::new(Code::Denied, "the login was not approved").into());
            }
        }
    }
    match runtime.block_on(approvals.approve(&args.code, &user, now()))? {
        ApprovalOutcome::Approved => {}
        ApprovalOutcome::NotWaiting => return Err(not_waiting().into()),
        ApprovalOutcome::NoSuchUser => {
            let message = format!(
                "there is no user `{user}`; `hobnob user list` shows all, `hobnob user add` adds one"
            );
            return Err(Ended::new(Code::Failed, message).into());
        }
    }
    match context.output {
        Output::Json => render::json(&json!({
            "approved": true,
            "user": user,
            "client": &*login.client_name,
            "redirect_host": &*login.redirect_host,
            "resource": &*login.resource,
            "scopes": login.scopes,
        })),
        Output::People => {
            render::line(&format!("approved for {user}: press Continue on the page now"))
        }
    }
}

fn only_user(
    users: &[hobnob_mcp_auth::authorization_server::ListedUser],
) -> anyhow::Result<String> {
    match users {
        [only] => Ok(only.name.to_string()),
        [] => {
            let message = "there are no users yet; add one with `hobnob user add NAME`";
            Err(Ended::new(Code::Failed, message).into())
        }
        _ => Err(Ended::usage("there are several users; say which one with --user NAME").into()),
    }
}

/// The lines about the login that the page shows too.
fn facts(login: &WaitingLogin, user: &str) -> Vec<String> {
    let name = match &*login.client_name {
        "" => "nothing",
        name => name,
    };
    let described = match &login.client_host {
        Some(host) => format!("described by a document of {host}"),
        None => "it registered itself, and its name is not verified".to_owned(),
    };
    let mut lines = vec![
        format!("The client calls itself: {} ({described})", render::one_line(name)),
        format!("The answer goes to: {}", login.redirect_host),
        format!("It wants to use: {} with {}", login.resource, login.scopes.join(", ")),
        format!("It would act as: {user}"),
    ];
    if login.answers_locally {
        lines.push(
            "The answer goes to a program on the computer where the page was opened: approve only \
             a login that you have just started yourself"
                .into(),
        );
    }
    lines
}

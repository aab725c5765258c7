//! Prints the results of `hobnob user`, for people and as JSON. `user` calls it after the change.
//!
//! What must stay true: no part of a password is printed.

use hobnob_mcp_auth::authorization_server::{ListedUser, UserAccess, UserApproval};
use hobnob_terminal::render::Output;
use hobnob_terminal::render::relative;
use hobnob_terminal::render::{self, Table};
use jiff::Timestamp;
use serde_json::{Value, json};

fn approves_by(approval: UserApproval) -> &'static str {
    match approval {
        UserApproval::Password => "password",
        UserApproval::Terminal => "terminal",
    }
}

pub(super) fn added(
    output: Output,
    name: &str,
    approval: UserApproval,
    (access, groups): (&UserAccess, &[String]),
) -> anyhow::Result<()> {
    match output {
        Output::Json => {
            let mut user = access_in_json(name, access, groups);
            user["approves_by"] = approves_by(approval).into();
            render::json(&user)
        }
        Output::People => render::line(&match approval {
            UserApproval::Password => format!("{name} can log in with the password now"),
            UserApproval::Terminal => {
                format!("{name} has no password: approve logins with `hobnob approve-login CODE`")
            }
        }),
    }
}

fn access_in_json(name: &str, access: &UserAccess, groups: &[String]) -> Value {
    let (role, profiles) = (access.role.as_str(), &access.profiles);
    json!({ "user": name, "role": role, "profiles": profiles, "groups": groups })
}

/// Seconds since 1970 as a time.
pub(super) fn shown_time(seconds: u64) -> String {
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX).to_string()
}

pub(super) fn list<'a>(
    output: Output,
    users: &[ListedUser],
    groups_of: impl Fn(&str) -> Vec<&'a str>,
) -> anyhow::Result<()> {
    let since = |user: &ListedUser| shown_time(user.created);
    match output {
        Output::Json => {
            let users: Vec<_> = users
                .iter()
                .map(|user| {
                    json!({
                        "name": &*user.name,
                        "role": user.access.role.as_str(),
                        "profiles": user.access.profiles,
                        "groups": groups_of(&user.name),
                        "approves_by": approves_by(user.agrees_by),
                        "created": since(user),
                    })
                })
                .collect();
            render::json(&json!({ "users": users }))
        }
        Output::People if users.is_empty() => {
            render::line("there are no users yet; add one with `hobnob user add NAME`")
        }
        Output::People => {
            let mut table =
                Table::new(&["NAME", "ROLE", "PROFILES", "GROUPS", "APPROVES BY", "SINCE"]);
            for user in users {
                let created = since(user);
                table.row([
                    (&*user.name).into(),
                    user.access.role.as_str().into(),
                    (&*profiles(&user.access)).into(),
                    (&*in_words(&groups_of(&user.name))).into(),
                    approves_by(user.agrees_by).into(),
                    relative(&created).into(),
                ]);
            }
            render::text(&table.to_text())
        }
    }
}

/// The profiles that the user may reach.
fn profiles(access: &UserAccess) -> String {
    if access.profiles.is_empty() { "all".to_owned() } else { access.profiles.join(", ") }
}

/// The groups that the user is in.
fn in_words<T: AsRef<str>>(groups: &[T]) -> String {
    let names: Vec<_> = groups.iter().map(AsRef::as_ref).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(", ") }
}

pub(super) fn set(
    output: Output,
    name: &str,
    access: &UserAccess,
    groups: &[String],
) -> anyhow::Result<()> {
    match output {
        Output::Json => render::json(&access_in_json(name, access, groups)),
        Output::People => render::line(&format!(
            "{name} has the role {}, may reach these profiles: {}, and is in these groups: {}",
            access.role.as_str(),
            profiles(access),
            in_words(groups)
        )),
    }
}

pub(super) fn removed(output: Output, name: &str) -> anyhow::Result<()> {
    match output {
        Output::Json => render::json(&json!({ "removed": name })),
        Output::People => render::line(&format!("removed {name}, and ended every login of theirs")),
    }
}

pub(super) fn changed(output: Output, name: &str) -> anyhow::Result<()> {
    match output {
        Output::Json => render::json(&json!({ "changed": name })),
        Output::People => {
            render::line(&format!("{name} has a new password, and every login of theirs has ended"))
        }
    }
}

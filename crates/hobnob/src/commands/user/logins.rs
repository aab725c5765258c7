//! Prints the results of `hobnob user logins` and `end-login`, for people and as JSON.
//!
//! What must stay true: the name that a client gives itself is shown on one line.

use super::show::shown_time;
use hobnob_mcp_auth::authorization_server::{ListedLogin, LoginSubject};
use hobnob_terminal::render::relative;
use hobnob_terminal::render::{self, Cell, Output, Table};
use serde_json::{Value, json};

pub(super) fn list(output: Output, logins: &[ListedLogin]) -> anyhow::Result<()> {
    match output {
        Output::Json => {
            let logins: Vec<_> = logins.iter().map(in_json).collect();
            render::json(&json!({ "logins": logins }))
        }
        Output::People if logins.is_empty() => render::line("nothing is logged in"),
        Output::People => {
            let mut table = Table::new(&["ID", "USER", "CLIENT", "FOR", "SCOPES", "SINCE", "ENDS"]);
            for login in logins {
                let (client, resource, scopes, since) = match &login.subject {
                    LoginSubject::Client { name, resource, scopes, created, .. } => {
                        let name = name.to_string();
                        (name, &**resource, scopes.join(" "), shown_time(*created))
                    }
                    LoginSubject::Browser => {
                        ("(a browser)".to_owned(), "-", "-".to_owned(), "-".to_owned())
                    }
                };
                table.row([
                    Cell::from(&*login.id),
                    Cell::from(&*login.user),
                    Cell::from(&*client),
                    Cell::from(resource),
                    Cell::from(&*scopes),
                    Cell::from(relative(&since)),
                    Cell::from(relative(&shown_time(login.ends_at))),
                ]);
            }
            render::text(&table.to_text())
        }
    }
}

pub(super) fn ended(output: Output, login: &ListedLogin) -> anyhow::Result<()> {
    match output {
        Output::Json => render::json(&json!({ "ended": in_json(login) })),
        Output::People => {
            let what = match &login.subject {
                LoginSubject::Client { name, .. } => format!("client {:?}", render::one_line(name)),
                LoginSubject::Browser => "browser".to_owned(),
            };
            render::line(&format!("ended the login of {} with the {what}", login.user))
        }
    }
}

fn in_json(login: &ListedLogin) -> Value {
    let ListedLogin { id, user, subject, ends_at } = login;
    let ends = shown_time(*ends_at);
    match subject {
        LoginSubject::Client { name, resource, scopes, created, renewed } => json!({
            "id": id,
            "user": user,
            "kind": "client",
            "client": name,
            "resource": resource,
            "scopes": scopes,
            "created": shown_time(*created),
            "renewed": shown_time(*renewed),
            "ends": ends,
        }),
        LoginSubject::Browser => json!({
            "id": id, "user": user, "kind": "browser", "ends": ends,
        }),
    }
}

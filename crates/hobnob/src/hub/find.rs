//! From what a person typed to the tool, prompt or resource that was meant. Only the server that
//! can have it is started; a name that leads nowhere is answered at once with the nearest ones.

use crate::exit::{Code, Ended};
use crate::hub::lists::Entry;
use crate::hub::reach::Hub;
use crate::terminal::Terminal;
use hobnob_gateway::names::public_name;
use hobnob_gateway::nearest::{did_you_mean, nearest};
use hobnob_mcp_client::ListKind;

/// What was found.
#[derive(Debug)]
pub(crate) enum Found {
    /// It is listed.
    Listed(Entry),
    /// It would be called so if its server had it; whoever holds it back says best why.
    Unlisted(String),
}

impl Found {
    /// Its public name.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Listed(entry) => &entry.key,
            Self::Unlisted(name) => name,
        }
    }
}

impl Hub {
    /// Finds a tool or a prompt by its public name, as SERVER/NAME, or by the server's own name if
    /// only one has it.
    pub(crate) async fn find(
        &self,
        list: ListKind,
        meant: &str,
        terminal: &Terminal,
    ) -> anyhow::Result<Found> {
        let what = noun(list);
        let names = self.names();
        let owned = names.server_meant(meant);
        // In a gateway of our own this is what is known already, at once.
        let mut entries = self.list(list).await?;
        if let Some(entry) = pick(&entries, meant, what)? {
            return Ok(Found::Listed(entry.clone()));
        }
        if let Some((server, original)) = owned.and_then(|it| Some((it.server?, it.original))) {
            self.learn(Some(&server));
            entries = self.list_with(&server, list, terminal).await?;
            let public = public_name(&server, &original);
            let found = pick(&entries, meant, what)?.cloned();
            return Ok(found.map_or_else(|| Found::Unlisted(public.to_string()), Found::Listed));
        }
        if let Some((server, _)) = meant.split_once('/')
            && !nearest(server, names.servers().iter().map(String::as_str)).is_empty()
        {
            names.check_server(server)?;
        }
        self.learn(None);
        entries = self.settled_list(list, terminal).await?;
        match pick(&entries, meant, what)? {
            Some(entry) => Ok(Found::Listed(entry.clone())),
            None => Err(absent(&entries, meant, what).into()),
        }
    }

    /// The public address of a resource that was named by its server's own address.
    pub(crate) async fn find_resource(
        &self,
        meant: &str,
        terminal: &Terminal,
    ) -> anyhow::Result<String> {
        let known = self.list(ListKind::Resources).await?;
        if let Some(entry) = pick(&known, meant, "resource")? {
            return Ok(entry.key.clone());
        }
        self.learn(None);
        let entries = self.settled_list(ListKind::Resources, terminal).await?;
        match pick(&entries, meant, "resource")? {
            Some(entry) => Ok(entry.key.clone()),
            None => {
                let absent = absent(&entries, meant, "resource");
                let message = format!(
                    "{absent}; one that is not listed is read with: hobnob read SERVER {meant}"
                );
                Err(Ended::new(Code::Failed, message).into())
            }
        }
    }
}

fn noun(list: ListKind) -> &'static str {
    match list {
        ListKind::Tools => "tool",
        ListKind::Prompts => "prompt",
        ListKind::Resources | ListKind::Templates => "resource",
    }
}

/// The answer for a name that leads nowhere.
fn absent(entries: &[Entry], meant: &str, what: &str) -> Ended {
    let public = entries.iter().map(|entry| entry.key.as_str());
    let own = entries.iter().map(|entry| entry.owned.original.as_str());
    let near = did_you_mean(meant, public.chain(own));
    let message =
        format!("there is no {what} `{meant}`; `hobnob {what}s` shows those there are{near}");
    Ended::new(Code::Failed, message)
}

/// The entry that was meant: by its public name, as SERVER/NAME, or by the server's own name if
/// only one has it.
fn pick<'a>(entries: &'a [Entry], meant: &str, what: &str) -> anyhow::Result<Option<&'a Entry>> {
    if let Some(entry) = entries.iter().find(|entry| entry.key == meant) {
        return Ok(Some(entry));
    }
    let whole = |entry: &&Entry| {
        let rest = meant.strip_prefix(entry.server()).and_then(|rest| rest.strip_prefix('/'));
        rest == Some(&*entry.owned.original)
    };
    if let Some(entry) = entries.iter().find(whole) {
        return Ok(Some(entry));
    }
    let same: Vec<&Entry> = entries.iter().filter(|it| it.owned.original == meant).collect();
    match same[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => {
            let keys = same.iter().map(|entry| entry.key.as_str()).collect::<Vec<_>>().join(", ");
            let message = format!("more than one {what} is called `{meant}`: {keys}");
            Err(Ended::new(Code::Usage, message).into())
        }
    }
}

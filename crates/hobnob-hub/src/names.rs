//! Which server a public name belongs to, from the configuration and the cached catalogues.
//!
//! Commands, the shell's completion and the page resolve names with it. What must stay true: it reads
//! files only and starts nothing.

use hobnob_config::{CatalogueCache, Places, Servers, process_environment};
use hobnob_gateway::names::{public_name, short_name};
use hobnob_gateway::uris::{PublicUris, public_uri};
use hobnob_mcp_types::json::{elements, field};
use std::collections::{BTreeMap, BTreeSet};

/// The server of a tool, prompt or resource, and its name there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerItem {
    /// The server's name; `None` for what Hobnob has itself.
    pub server: Option<String>,
    /// The name or URI that the server uses.
    pub original: String,
}

/// The configured servers, and the names in their cached catalogues.
#[derive(Debug, Default)]
pub struct Names {
    servers: Vec<String>,
    /// The servers whose lists are known.
    listed: BTreeSet<String>,
    /// Problems of configuration files; such a file may name more servers.
    problems: Vec<String>,
    cached: BTreeMap<String, ServerItem>,
    tools: Vec<String>,
    prompts: Vec<String>,
    resources: Vec<String>,
}

impl Names {
    /// Reads the configuration and the cache.
    pub fn load(places: &Places) -> Self {
        let cache = CatalogueCache::new(&places.catalogues());
        let mut names = Self::default();
        let servers = Servers::load(places, &process_environment);
        names.problems = servers.problems().iter().map(ToString::to_string).collect();
        for server in servers.iter() {
            let name = server.name.as_str();
            names.servers.push(name.to_owned());
            if let Some(text) = cache.load(&server.identity) {
                names.listed.insert(name.to_owned());
                names.add_catalogue(name, &text);
            }
        }
        names
    }

    fn add_catalogue(&mut self, server: &str, catalogue: &str) {
        for (list, key) in [("tools", "name"), ("prompts", "name"), ("resources", "uri")] {
            for entry in field(catalogue, list).map(elements).unwrap_or_default() {
                let original = field(entry, key).and_then(|raw| serde_json::from_str(raw).ok());
                let Some(original): Option<String> = original else { continue };
                if list == "resources" {
                    self.resources.push(public_uri(server, &original));
                    continue;
                }
                let public = public_name(server, &original).to_string();
                let names = if list == "tools" { &mut self.tools } else { &mut self.prompts };
                names.push(public.clone());
                let item = ServerItem { server: Some(server.to_owned()), original };
                if let Some(short) = short_name(&public) {
                    self.cached.insert(short, item.clone());
                }
                self.cached.insert(public, item);
            }
        }
    }

    /// The server that a tool or prompt with this public name belongs to.
    pub fn owner(&self, public: &str) -> ServerItem {
        let named = |server: &String, name: &dyn Fn(&str) -> Option<String>| {
            let original = public.strip_prefix(name("x")?.strip_suffix('x')?)?;
            // Long names are cut, so only an exact match counts.
            (name(original)? == public)
                .then(|| ServerItem { server: Some(server.clone()), original: original.to_owned() })
        };
        let plain = |server: &String| {
            let full = |tool: &str| Some(public_name(server, tool).to_string());
            let short = |tool: &str| short_name(public_name(server, tool).as_str());
            named(server, &full).or_else(|| named(server, &short))
        };
        let found =
            self.servers.iter().find_map(plain).or_else(|| self.cached.get(public).cloned());
        found.unwrap_or_else(|| ServerItem { server: None, original: public.to_owned() })
    }

    /// The server that a resource with this public URI belongs to.
    pub fn owner_of_uri(&self, public: &str) -> ServerItem {
        let split = |server: &String| {
            let original = PublicUris::of(server).original(public)?.into_owned();
            Some(ServerItem { server: Some(server.clone()), original })
        };
        let found = self.servers.iter().find_map(split);
        found.unwrap_or_else(|| ServerItem { server: None, original: public.to_owned() })
    }

    /// The names of all configured servers.
    pub fn servers(&self) -> &[String] {
        &self.servers
    }

    /// The configured servers whose tools are not known yet.
    pub fn unlisted_servers(&self) -> impl Iterator<Item = &str> {
        let unlisted = self.servers.iter().filter(|server| !self.listed.contains(*server));
        unlisted.map(String::as_str)
    }

    /// Problems of the configuration files that name servers.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// The server that the user means by a typed name, and the name there, if it is certain.
    pub fn server_meant(&self, typed: &str) -> Option<ServerItem> {
        let named = |server: &String| {
            let original = typed.strip_prefix(server.as_str())?.strip_prefix('/')?;
            Some(ServerItem { server: Some(server.clone()), original: original.to_owned() })
        };
        let longest_first = {
            let mut servers: Vec<&String> = self.servers.iter().collect();
            servers.sort_by_key(|server| std::cmp::Reverse(server.len()));
            servers
        };
        let slashed = longest_first.into_iter().find_map(named);
        slashed.or_else(|| Some(self.owner(typed)).filter(|owned| owned.server.is_some()))
    }

    /// Public names of the cached tools.
    pub fn tools(&self) -> &[String] {
        &self.tools
    }

    /// The cached tools: the public name of each, its server, and its name there.
    pub fn upstream_tools(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.tools.iter().filter_map(|public| {
            let item = self.cached.get(public)?;
            Some((public.as_str(), item.server.as_deref()?, item.original.as_str()))
        })
    }

    /// The cached tools, each as SERVER, `sign` and the name that the server gives it.
    pub fn tools_of_servers(&self, sign: &str) -> impl Iterator<Item = String> {
        self.upstream_tools().map(move |(_, server, tool)| format!("{server}{sign}{tool}"))
    }

    /// Public names of the cached prompts.
    pub fn prompts(&self) -> &[String] {
        &self.prompts
    }

    /// Public URIs of the cached resources.
    pub fn resources(&self) -> &[String] {
        &self.resources
    }
}

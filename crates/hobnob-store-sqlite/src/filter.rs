//! Access and filter as SQL over `memories AS m`: the one place that decides what a caller sees.
//!
//! Lists, counts, searches and changes take their conditions from here.

use hobnob_store::memory::{MemoryAccess, MemoryFilter, MemoryStatus, ScopeKind};
use rusqlite::types::Value;

/// A condition with the values of its placeholders, in order.
#[derive(Debug)]
pub(super) struct Clause {
    /// Terms joined by `AND`.
    pub(super) sql: String,
    /// One value for each `?` in `sql`.
    pub(super) params: Vec<Value>,
}

impl Clause {
    /// The memories within the caller's reach, in any status.
    pub(super) fn within(access: &MemoryAccess) -> Self {
        let mut clause = Self::within_or_expired(access);
        clause.unexpired(access);
        clause
    }

    /// The same, including expired memories.
    pub(super) fn within_or_expired(access: &MemoryAccess) -> Self {
        let mut clause = Self { sql: String::new(), params: Vec::new() };
        clause.place(access);
        clause
    }

    fn place(&mut self, access: &MemoryAccess) {
        let mut params = vec![access.owner.as_str().to_owned().into()];
        let own = match &access.project {
            Some(project) => {
                params.push(project.as_str().to_owned().into());
                "m.owner = ? AND ((m.scope = 'project' AND m.project = ?) OR m.scope = 'user')"
            }
            None => "m.owner = ? AND m.scope <> 'org'",
        };
        // A caller without a role sees not even its own memories in `org`: the role was revoked.
        match access.org {
            Some(_) => self.and(&format!("(({own}) OR m.scope = 'org')"), params),
            None => self.and(&format!("({own})"), params),
        }
    }

    /// A deleted memory stays visible as long as it can be restored, even past its expiry time.
    fn unexpired(&mut self, access: &MemoryAccess) {
        let term = "(m.expires IS NULL OR ? < m.expires OR m.status = 'deleted')";
        self.and(term, [access.now.millis().into()]);
    }

    /// The memories within reach that match the filter. Cheap and selective terms come first, since
    /// SQLite evaluates the terms in this order for each memory.
    pub(super) fn wanted(access: &MemoryAccess, filter: &MemoryFilter) -> Self {
        let mut clause = Self { sql: String::new(), params: Vec::new() };
        if !filter.namespaces.is_empty() {
            clause.any("m.namespace", filter.namespaces.iter().map(|name| name.as_str()));
        }
        let statuses: &[MemoryStatus] =
            if filter.statuses.is_empty() { &[MemoryStatus::Active] } else { &filter.statuses };
        clause.any("m.status", statuses.iter().map(|status| status.as_str()));
        if !filter.scopes.is_empty() {
            clause.any("m.scope", filter.scopes.iter().copied().map(ScopeKind::as_str));
        }
        clause.place(access);
        clause.unexpired(access);
        for group in &filter.tags {
            clause.tagged("EXISTS", group.iter().map(|tag| tag.as_str()));
        }
        if !filter.without_tags.is_empty() {
            clause.tagged("NOT EXISTS", filter.without_tags.iter().map(|tag| tag.as_str()));
        }
        if let Some(since) = filter.since {
            clause.and("? <= m.created", [since.millis().into()]);
        }
        if let Some(until) = filter.until {
            clause.and("m.created < ?", [until.millis().into()]);
        }
        if let Some(glob) = &filter.source {
            clause.source(glob);
        }
        clause
    }

    /// Adds a term with `AND`.
    pub(super) fn and(&mut self, term: &str, params: impl IntoIterator<Item = Value>) {
        if !self.sql.is_empty() {
            self.sql.push_str(" AND ");
        }
        self.sql.push_str(term);
        self.params.extend(params);
    }

    fn any<'a>(&mut self, column: &str, words: impl Iterator<Item = &'a str>) {
        let words: Vec<Value> = words.map(|word| word.to_owned().into()).collect();
        self.and(&format!("{column} IN ({})", marks(words.len())), words);
    }

    fn tagged<'a>(&mut self, exists: &str, tags: impl Iterator<Item = &'a str>) {
        let tags: Vec<Value> = tags.map(|tag| tag.to_owned().into()).collect();
        let term = format!(
            "{exists} (SELECT 1 FROM memory_tags AS t WHERE t.memory = m.number AND t.tag IN ({}))",
            marks(tags.len())
        );
        self.and(&term, tags);
    }

    /// Compares sources with a NUL byte literally, since `GLOB` would stop at it.
    fn source(&mut self, glob: &str) {
        if !glob.contains(['*', '?']) {
            let further = "SELECT s.memory FROM memory_sources AS s WHERE s.source = ?";
            let term = format!("(m.source = ? OR m.number IN ({further}))");
            self.and(&term, [glob.to_owned().into(), glob.to_owned().into()]);
        } else if glob.contains('\0') {
            self.and("0", []);
        } else {
            // A bracket opens a character class in SQLite's `GLOB`; in our globs it is a literal.
            let glob = glob.replace('[', "[[]");
            let fits = |source| format!("instr({source}, char(0)) = 0 AND {source} GLOB ?");
            let (own, further) = (fits("m.source"), fits("s.source"));
            let further = format!("SELECT s.memory FROM memory_sources AS s WHERE {further}");
            let term = format!("({own} OR m.number IN ({further}))");
            self.and(&term, [glob.clone().into(), glob.into()]);
        }
    }
}

fn marks(count: usize) -> String {
    vec!["?"; count].join(", ")
}

//! Access and filter as SQL over `memories AS m`: the one place that decides what a caller sees.
//!
//! Lists, counts, searches and changes take their conditions from here.

use crate::clause::SqlClause;
use crate::value::{SqlValue, values};
use hobnob_store::memory::{MemoryAccess, MemoryFilter, MemoryStatus, ScopeKind};

/// A condition on `memories AS m`.
#[derive(Debug, Clone)]
pub(crate) struct MemoryClause(pub(crate) SqlClause);

impl MemoryClause {
    /// The memories within the caller's reach, in any status.
    pub(crate) fn within(access: &MemoryAccess) -> Self {
        let mut clause = Self::within_or_expired(access);
        clause.unexpired(access);
        clause
    }

    /// The same, including expired memories.
    pub(crate) fn within_or_expired(access: &MemoryAccess) -> Self {
        let mut clause = Self(SqlClause::default());
        clause.place(access);
        clause
    }

    /// The memories within reach that match the filter.
    pub(crate) fn wanted(access: &MemoryAccess, filter: &MemoryFilter) -> Self {
        Self::wanted_behind(&[], access, filter)
    }

    /// The same in a statement whose first placeholders have these values.
    pub(crate) fn wanted_behind(
        before: &[SqlValue],
        access: &MemoryAccess,
        filter: &MemoryFilter,
    ) -> Self {
        let mut clause = Self(SqlClause::behind(before));
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
            clause.0.and("? <= m.created", values![since]);
        }
        if let Some(until) = filter.until {
            clause.0.and("m.created < ?", values![until]);
        }
        if let Some(glob) = &filter.source {
            clause.source(glob);
        }
        clause
    }

    fn place(&mut self, access: &MemoryAccess) {
        let mut given = values![&access.owner].to_vec();
        let own = match &access.project {
            Some(project) => {
                given.push(project.as_str().into());
                "m.owner = ? AND ((m.scope = 'project' AND m.project = ?) OR m.scope = 'user')"
            }
            None => "m.owner = ? AND m.scope <> 'org'",
        };
        // A caller without a role sees not even its own memories in `org`: the role was revoked.
        match access.org {
            Some(_) => self.0.and(&format!("(({own}) OR m.scope = 'org')"), &given),
            None => self.0.and(&format!("({own})"), &given),
        }
    }

    /// A deleted memory stays visible as long as it can be restored, even past its expiry time.
    fn unexpired(&mut self, access: &MemoryAccess) {
        let term = "(m.expires IS NULL OR ? < m.expires OR m.status = 'deleted')";
        self.0.and(term, values![access.now]);
    }

    fn any<'a>(&mut self, column: &str, words: impl Iterator<Item = &'a str>) {
        self.0.and(&format!("{column} = ANY(?)"), &[SqlValue::texts(words)]);
    }

    fn tagged<'a>(&mut self, exists: &str, tags: impl Iterator<Item = &'a str>) {
        let term = format!(
            "{exists} (SELECT 1 FROM memory_tags AS t WHERE t.memory = m.number AND t.tag = ANY(?))"
        );
        self.0.and(&term, &[SqlValue::texts(tags)]);
    }

    /// A source that contains NUL matches only itself.
    fn source(&mut self, glob: &str) {
        if !glob.contains(['*', '?']) {
            let further = "SELECT s.memory FROM memory_sources AS s \
                           WHERE md5(s.source) = md5(?) AND s.source = ?";
            let term = format!("(m.source = ? OR m.number IN ({further}))");
            self.0.and(&term, values![glob, glob, glob]);
        } else if glob.contains('\0') {
            self.0.and("false", &[]);
        } else {
            let pattern = like_pattern(glob);
            let fits = |source| format!("strpos({source}, ?) = 0 AND {source} LIKE ?");
            let (own, further) = (fits("m.source"), fits("s.source"));
            let further = format!("SELECT s.memory FROM memory_sources AS s WHERE {further}");
            let term = format!("({own} OR m.number IN ({further}))");
            self.0.and(&term, values!["\0", &pattern, "\0", &pattern]);
        }
    }
}

/// The glob as a pattern of `LIKE`, whose own wildcards are literals in a glob.
fn like_pattern(glob: &str) -> String {
    let mut pattern = String::with_capacity(glob.len() + 8);
    for letter in glob.chars() {
        match letter {
            '*' => pattern.push('%'),
            '?' => pattern.push('_'),
            '%' | '_' | '\\' => pattern.extend(['\\', letter]),
            other => pattern.push(other),
        }
    }
    pattern
}

//! The walls: where each is in the code, what replaces it, and which attack must notice.

/// Code that keeps an attack out and can be removed for a test.
pub(super) struct Wall {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    /// The code that implements the wall; it is in the file exactly once.
    pub(super) code: &'static str,
    pub(super) instead: &'static str,
    pub(super) attack: Attack,
}

/// The tests that must fail without a wall.
#[derive(Clone, Copy)]
pub(super) struct Attack {
    /// The package whose integration tests they are among.
    pub(super) package: &'static str,
    /// A part of their names.
    pub(super) test: &'static str,
}

/// The package of the program, whose tests attack the running program.
pub(super) const PROGRAM: &str = "hobnob";

impl Wall {
    /// The text of its file without it.
    pub(super) fn removed_from(&self, whole: &str) -> anyhow::Result<String> {
        let Self { name, file, code, instead, .. } = self;
        let places = whole.matches(code).count();
        anyhow::ensure!(places == 1, "{name}: its code is {places} times in {file}");
        Ok(whole.replace(code, instead))
    }
}

const fn wall(
    name: &'static str,
    file: &'static str,
    code: &'static str,
    instead: &'static str,
    attack: &'static str,
) -> Wall {
    Wall { name, file, code, instead, attack: Attack { package: PROGRAM, test: attack } }
}

/// A wall of the hub's page.
const fn page_wall(
    name: &'static str,
    file: &'static str,
    code: &'static str,
    instead: &'static str,
    attack: &'static str,
) -> Wall {
    Wall { name, file, code, instead, attack: Attack { package: "hobnob-ui", test: attack } }
}

const ENTER: &str = "crates/hobnob-mcp-process/src/sandbox/enter.rs";
const LANDLOCK: &str = "crates/hobnob-mcp-process/src/sandbox/landlock_rules.rs";
const FILTER: &str = "crates/hobnob-mcp-process/src/sandbox/syscall_filter.rs";
const GUARD: &str = "crates/hobnob-mcp-http/src/server/guard.rs";

const PAGE_GUARD: &str = "crates/hobnob-ui/src/guard.rs";
const PAGE_ROUTES: &str = "crates/hobnob-ui/src/page_routes.rs";
const PAGE_LINKS: &str = "crates/hobnob-ui/src/links.rs";
const PAGE_ANSWERS: &str = "crates/hobnob-ui/src/answers.rs";

const COMMAND: &str = "sandbox_attack::a_confined_command";
const NETWORK: &str = "sandbox_attack::a_command_with_the_network";
const USER: &str = "every_door::another_user";
const PAGE: &str = "every_door::a_web_page";
const PRINCIPAL: &str = "every_door::another_principal";

pub(super) const WALLS: &[Wall] = &[
    wall("IPC namespace", ENTER, "unshare(CloneFlags::CLONE_NEWIPC)?;", "", COMMAND),
    wall(
        "network namespace",
        ENTER,
        "unshare(CloneFlags::CLONE_NEWNET)?;\n            loopback::bring_up()",
        "Ok(())",
        COMMAND,
    ),
    wall(
        "root of its own",
        ENTER,
        "new_root::enter(sandbox, scratch_bytes).map_err(step(\"no root of its own\"))?;",
        "",
        COMMAND,
    ),
    wall(
        "no capabilities",
        ENTER,
        "capabilities::drop_all().map_err(step(\"capabilities cannot be dropped\"))?;",
        "",
        COMMAND,
    ),
    wall(
        "Landlock",
        ENTER,
        "landlock_rules::restrict_self(sandbox, needed).map_err(step(\"Landlock\"))?;",
        "",
        NETWORK,
    ),
    wall(
        "filter of system calls",
        ENTER,
        "syscall_filter::install(sockets).map_err(step(\"no filter of system calls\"))",
        "{ let _ = sockets; Ok(()) }",
        COMMAND,
    ),
    wall(
        "closed ports",
        LANDLOCK,
        "NetworkAccess::Host { closed_ports } => closed_ports,",
        "NetworkAccess::Host { .. } => &[][..],",
        NETWORK,
    ),
    wall("scope of sockets", LANDLOCK, ".scope(Scope::from_all(NEWEST))?", "", NETWORK),
    wall(
        "no fast open",
        FILTER,
        "add(call, &[has_bits(at, libc::MSG_FASTOPEN)])?;",
        "let _ = (call, at);",
        NETWORK,
    ),
    wall(
        "no delayed fast open",
        FILTER,
        "add(libc::SYS_setsockopt, &[is(1, libc::IPPROTO_TCP), is(2, option)])?;",
        "let _ = option;",
        NETWORK,
    ),
    wall("no MPTCP", FILTER, "add(socket, &conditions)?;", "let _ = conditions;", NETWORK),
    wall(
        "families of sockets",
        FILTER,
        "add(socket, &families.map(|family| is_not(0, family)))?;",
        "let _ = families;",
        COMMAND,
    ),
    wall(
        "kinds of netlink",
        FILTER,
        "add(socket, &[is(0, netlink), is_not(2, libc::NETLINK_ROUTE)])?;",
        "",
        COMMAND,
    ),
    wall(
        "no namespaces of users",
        FILTER,
        "add(call, &[has_bits(0, libc::CLONE_NEWUSER)])?;",
        "let _ = call;",
        COMMAND,
    ),
    wall(
        "calls that seem missing",
        FILTER,
        "[(refused, libc::EPERM), (missing, libc::ENOSYS)]",
        "[(refused, libc::EPERM), (Rules::new(), libc::ENOSYS)]",
        COMMAND,
    ),
    wall(
        "calls that no command needs",
        FILTER,
        "Rules::from_iter(REFUSED_CALLS.map(|call| (call, Vec::new())))",
        "Rules::new()",
        COMMAND,
    ),
    wall(
        "read-only mounts",
        "crates/hobnob-mcp-process/src/sandbox/mount_flags.rs",
        "MountAccess::Read => MountFlags::RDONLY | MountFlags::NOSUID",
        "MountAccess::Read => MountFlags::NOSUID",
        COMMAND,
    ),
    wall(
        "hidden secrets of root",
        "crates/hobnob-mcp-process/src/sandbox/new_root.rs",
        "root_secrets::hide(&root)?;",
        "",
        COMMAND,
    ),
    wall(
        "own list of processes",
        "crates/hobnob-mcp-process/src/supervisor/namespace.rs",
        "end_with_parent()?;\n    mount_proc()",
        "end_with_parent()",
        COMMAND,
    ),
    wall(
        "users at the listener",
        "crates/hobnob-hub/src/peer_user.rs",
        "if user.as_ref().is_ok_and(|user| *user == self.user || *user == 0) {",
        "if user.is_ok() {",
        USER,
    ),
    wall(
        "users at the sockets",
        "crates/hobnob-hub/src/private_peer.rs",
        "(Ok(peer), Some(user)) => peer.uid() == user,",
        "(Ok(_), Some(_)) => true,",
        USER,
    ),
    wall(
        "origins",
        GUARD,
        "Ok(place.max(policy.place_of_origin(origin).ok_or(Refusal::OriginForeign)?))",
        "Ok(place)",
        PAGE,
    ),
    wall(
        "host of the target",
        GUARD,
        "place = place.max(policy.place_of_host(target.as_str()).ok_or(Refusal::HostForeign)?);",
        "let _ = target;",
        PAGE,
    ),
    wall(
        "origins of WebSockets",
        GUARD,
        "false => Err(Refusal::OriginForeign),",
        "false => Ok(()),",
        PAGE,
    ),
    wall(
        "owners of sessions",
        "crates/hobnob-mcp-http/src/server/sessions.rs",
        "if !owner.is(found.session.principal()) {",
        "if false {",
        PRINCIPAL,
    ),
    wall(
        "owners of standard error",
        "crates/hobnob-gateway/src/upstream/shown_connections.rs",
        "if *caller == Principal::anonymous() { Self::All } else { Self::Of(caller.clone()) }",
        "{ let _ = caller; Self::All }",
        "principal_logs",
    ),
    wall(
        "rules for callers, in searches",
        "crates/hobnob-gateway/src/tool_search.rs",
        "found.filter(|(name, _)| filter.as_ref().is_none_or(|filter| filter(name)));",
        "found;",
        "rule_callers",
    ),
    wall(
        "terminal or owner's secret",
        "crates/hobnob/src/commands/person.rs",
        "if has_terminal {",
        "if true {",
        "owners_secret",
    ),
    page_wall(
        "page: sites",
        PAGE_GUARD,
        "Found::Once(_) | Found::Unclear => return Err(PageRefusal::FetchSite),",
        "Found::Once(_) | Found::Unclear => {}",
        "guard_table",
    ),
    page_wall(
        "page: origins",
        PAGE_GUARD,
        "Found::Once(origin) if self.is_own(origin) => {}",
        "Found::Once(_) => {}",
        "guard_table",
    ),
    page_wall(
        "page: kind of body",
        PAGE_GUARD,
        "if self.is_change() && !is_json(self.headers) {",
        "if false {",
        "guard_table",
    ),
    page_wall(
        "page: token of a change",
        PAGE_GUARD,
        "match !self.is_change() || session.has_csrf(token) {",
        "match !token.is_empty() || true {",
        "guard_table",
    ),
    page_wall(
        "page: token of this session",
        PAGE_GUARD,
        "match !self.is_change() || session.has_csrf(token) {",
        "match !self.is_change() || !token.is_empty() {",
        "links_and_sessions",
    ),
    page_wall(
        "page: this machine only",
        PAGE_GUARD,
        "if self.connection == BrowserConnection::Plain && !self.from.is_local() {",
        "if false {",
        "guard_table",
    ),
    page_wall(
        "page: guarded cookie",
        PAGE_GUARD,
        "attributes: \"Path=/ui; HttpOnly; SameSite=Strict\",",
        "attributes: \"Path=/ui\",",
        "links_and_sessions",
    ),
    page_wall(
        "page: links count once",
        PAGE_LINKS,
        "open.retain(|link| !link.digest.is(&presented));\n        open.len() < before",
        "before != 0 && open.iter().any(|link| link.digest.is(&presented))",
        "links_and_sessions",
    ),
    page_wall(
        "page: links grow old",
        PAGE_LINKS,
        "open.retain(|link| now < link.until);",
        "open.retain(|link| now < link.until || true);",
        "links_and_sessions",
    ),
    page_wall(
        "page: nothing frames it",
        PAGE_ANSWERS,
        "(X_FRAME_OPTIONS, \"DENY\"),",
        "(X_FRAME_OPTIONS, \"SAMEORIGIN\"),",
        "route_table",
    ),
    page_wall(
        "page: own scripts only",
        PAGE_ANSWERS,
        "script-src 'self';",
        "script-src 'self' 'unsafe-inline';",
        "route_table",
    ),
    page_wall(
        "page: paths of the owner",
        PAGE_ROUTES,
        "if route.users() == RouteUsers::Owner {",
        "if false {",
        "principals",
    ),
    page_wall(
        "page: machine of the owner",
        PAGE_ROUTES,
        "match matches!(self.visitors, PageVisitors::Bearers(_)) && !from.is_local() {",
        "match false && !from.is_local() {",
        "principals",
    ),
    page_wall(
        "page: one session in a request",
        PAGE_GUARD,
        "found.all(|other| Arc::ptr_eq(&other, &session)).then_some(session)",
        "found.next().or(Some(session))",
        "principals",
    ),
    page_wall(
        "page: tokens that ended",
        "crates/hobnob-ui/src/session_life.rs",
        "matches!(checked, Ok(_) | Err(IdentityRefusal::Unavailable))",
        "matches!(checked, Ok(_) | Err(_))",
        "principals",
    ),
    page_wall(
        "page: calls of others",
        "crates/hobnob-ui/src/feed.rs",
        "if known.principal == call.principal\n",
        "if !known.principal.is_empty()\n",
        "principal_records",
    ),
    page_wall(
        "page: lines of others",
        "crates/hobnob-ui/src/api/audit.rs",
        "AuditFilter { principal, ..AuditFilter::default() }",
        "AuditFilter { principal: principal.filter(|_| false), ..AuditFilter::default() }",
        "principal_records",
    ),
    wall(
        "page: passwords of users",
        "crates/hobnob-mcp-auth/src/authorization_server/sign_in.rs",
        "PasswordCheck::Wrong => return Err(SignInRefusal::Wrong),",
        "PasswordCheck::Wrong => {}",
        "page_users",
    ),
    wall(
        "page: only what was shown is added",
        "crates/hobnob-hub/src/page/adding.rs",
        "if server.digest.to_string() != wanted.digest {",
        "if false {",
        "page_adding",
    ),
    wall(
        "page: only what was shown is approved",
        "crates/hobnob-hub/src/page/approving.rs",
        "|it: &ServerToApprove| digest_of_server(it).to_string() == approval.digest;",
        "|_: &ServerToApprove| approval.digest.len() != 1;",
        "page_adding",
    ),
];

#[cfg(test)]
mod tests {
    use super::WALLS;
    use crate::workspace::Workspace;
    use std::fs;

    #[test]
    fn each_wall_is_where_the_table_says() {
        let root = Workspace::load().unwrap().root;
        for wall in WALLS {
            let whole = fs::read_to_string(root.join(wall.file)).unwrap();
            wall.removed_from(&whole).unwrap();
        }
    }
}

// Users who log in to this hub, and what has logged in: each login ends with a button, and so do all
// of a user at once.

import { type Column, Empty, ErrorNote, Foreign, Panel, Table, When } from "../../ui/index.ts";
import { button } from "./lists.tsx";
import type { Asked, Login, Logins, User } from "./types.ts";

type Props = { logins: Logins; onAsk: (asked: Asked) => void };

const ENDS = "Requests with its tokens are refused from the next one on. A call that runs now goes on to its end.";

export function Users({ logins, onAsk }: Props) {
  const countOf = (user: User) => logins.open.filter((login) => login.user === user.name).length;
  return (
    <Panel title="Users and logins">
      {logins.problem !== null && <ErrorNote message={logins.problem} />}
      <Table
        label="Users"
        columns={userColumns(countOf, onAsk)}
        rows={logins.users}
        rowKey={(it) => it.name}
        empty={logins.problem === null && <Empty title="There is no user yet">Add one in a terminal: hobnob user add NAME</Empty>}
      />
      {logins.open.length > 0 && (
        <Table label="Open logins" columns={loginColumns(onAsk)} rows={logins.open} rowKey={(it) => it.id} />
      )}
    </Panel>
  );
}

function userColumns(countOf: (user: User) => number, onAsk: Props["onAsk"]): readonly Column<User>[] {
  const asked = (it: User): Asked => ({
    title: "Log this user out everywhere?",
    text: it.name,
    action: "Log out everywhere",
    consequence: `Every login ends, also one that begins in this moment. ${ENDS} The user can log in again; to remove the user: hobnob user remove ${it.name}`,
    body: { what: "logins", user: it.name },
  });
  return [
    { id: "name", title: "User", cell: (it) => <Foreign text={it.name} max={80} /> },
    { id: "role", title: "Role", cell: (it) => it.role },
    { id: "profiles", title: "May reach", cell: (it) => (it.profiles.length === 0 ? "everything" : <Foreign text={it.profiles.join(", ")} max={200} />) },
    { id: "agrees", title: "Agrees to logins", cell: (it) => (it.in_terminal ? "in a terminal only" : "with a password") },
    { id: "created", title: "Added", cell: (it) => <When at={it.created} /> },
    { id: "logins", title: "Logins", numeric: true, cell: countOf },
    { id: "end", title: "Log out", cell: (it) => countOf(it) > 0 && button("Log out", `Log out ${it.name} everywhere`, () => asked(it), onAsk) },
  ];
}

function loginColumns(onAsk: Props["onAsk"]): readonly Column<Login>[] {
  const what = (it: Login) => it.client?.name ?? "a browser that stays logged in";
  const asked = (it: Login): Asked => ({
    title: "End this login?",
    text: `${it.user}: ${what(it)}${it.client === null ? "" : `\n${it.client.resource}\n${it.client.scopes.join(" ")}`}`,
    action: "End it",
    consequence: it.client === null ? "The next login in this browser needs the password again." : ENDS,
    body: { what: "login", id: it.id },
  });
  return [
    { id: "user", title: "User", cell: (it) => <Foreign text={it.user} max={80} /> },
    { id: "client", title: "Logged in", cell: (it) => <Foreign text={what(it)} max={120} /> },
    { id: "scopes", title: "Scopes", cell: (it) => <Foreign text={it.client?.scopes.join(" ")} max={120} /> },
    { id: "created", title: "Since", cell: (it) => <When at={it.client?.created} /> },
    { id: "renewed", title: "Renewed", cell: (it) => <When at={it.client?.renewed} /> },
    { id: "ends", title: "Ends", cell: (it) => <When at={it.ends} /> },
    { id: "end", title: "End", cell: (it) => button("End", `End the login of ${it.user} in ${what(it)}`.slice(0, 200), () => asked(it), onAsk) },
  ];
}

// The answers of `/ui/api/rules…`. Every text in them may have been chosen by a server or a caller.

export type Action = "allow" | "ask" | "ask-owner" | "deny";

export type Rule = {
  number: number;
  profile: string | null;
  line: number | null;
  text: string;
  tools: string;
  pattern: string | null;
  principal: string | null;
  group: string | null;
  action: Action;
  examples: string[];
  matches: number;
  unlisted: string[];
  uses: number;
  last_used: string | null;
};
export type Group = { name: string; members: string[] };
export type Grant = { text: string; problem: string | null; digest: string };
export type Service = { name: string; access: string | null; grants: Grant[] };
export type Token = {
  id: string;
  name: string;
  principal: string;
  scopes: string[];
  profile: string | null;
  created: string;
  expires: string | null;
  last_used: string | null;
  digest: string;
};
export type Approval = { server: string; file: string; kind: "server" | "changes"; pinned: number; digest: string };

/** An answer of a person that holds until the hub restarts. */
export type Consent = { tool: string; principal: string; profile: string | null; digest: string };

export type User = { name: string; role: string; profiles: string[]; in_terminal: boolean; created: string };
export type Login = {
  id: string;
  user: string;
  /** Null for a browser that stays logged in. */
  client: { name: string; resource: string; scopes: string[]; created: string; renewed: string } | null;
  ends: string;
};
export type Logins = { users: User[]; open: Login[]; problem: string | null };

export type Report = {
  file: string;
  problem: string | null;
  digest: string;
  rules: Rule[];
  groups: Group[];
  services: Service[];
  grants_problem: string | null;
  tokens: Token[];
  tokens_problem: string | null;
  approvals: Approval[];
  approvals_problem: string | null;
  counted_since: string;
  consents: Consent[];
  /** Null where nobody can log in to the hub. */
  logins: Logins | null;
};

export type Decided = {
  tool: string;
  rules_name: string;
  known: boolean;
  action: Action;
  explained: string;
  rule: { number: number; profile: string | null } | null;
  service: string | null;
};

export type Effect = { tool: string; before: Action; after: Action };
export type Preview = { text: string; notes: string[]; effects: Effect[]; affected: number };
export type Changed = { text: string; notes: string[] };

export type TakenBack =
  | { what: "rule"; number: number; digest: string }
  | { what: "grant"; digest: string }
  | { what: "token"; id: string; digest: string }
  | { what: "approval"; server: string; kind: Approval["kind"]; digest: string }
  | { what: "consent"; digest: string }
  | { what: "login"; id: string }
  | { what: "logins"; user: string };

/** Something that a person wants to take back, as it was shown when they clicked. */
export type Asked = { title: string; text: string; action: string; consequence: string; body: TakenBack };

export type WantedRule = {
  tool: string;
  action: Action;
  principal?: string;
  group?: string;
  future: boolean;
  digest: string;
};

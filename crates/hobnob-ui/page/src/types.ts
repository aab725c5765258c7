// The answers of the hub's page server. Names that Rust serializes in snake_case stay so.
// Every text in them was chosen by a server, a client or a model: show it as text, never as HTML.

export type Session = {
  csrf: string;
  /** The owner sees all of the hub, a principal what is theirs. */
  rights: "owner" | "principal";
  principal: string;
  /** The prefix of the view that a principal gets, such as `/p/work`; empty at the root. */
  view: string;
  version: string;
  instance: string;
  project: string;
  profile_names: string[];
  /** How principals sign in here, the usual way first; empty if only the owner visits. */
  sign_in: readonly SignInWay[];
};

/** How a principal signs in: with a user name and a password, or with an access token. */
export type SignInWay = "password" | "token";

export type Progress = { at: number; total: number | null; message: string | null };

export type Call = {
  id: number;
  at: string;
  method: string;
  target: string;
  server: string | null;
  principal: string;
  client: string | null;
  via: string | null;
  /** Whether a person makes it on a page of this hub: the hub knows, no client can claim it. */
  own_page: boolean;
  progress?: Progress;
};

export type EndedCall = Call & {
  outcome: string;
  code: number | null;
  duration_us: number;
  request_bytes: number;
  result_bytes: number;
};

export type Phase =
  | "disabled"
  | "misconfigured"
  | "refused"
  | "needs-approval"
  | "needs-login"
  | "unknown"
  | "stopped"
  | "sleeping"
  | "starting"
  | "installing"
  | "ready"
  | "failed"
  | "resting";

export type LoginReport = {
  logged_in: boolean;
  expires_in_seconds?: number;
  renews: boolean;
  last_error?: string;
};

export type UpstreamStatus = {
  name: string;
  phase: Phase;
  reason?: string;
  hint?: string;
  login?: LoginReport;
  failed_at?: string;
  first_start?: string;
  origin: string;
  transport: string;
  target: string;
  sandbox?: string;
  server?: string;
  revision?: string;
  pid?: number;
  uptime_seconds?: number;
  connections: number;
  in_flight: number;
  starts: number;
  tools: number;
  resources: number;
  templates: number;
  prompts: number;
  quarantined?: string[];
  warnings?: string[];
};

export type GatewayStatus = {
  version: string;
  pid: number;
  instance: string;
  project: string;
  problems?: string[];
  servers: UpstreamStatus[];
};

export type ShownArguments = "absent" | { text: string } | { file: { path: string; bytes: number } };

export type OwnerAnswer = "yes" | "no" | "always" | "never";

/** What happens after a yes: the open call goes on, its client comes back, or the caller calls again. */
export type AfterYes = "continues" | "client-returns" | "call-again";

export type OwnerQuestion = {
  number: number;
  principal: string;
  address: string | null;
  via: string | null;
  client: string | null;
  /** Whether one of the owner's own clients makes the call. */
  own: boolean;
  server: string | null;
  tool: string;
  public: string;
  arguments: ShownArguments;
  because: string;
  age: number;
  answer: OwnerAnswer | null;
  /** The rules of "always" and "never"; without them, neither is an answer. */
  always_writes: string | null;
  never_writes: string | null;
  after_yes: AfterYes;
};

export type Waiting = {
  approvals: { server: string; command: string; reason: string; how: string }[];
  changed_tools: { server: string; tool: string; how: string }[];
  logins: { server: string; reason: string; how: string }[];
};

export type State = {
  status: GatewayStatus;
  running: Call[];
  recent: EndedCall[];
  questions: OwnerQuestion[];
  waiting: Waiting;
  recordings?: Recording[];
};

export type RecordingSubject = { server: string } | { client: string } | "all-clients";

export type Recording = {
  id: number;
  subject: RecordingSubject;
  started: string;
  ends: string;
  total: number;
  kept: number;
  bytes: number;
};

export type RecordedMessage = {
  number: number;
  at: string;
  side: "client" | "server";
  direction: "received" | "sent";
  kind: "request" | "notification" | "answer" | "error" | "batch" | "unreadable";
  client: string | null;
  server: string | null;
  method: string | null;
  id: string | null;
  call: number | null;
  exchange: number | null;
  revision: string | null;
  bytes: number;
  is_cut: boolean;
  text: string;
};

export type CallsEvent = { begun: Call[]; ended: EndedCall[]; dropped: number };
export type MovedCall = { id: number; progress: Progress };
export type QuestionsEvent = { questions: OwnerQuestion[]; waiting: Waiting };
export type Changed = "memory" | "tasks" | "trees" | "tools" | "audit" | "usage" | "rules" | "health";
export type ChangedEvent = { what: Changed[] };

export type UsageBy = "tool" | "server" | "client" | "principal";
export type UsageRow = {
  name: string;
  calls: number;
  errors: number;
  p50_us: number | null;
  p95_us: number | null;
  request_tokens: number;
  result_tokens: number;
  last: string;
};
export type UsageBucket = {
  at: string;
  calls: number;
  errors: number;
  p50_us: number | null;
  p95_us: number | null;
  request_tokens: number;
  result_tokens: number;
};
export type Usage = {
  from: string;
  to: string;
  by: string;
  rows: UsageRow[];
  series: UsageBucket[];
  bucket_seconds: 60 | 3600 | 86400;
};

/** A line of the audit log; some kinds of lines have only `at` and one other field. */
export type AuditLine = {
  at: string;
  principal?: string;
  address?: string;
  client?: string;
  client_version?: string;
  via?: string;
  revision?: string;
  method?: string;
  tool?: string;
  prompt?: string;
  program?: string;
  grant?: string;
  uri?: string;
  server?: string;
  original?: string;
  decision?: string;
  rule?: string;
  outcome?: string;
  code?: number;
  duration_us?: number;
  request_bytes?: number;
  result_bytes?: number;
  repeated?: number;
  since?: string;
  lost?: number;
  torn?: string;
  head?: string;
};
export type AuditPage = { lines: AuditLine[]; next: string | null };

/** A change of a server: the phase that began. */
export type PhaseChange = { at: string; phase: Phase; reason?: string };
export type CallsSum = { calls: number; errors: number; p50_us: number | null; p95_us: number | null };
export type ProcessUse = { processes: number; resident_bytes: number; cpu_ms: number };
export type ServerHistory = {
  name: string;
  changes: PhaseChange[];
  calls: CallsSum | null;
  process: ProcessUse | null;
};
export type ServerHistories = { now: string; calls_since: string | null; servers: ServerHistory[] };

export type AdviceItem = { level: "note" | "warning" | "broken"; message: string; remedy: string | null };

/** One of a server's processes, with all that it started. */
export type ServerProcess = {
  server: string;
  pid: number;
  /** Empty where it serves callers without a name. */
  principal: string;
  one_client: boolean;
  uptime_seconds: number;
  in_flight: number;
  used: ProcessUse | null;
};

export type Health = {
  version: string;
  revision: string;
  sqlite: string;
  process: ProcessUse | null;
  instance: string;
  pid: number;
  uptime_seconds: number;
  project: string;
  problems: string[];
  listener: string;
  store: { path: string; bytes: number; free_bytes: number } | null;
  audit: { enabled: boolean; path: string; bytes: number };
  limits: { name: string; used: number; max: number; unit: "count" | "bytes"; remedy: string }[];
  processes: ServerProcess[];
  advice: AdviceItem[];
};

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export type McpMethod =
  | "tools/list"
  | "tools/call"
  | "resources/list"
  | "resources/read"
  | "prompts/list"
  | "prompts/get";

export type McpAnswer =
  | { result: JsonObject }
  | { error: { code: number; message: string; data?: Json } }
  | { input_required: JsonObject };

export type Tool = {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations?: JsonObject;
  _meta?: JsonObject;
};

export type ContentBlock = JsonObject & { type: string };

export type ToolResult = {
  content?: ContentBlock[];
  structuredContent?: Json;
  isError?: boolean;
};

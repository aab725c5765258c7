// What the mock hub knows: servers, tools, questions, usage, an audit log, health.

import { BIDI, LINK, LONG, SCRIPT, TEMPLATE, hostile } from "./hostile.mjs";

const server = (name, more) => ({
  name, phase: "ready", origin: ".mcp.json of the project", transport: "stdio", target: `npx -y @example/${name}`,
  connections: 1, in_flight: 0, starts: 1, tools: 0, resources: 0, templates: 0, prompts: 0, ...more,
});

export const servers = [
  server("files", { server: "filesystem 1.4.2", revision: "2025-11-25", pid: 4242, uptime_seconds: 8123, tools: 12, resources: 3, in_flight: 1, sandbox: "network and files" }),
  server("github", { phase: "needs-login", transport: "http", target: "https://api.example.com/mcp", connections: 0, starts: 0, reason: "the server asks for a login", hint: "hobnob login github", login: { logged_in: false, renews: false } }),
  server("linear", { transport: "http", target: "https://mcp.example.com/linear", server: "Linear 2.0", revision: "2026-07-28", uptime_seconds: 90_000, tools: 24, login: { logged_in: true, expires_in_seconds: 1800, renews: true } }),
  server("search", { phase: "failed", connections: 0, starts: 3, reason: "the program ended with code 1 before it greeted: Error: Cannot find module '@example/search'", hint: "hobnob logs search", failed_at: new Date(Date.now() - 240_000).toISOString() }),
  server("browser", { phase: "sleeping", tools: 60, starts: 2, connections: 0 }),
  server("postgres", { phase: "needs-approval", starts: 0, connections: 0, reason: "the project's file added it", hint: "hobnob approve postgres" }),
  server("legacy", { phase: "disabled", starts: 0, connections: 0 }),
  server("hostile", { server: `${SCRIPT} 1.0`, revision: SCRIPT, target: `sh -c '${SCRIPT} ${BIDI}'`, pid: 666, uptime_seconds: 12, tools: 3, warnings: [SCRIPT, TEMPLATE], quarantined: [SCRIPT, "wipe"], origin: LONG }),
];

export const status = () => ({
  version: "0.9.0", pid: 4000, instance: "a1b2c3d4", project: "/home/ada/work/shop", servers,
  problems: ["`mcp__files__read` is taken by files, so old-files does not have it"],
});

const OF_OTHERS = { own: false, client: null, after_yes: "call-again", always_writes: null, never_writes: null };

export const questions = [
  { number: 3, ...OF_OTHERS, client: "claude-code", principal: "ci", address: "192.0.2.7", via: null, server: "files", tool: "edit_file", public: "mcp__files__edit_file",
    arguments: { text: JSON.stringify({ path: "src/cart/total.ts", edits: [{ oldText: "export function total(items: Item[]): number {\n  let sum = 0;\n  for (const item of items) {\n    sum += item.price;\n  }\n  return sum;\n}", newText: "export function total(items: Item[]): Money {\n  let sum = Money.zero();\n  for (const item of items) {\n    sum = sum.add(item.price.times(item.count));\n  }\n  return sum;\n}" }], dryRun: false }) },
    because: "the rule `ask files write` asks for calls that write", age: 41, answer: null },
  { number: 4, ...OF_OTHERS, client: SCRIPT, principal: "", address: null, via: `cone ${SCRIPT}`, server: "hostile", tool: SCRIPT, public: `mcp__hostile__${BIDI}`,
    arguments: { text: `{"command":"rm -rf \u202e/emoh","n":1.0e+5,"html":${JSON.stringify(SCRIPT)},"zero\u200bwidth":true}` }, because: TEMPLATE, age: 3, answer: null },
  { number: 5, ...OF_OTHERS, principal: "ada", address: "::1", via: null, server: null, tool: "memory_delete", public: "memory_delete",
    arguments: { file: { path: "/home/ada/.local/state/hobnob/questions/5.json", bytes: 123_456 } }, because: "memory_delete always asks", age: 400, answer: null },
  { number: 6, own: true, client: "cursor-vscode", after_yes: "continues", always_writes: "files/move_file allow", never_writes: "files/move_file deny",
    principal: "", address: null, via: null, server: "files", tool: "move_file", public: "mcp__files__move_file",
    arguments: { text: JSON.stringify({ source: "src/cart.ts", destination: "src/cart/index.ts" }) }, because: "no rule decides about it", age: 7, answer: null },
  { number: 2, ...OF_OTHERS, principal: "ada", address: null, via: null, server: "linear", tool: "create_issue", public: "mcp__linear__create_issue", arguments: "absent", because: "asked once", age: 900, answer: "yes" },
];

export const waiting = {
  approvals: [{ server: "postgres", command: "npx -y @example/postgres postgresql://localhost/shop", reason: "the project's .mcp.json added it", how: "hobnob approve postgres" }],
  changed_tools: [{ server: "hostile", tool: SCRIPT, how: "hobnob approve hostile --tools" }],
  logins: [{ server: "github", reason: "the server asks for a login", how: "hobnob login github" }],
};

const schema = (properties, required = []) => ({ type: "object", properties, required, additionalProperties: false });

export const tools = [
  { name: "find_tools", description: "Finds tools by what you want to do, best first", inputSchema: schema({ query: { type: "string" }, limit: { type: ["integer", "null"] } }, ["query"]) },
  { name: "describe_tools", description: "Shows the full definitions of tools", inputSchema: schema({ names: { type: "array", items: { type: "string" } } }, ["names"]) },
  { name: "mcp__files__read_text_file", title: "Read a text file", description: "Reads the complete contents of a file as text.\nUse `head` or `tail` to read a part of it.", annotations: { readOnlyHint: true, openWorldHint: true },
    inputSchema: schema({ path: { type: "string", description: "The file, relative to the project" }, head: { type: "integer", description: "Only the first lines" }, tail: { type: "integer" } }, ["path"]) },
  { name: "mcp__files__edit_file", description: "Edits a file by replacing texts", annotations: { destructiveHint: true },
    inputSchema: schema({ path: { type: "string" }, edits: { type: "array", items: { type: "object", properties: { oldText: { type: "string" }, newText: { type: "string" } }, required: ["oldText", "newText"] } }, dryRun: { type: "boolean", default: false }, mode: { enum: ["strict", "fuzzy"] }, options: {} }, ["path", "edits"]) },
  { name: "mcp__files__list_directory", description: "Lists a folder as a table", inputSchema: schema({ path: { type: "string", default: "." } }) },
  { name: "mcp__files__screenshot", description: "Takes a picture", inputSchema: schema({}) },
  { name: "mcp__linear__create_issue", description: "Creates an issue; asks you for its team", inputSchema: schema({ title: { type: "string" }, description: { type: "string" }, priority: { type: "integer", enum: [0, 1, 2, 3, 4] } }, ["title"]) },
  { name: "mcp__hostile__x", title: SCRIPT, description: `${SCRIPT}\n${TEMPLATE} ${BIDI} ${LONG}`, inputSchema: schema({ [SCRIPT]: { type: "string", title: SCRIPT, description: SCRIPT, default: SCRIPT }, __proto__x: { enum: [SCRIPT, BIDI] } }, [SCRIPT]) },
];
const TOOLS = Number(process.env.MOCK_TOOLS ?? 60);
for (let index = 0; index < TOOLS; index += 1) {
  tools.push({ name: `mcp__browser__action_${index}`, description: `Does action number ${index} in the browser`, inputSchema: schema({ selector: { type: "string" } }) });
}

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGNgYGD4jxuPSmMhAABhJwhCaqV0WgAAAABJRU5ErkJggg==";

export function toolResult(name, args) {
  if (name === "find_tools") {
    const found = tools.filter((tool) => JSON.stringify(tool).toLowerCase().includes(String(args.query).toLowerCase())).slice(0, args.limit ?? 8);
    const list = found.map((tool) => ({ name: tool.name, server: tool.name.split("__")[1] ?? "hobnob", description: tool.description.slice(0, 160), required: [] }));
    return { result: { content: [{ type: "text", text: list.length ? JSON.stringify(list) : "no tool fits these words; try others" }] } };
  }
  if (name === "describe_tools") return { result: { content: [{ type: "text", text: JSON.stringify(tools.filter((tool) => args.names.includes(tool.name))) }] } };
  if (name === "mcp__linear__create_issue") return { input_required: { inputRequests: { a: { method: "elicitation/create", params: { mode: "form", message: `Which team? ${SCRIPT}`, requestedSchema: {} } } } } };
  if (name === "mcp__files__list_directory") {
    return { result: { content: [{ type: "text", text: "3 entries" }], structuredContent: { entries: [{ name: "cart.ts", size: 1234, kind: "file" }, { name: SCRIPT, size: 99, kind: BIDI }, { name: "lib", size: null, kind: "folder" }] } } };
  }
  if (name === "mcp__files__screenshot") {
    return { result: { content: [{ type: "image", mimeType: "image/png", data: PNG }, { type: "image", mimeType: "image/svg+xml", data: Buffer.from(`<svg onload="window.__xss=1"/>`).toString("base64") }, { type: "resource_link", name: SCRIPT, uri: LINK }, { type: "resource_link", name: "docs", uri: "https://example.org/docs" }] } };
  }
  if (name === "mcp__files__edit_file") return { error: { code: -32602, message: `the arguments do not fit: ${SCRIPT}` } };
  if (name === "mcp__hostile__x") {
    return { result: { isError: true, content: [{ type: "text", text: `${SCRIPT}\nsee https://example.org/a?b=1 and ${LINK}` }, { type: SCRIPT, x: SCRIPT }, { type: "resource", resource: { uri: LINK, text: SCRIPT } }], structuredContent: { [SCRIPT]: [SCRIPT, { deep: BIDI }] } } };
  }
  if (name === "mcp__files__read_text_file") return { result: { content: [{ type: "text", text: `// ${args.path}\nexport const answer = 42; // https://example.org/spec\n` }] } };
  return { error: { code: -32602, message: `Unknown tool: ${name}` } };
}

const names = ["mcp__files__read_text_file", "mcp__files__edit_file", "mcp__linear__create_issue", "mcp__browser__action_1", "memory_search", SCRIPT];

export function usage(days, by) {
  // As the hub has it: minutes of a day, hours of a week, and no bucket in which nothing was called.
  const bucket = days <= 1 ? 60 : days <= 7 ? 3600 : 86400;
  const now = Math.floor(Date.now() / 1000 / bucket) * bucket * 1000;
  const count = (days * 86400) / bucket;
  const quiet = (index) => (days <= 1 ? index % 97 > 5 : days <= 7 && index % 24 > 12);
  const series = Array.from({ length: count }, (_, index) => (quiet(index) ? null : {
    at: new Date(now - (count - index) * bucket * 1000).toISOString(), calls: 200 + ((index * 7919) % 300), errors: (index * 31) % 13,
    p50_us: 4000 + ((index * 137) % 5000), p95_us: 40_000 + ((index * 733) % 90_000), request_tokens: 9000 + index * 10, result_tokens: 80_000 + index * 100,
  })).filter((point) => point !== null);
  const rows = names.map((name, index) => ({ name: by === "tool" ? name : `${by} ${index} ${hostile(index)}`, calls: 1200 >> index, errors: index * 3, p50_us: 4000 * (index + 1), p95_us: 90_000 * (index + 1), request_tokens: 30_000 >> index, result_tokens: 900_000 >> index, last: new Date(now - index * 3_600_000).toISOString() }));
  return { from: new Date(now - days * 86_400_000).toISOString(), to: new Date(now).toISOString(), by, rows, series, bucket_seconds: bucket };
}

const OUTCOMES = ["ok", "ok", "ok", "tool_error", "error", "refused", "timeout", "upstream_lost"];

export function auditLines(limit, before) {
  const first = before === null ? 1000 : Number(before);
  const lines = Array.from({ length: Math.max(0, Math.min(limit, first)) }, (_, index) => {
    const at = first - index;
    const outcome = OUTCOMES[at % OUTCOMES.length];
    return { at: new Date(Date.now() - (1000 - at) * 7000).toISOString(), principal: at % 3 ? "ada" : "", address: "127.0.0.1", client: at % 11 ? "claude-code" : SCRIPT, client_version: "2.1", revision: "2026-07-28", method: "tools/call", tool: names[at % names.length], server: "files", decision: "allow", rule: at % 5 ? undefined : TEMPLATE, outcome, ...(outcome === "error" ? { code: -32603 } : {}), duration_us: 900 + at, request_bytes: 120, result_bytes: 4000 };
  });
  return { lines, next: first - lines.length > 0 ? String(first - lines.length) : null };
}

export const health = () => ({
  version: "0.9.0", revision: "2026-07-28", sqlite: "3.51.1", process: { processes: 1, resident_bytes: 41_000_000, cpu_ms: 93_000 }, instance: "a1b2c3d4", pid: 4000, uptime_seconds: 86_500, project: "/home/ada/work/shop", problems: [SCRIPT], listener: "http://127.0.0.1:4815",
  store: { path: "/home/ada/.local/share/hobnob/store.db", bytes: 34_000_000, free_bytes: 120_000_000_000 }, audit: { enabled: true, path: "/home/ada/.local/state/hobnob/audit.jsonl", bytes: 5_400_000 },
  limits: [
    { name: "calls in flight", used: 7, max: 4096, unit: "count", remedy: "cancel what hangs under Now" },
    { name: "event streams", used: 30, max: 32, unit: "count", remedy: "close clients that are not used" },
    { name: `memories of ${SCRIPT}`, used: 850_000, max: 1_000_000, unit: "count", remedy: SCRIPT },
    { name: "memory of large results", used: 12_000_000, max: 67_108_864, unit: "bytes", remedy: "nothing needs to be done" },
  ],
  processes: [
    { server: "browser", pid: 4301, principal: "", one_client: true, uptime_seconds: 900, in_flight: 1, used: { processes: 5, resident_bytes: 410_000_000, cpu_ms: 9_000 } },
    { server: "browser", pid: 4388, principal: "ada", one_client: true, uptime_seconds: 60, in_flight: 0, used: { processes: 5, resident_bytes: 390_000_000, cpu_ms: 2_000 } },
    { server: "files", pid: 4242, principal: "", one_client: false, uptime_seconds: 8123, in_flight: 1, used: null },
    { server: "hostile", pid: 666, principal: SCRIPT, one_client: false, uptime_seconds: 12, in_flight: 0, used: { processes: 1, resident_bytes: 9_000_000, cpu_ms: 1 } },
  ], advice: [{ level: "broken", message: SCRIPT, remedy: "chmod 700 /home/ada/.config/hobnob" }, { level: "note", message: "calls are not recorded", remedy: "hobnob config set audit.enabled true" }],
});

const rule = (number, more) => ({ number, profile: null, line: 3 * number, text: "", tools: "*", pattern: null, principal: null, group: null, action: "allow", examples: [], matches: 0, unlisted: [], uses: 0, last_used: null, ...more });
const day = (days) => new Date(Date.now() + days * 86_400_000).toISOString();

export const rules = {
  file: "/home/ada/.config/hobnob/config.toml", problem: null, digest: "d1",
  rules: [
    rule(1, { text: "files/edit_file ask-owner", tools: "files/edit_file", action: "ask-owner", examples: ["files/edit_file"], matches: 1, uses: 12, last_used: day(-0.01) }),
    rule(2, { text: "files/* allow", tools: "files/*", examples: ["files/read_text_file", "files/list_directory"], matches: 12, uses: 4321, last_used: day(0) }),
    rule(3, { text: `${SCRIPT} deny for ${BIDI}`, tools: SCRIPT, pattern: TEMPLATE, principal: BIDI, action: "deny" }),
    rule(4, { text: "postgres/* ask for group dev", tools: "postgres/*", group: "dev", action: "ask", unlisted: ["postgres"] }),
    rule(1, { profile: "work", text: "linear/* deny", tools: "linear/*", action: "deny", examples: ["linear/create_issue"], matches: 24, uses: 1, last_used: day(-0.5) }),
  ],
  groups: [{ name: "dev", members: ["ada", "ci"] }],
  services: [
    { name: "files", access: "read-write", grants: [{ text: "files /home/ada/work write", problem: null, digest: "g1" }, { text: `files /gone/${SCRIPT}`, problem: "the folder is gone", digest: "g2" }] },
    { name: "shell", access: "disabled", grants: [] },
  ],
  grants_problem: null,
  tokens: [{ id: "t1", name: "ci", principal: "token:ci", scopes: ["read", "call"], profile: null, created: day(-30), expires: day(60), last_used: day(-0.1), digest: "t1" }],
  tokens_problem: null,
  approvals: [{ server: "files", file: "/home/ada/work/shop/.mcp.json", kind: "server", pinned: 12, digest: "a1" }, { server: "hostile", file: LONG, kind: "changes", pinned: 3, digest: "a2" }],
  approvals_problem: null,
  counted_since: day(-1),
  consents: [
    { tool: "mcp__files__edit_file", principal: "", profile: null, digest: "c1" },
    { tool: `mcp__hostile__${SCRIPT}`, principal: BIDI, profile: "work", digest: "c2" },
  ],
  logins: {
    users: [
      { name: "ada", role: "admin", profiles: [], in_terminal: false, created: day(-90) },
      { name: "ops", role: "member", profiles: ["work", "home"], in_terminal: true, created: day(-3) },
    ],
    open: [
      { id: "l1", user: "ada", client: { name: "Claude Code", resource: "https://hub.example.com/mcp", scopes: ["read", "call"], created: day(-3), renewed: day(-0.02) }, ends: day(27) },
      { id: "l2", user: "ada", client: { name: SCRIPT, resource: LINK, scopes: [SCRIPT], created: day(-1), renewed: day(-1) }, ends: day(29) },
      { id: "l3", user: "ada", client: null, ends: day(0.4) },
    ],
    problem: null,
  },
};
export const decided = { tool: "mcp__files__edit_file", rules_name: "files/edit_file", known: true, action: "ask-owner", explained: `asks the owner by rule \`files/edit_file ask-owner\` ${SCRIPT}`, rule: { number: 1, profile: null }, service: null };
export const preview = { text: "files/edit_file ask-owner", notes: [SCRIPT], effects: [{ tool: "files/edit_file", before: "allow", after: "ask-owner" }], affected: 1 };

const ago = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();
export const histories = (wanted) => ({
  now: ago(0), calls_since: null,
  servers: status().servers.filter(({ name }) => wanted === undefined || name === wanted).map(({ name, phase }, index) => ({
    name,
    changes: [
      { at: ago(50), phase: "starting" }, { at: ago(49), phase: "ready" }, { at: ago(20 + index), phase: "failed", reason: `the connection ended: ${SCRIPT}\n${"at line 7 of server.js\n".repeat(30)}` },
      { at: ago(18), phase: "starting" }, { at: ago(17.5), phase },
    ],
    calls: index % 4 === 3 ? null : { calls: 120 + index, errors: index, p50_us: 900 * (index + 1), p95_us: 40_000 * (index + 1) },
    process: index % 3 === 2 ? null : { processes: 2, resident_bytes: 61_000_000 + index * 9_000_000, cpu_ms: 1_200 },
  })),
});

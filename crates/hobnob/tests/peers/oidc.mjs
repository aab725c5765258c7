// An authorization server of somebody else (oidc-provider) and a small MCP server that trusts it, on
// the loopback interface. Prints one line of JSON when both listen. Access tokens are JWTs for the
// server; refresh tokens change with every use, and using one again ends the whole login.

import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.env.PEER_HOME, 'package.json'));
const load = async (name) => import(pathToFileURL(require.resolve(name)));
const { default: Provider } = await load('oidc-provider');
const { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } = await load('jose');

const listen = (server) =>
  new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));
const counts = { refreshes: 0, registrations: 0, refused: 0 };
// Tokens that are over before their time, so that nobody has to wait for that.
const over = new Set();
const seen = new Set();

const { privateKey } = await generateKeyPair('ES256', { extractable: true });
const key = { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'one' };
const { d: _, ...published } = key;
const keys = createLocalJWKSet({ keys: [published] });

let issuer, url;
const resource = createServer(async (request, response) => {
  const send = (status, body, headers = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body === undefined ? '' : JSON.stringify(body));
  };
  if (request.url === '/.well-known/oauth-protected-resource/mcp') {
    return send(200, { resource: url, authorization_servers: [issuer], scopes_supported: ['tools'] });
  }
  if (request.url === '/control/expire') {
    for (const token of seen) over.add(token);
    return send(200, counts);
  }
  if (request.url === '/control/counts') return send(200, { ...counts, tokens: [...seen] });
  if (request.url !== '/mcp' || request.method !== 'POST') return send(405, {});
  const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
  let claims;
  try {
    if (over.has(token)) throw new Error('over');
    claims = (await jwtVerify(token, keys, { issuer, audience: url, typ: 'at+jwt' })).payload;
    seen.add(token);
  } catch {
    counts.refused += 1;
    const place = url.replace('/mcp', '/.well-known/oauth-protected-resource/mcp');
    const error = token ? ', error="invalid_token"' : '';
    return send(401, {}, { 'www-authenticate': `Bearer resource_metadata="${place}"${error}` });
  }
  let text = '';
  for await (const part of request) text += part;
  const { id, method } = JSON.parse(text);
  if (id === undefined) return send(202);
  const results = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'private', version: '1' },
    },
    'tools/list': {
      tools: [{ name: 'whoami', description: 'Says who calls.', inputSchema: { type: 'object' } }],
    },
    'tools/call': { content: [{ type: 'text', text: `hello ${claims.sub}` }] },
  };
  if (!results[method]) {
    return send(200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  }
  return send(200, { jsonrpc: '2.0', id, result: results[method] });
});
url = `http://127.0.0.1:${await listen(resource)}/mcp`;

const front = createServer();
issuer = `http://127.0.0.1:${await listen(front)}`;
const provider = new Provider(issuer, {
  features: {
    registration: { enabled: true },
    revocation: { enabled: true },
    deviceFlow: { enabled: true },
    devInteractions: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({
        scope: 'tools',
        audience: url,
        accessTokenTTL: 3600,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
  jwks: { keys: [key] },
  scopes: ['openid', 'offline_access', 'tools'],
  pkce: { required: () => true },
  rotateRefreshToken: true,
  issueRefreshToken: () => true,
  responseTypes: ['code'],
  clientDefaults: { id_token_signed_response_alg: 'ES256' },
  enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  cookies: { keys: ['only for tests'] },
  ttl: { Interaction: 600, Session: 600, Grant: 3600, RefreshToken: 3600 },
});
provider.on('grant.success', (context) => {
  if (context.oidc.params.grant_type === 'refresh_token') counts.refreshes += 1;
});
provider.on('registration_create.success', () => (counts.registrations += 1));
provider.on('server_error', (_context, error) => console.error(error));
front.on('request', provider.callback());
console.log(JSON.stringify({ issuer, url, control: url.replace('/mcp', '/control') }));
// Nobody reads standard output from here on, and the provider has notices.
console.info = console.warn = console.log = console.error;

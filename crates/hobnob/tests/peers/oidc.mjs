// An authorization server of somebody else (oidc-provider) and a small MCP server that trusts it, on
// the loopback interface. Prints one line of JSON when both listen. Access tokens are JWTs for the
// server; refresh tokens change with every use, and using one again ends the whole login. Three clients
// are known from the start, for logins without a person: with a secret, with a key, and of a company
// whose identity provider (here the same server) vouches for people.

import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.env.PEER_HOME, 'package.json'));
const load = async (name) => import(pathToFileURL(require.resolve(name)));
const { default: Provider } = await load('oidc-provider');
const { createLocalJWKSet, exportJWK, exportPKCS8, generateKeyPair, jwtVerify, SignJWT } =
  await load('jose');

const listen = (server) =>
  new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));
const counts = { refreshes: 0, registrations: 0, refused: 0, grants: {} };
// Tokens that are over before their time, so that nobody has to wait for that.
const over = new Set();
const seen = new Set();

const { privateKey } = await generateKeyPair('ES256', { extractable: true });
const key = { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'one' };
const { d: _, ...published } = key;
const keys = createLocalJWKSet({ keys: [published] });
const signer = await generateKeyPair('ES256', { extractable: true });
const signerKey = { ...(await exportJWK(signer.publicKey)), alg: 'ES256', use: 'sig', kid: 'hub' };

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const machine = (client_id, grant_types, more) => ({
  client_id,
  grant_types,
  redirect_uris: [],
  response_types: [],
  ...more,
});
const clients = [
  machine('nightly', ['client_credentials'], { client_secret: 'a secret of the nightly client' }),
  machine('signer', ['client_credentials'], {
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: 'ES256',
    jwks: { keys: [signerKey] },
  }),
  machine('hub-at-company', [EXCHANGE], { client_secret: 'a secret at the company' }),
  machine('hub-at-server', [JWT_BEARER], { client_secret: 'a secret at the server' }),
];
const sign = (claims, typ, seconds) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: 'one', typ })
    .setIssuer(issuer)
    .setIssuedAt()
    .setExpirationTime(`${seconds}s`)
    .sign(privateKey);

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
  if (request.url === '/control/id-token') {
    // The login of a person at the company.
    return send(200, { token: await sign({ sub: 'grace', aud: 'hub-at-company' }, 'JWT', 600) });
  }
  if (request.url === '/control/key') return send(200, { pem: await exportPKCS8(signer.privateKey) });
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
  try {
    for await (const part of request) text += part;
  } catch {
    // A program that has what it came for ends with its last message on the way.
    return undefined;
  }
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
const resourceServer = () => ({
  scope: 'tools',
  audience: url,
  accessTokenTTL: 3600,
  accessTokenFormat: 'jwt',
  jwt: { sign: { alg: 'ES256' } },
});
const provider = new Provider(issuer, {
  clients,
  features: {
    clientCredentials: { enabled: true },
    registration: { enabled: true },
    revocation: { enabled: true },
    deviceFlow: { enabled: true },
    devInteractions: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: resourceServer,
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
// RFC 8693 at the company: an ID token for a statement that only one client can redeem, once, at one
// authorization server, for one server.
const redeemed = new Set();
const exchange = async (context) => {
  const { client, params } = context.oidc;
  const asked = [params.requested_token_type, params.audience, params.resource].join(' ');
  if (asked !== [ID_JAG, issuer, url].join(' ')) throw new Error(`asked for ${asked}`);
  const { payload } = await jwtVerify(params.subject_token, keys, { audience: client.clientId });
  const claims = { sub: payload.sub, aud: issuer, client_id: 'hub-at-server', resource: url };
  const jti = crypto.randomUUID();
  const token = await sign({ ...claims, jti, scope: params.scope }, 'oauth-id-jag+jwt', 300);
  context.body = { access_token: token, issued_token_type: ID_JAG, token_type: 'N_A' };
};
const exchanged = ['requested_token_type', 'audience', 'resource', 'scope', 'subject_token'];
provider.registerGrantType(EXCHANGE, exchange, [...exchanged, 'subject_token_type']);
// RFC 7523 at the authorization server of the server.
const redeem = async (context) => {
  const { client, params } = context.oidc;
  const rules = { audience: issuer, typ: 'oauth-id-jag+jwt' };
  const { payload } = await jwtVerify(params.assertion, keys, rules);
  const fits = payload.client_id === client.clientId && payload.resource === params.resource;
  if (!fits || redeemed.has(payload.jti)) throw new Error('not for this client, or not again');
  redeemed.add(payload.jti);
  const grant = new provider.Grant({ accountId: payload.sub, clientId: client.clientId });
  grant.addResourceScope(url, 'tools');
  const about = { accountId: payload.sub, client, grantId: await grant.save(), gty: 'assertion' };
  const token = new provider.AccessToken({ ...about, scope: 'tools' });
  token.resourceServer = new provider.ResourceServer(url, resourceServer());
  context.body = { access_token: await token.save(), token_type: 'Bearer', expires_in: 3600 };
};
provider.registerGrantType(JWT_BEARER, redeem, ['assertion', 'resource', 'scope']);
provider.on('grant.success', (context) => {
  const kind = context.oidc.params.grant_type;
  counts.grants[kind] = (counts.grants[kind] ?? 0) + 1;
  if (kind === 'refresh_token') counts.refreshes += 1;
});
provider.on('registration_create.success', () => (counts.registrations += 1));
provider.on('server_error', (_context, error) => console.error(error));
front.on('request', provider.callback());
console.log(JSON.stringify({ issuer, url, control: url.replace('/mcp', '/control') }));
// Nobody reads standard output from here on, and the provider has notices.
console.info = console.warn = console.log = console.error;

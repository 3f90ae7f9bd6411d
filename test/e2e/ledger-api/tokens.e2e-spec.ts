import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { decodeJwt } from 'jose';
import { freePort } from '../../support/free-port.js';
import { EventReader } from '../../support/event-reader.js';
import { call, LedgerApi, type Answer } from '../../support/ledger-api.js';
import { addCaller, ledgerTool } from '../../support/ledger-callers.js';
import { AUDIENCE, OidcIssuer } from '../../support/oidc-issuer.js';
import { until } from '../../support/until.js';

const TEAM = Array.from({ length: 20 }, (_, n) => `caller-${n}`);
const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };

let issuer: OidcIssuer;
const quiet = ['info', 'warn'] as const;
beforeAll(async () => {
  // The provider warns that it is for development only.
  for (const level of quiet) jest.spyOn(console, level).mockImplementation(() => undefined);
  const clients = ['alice', 'bob', 'brief', 'late', 'auth0|7', ...TEAM];
  issuer = await OidcIssuer.start({ port: await freePort(), clients, lifetimes: { brief: 2, late: 1 } });
});
afterAll(async () => {
  await issuer.stop();
  jest.restoreAllMocks();
});

const settings = () => ({ LEDGER_AUTH: 'on', LEDGER_JWT_ISSUER: issuer.url, LEDGER_JWT_AUDIENCE: AUDIENCE });
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const ready = ({ origin }: LedgerApi) => call(origin, 'GET', '/readyz');
const nothingOf = (token: string, text: string): void => {
  expect(token.split('.').filter((part) => text.includes(part))).toEqual([]);
};

describe('callers with tokens', () => {
  let api: LedgerApi;
  const tokens: string[] = [];
  const token = async (client: string, scope = ''): Promise<string> => {
    tokens.push(await issuer.token(client, scope));
    return tokens.at(-1)!;
  };
  const create = async (client: string, scope = ''): Promise<Answer> =>
    api.api('POST', '/assets', { body: FIELDS, headers: bearer(await token(client, scope)) });
  const creatorOf = async ({ headers }: Answer): Promise<unknown> => {
    const path = `/transactions/${String(headers['x-transaction-id'])}`;
    const { json } = await api.api('GET', path, { headers: bearer(await token('alice')) });
    return (json as { data: { creatorId: string } }).data.creatorId;
  };

  /** A log line arrives through a separate pipe, so it may be received before or after the answer. */
  const logged = (line: string) => until(() => api.program.stdout.includes(line));

  beforeAll(async () => {
    api = await LedgerApi.start({ ...settings(), LOG_LEVEL: 'debug' });
    await addCaller(api.dataDir, 'alice', '--role', 'writer', '--subject', 'alice');
    await addCaller(api.dataDir, 'late', '--role', 'writer', '--subject', 'late');
    await addCaller(api.dataDir, 'brief', '--role', 'reader', '--subject', 'brief');
    await addCaller(api.dataDir, 'robert', '--role', 'reader', '--subject', 'bob');
    // A request would be a failed login until then, and too many of those are refused with 429.
    await logged('"callers":4');
  });
  afterAll(async () => {
    const { stdout, stderr } = api.program;
    expect(await api.stop()).toEqual({ code: 0, signal: null });
    expect(stderr).toBe('');
    for (const one of tokens) nothingOf(one, stdout);
  });

  it('sign as the caller that their subject is bound to', async () => {
    expect(await creatorOf(await create('alice'))).toBe('alice@org1.example.com');
  });

  it('may do what both their token and their entry allow', async () => {
    expect((await create('alice', 'ledger:read')).headers['x-error-code']).toBe('API.ROLE_NEEDED');
    expect((await create('alice', 'ledger:write')).status).toBe(201);
    const refused = await create('bob', 'ledger:admin');
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([
      403,
      'Bearer realm="ledger-api", error="insufficient_scope"',
    ]);
  });

  it('are refused without an entry, and with an invalid token', async () => {
    const stranger = await create('auth0|7', 'ledger:admin');
    expect([stranger.status, stranger.headers['x-error-code']]).toEqual([403, 'API.NO_CALLER']);
    await logged('"subject":"auth0|7"');
    const good = await token('alice');
    for (const bad of [good.slice(0, -30), 'header.payload.signature']) {
      const answer = await api.api('GET', '/assets', { headers: bearer(bad) });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([
        401,
        'Bearer realm="ledger-api", error="invalid_token"',
      ]);
      nothingOf(good, answer.text);
    }
    await logged('"outcome":"bad token","reason":"The token is malformed."');
  });

  it('defect: read but could not write within the skew of clocks', async () => {
    const late = await token('late');
    await until(() => Date.now() > (decodeJwt(late).exp ?? 0) * 1000);
    const body = { id: 'late', appraisedValue: '1', color: 'blue', owner: 'Tomoko', size: '5' };
    const answer = await api.api('POST', '/assets', { headers: bearer(late), body });
    expect(answer.status).toBe(201);
  });

  it('follow the events until their token expires, and others continue', async () => {
    const open = async (client: string): Promise<{ readonly reader: EventReader; readonly endsAt: number }> => {
      const own = await token(client);
      const { exp = 0 } = decodeJwt(own);
      const reader = await EventReader.open(`${api.origin}/api/v1/events`, { headers: bearer(own) });
      // On a busy machine a brief one may be over before it is seen.
      return reader.status === 200 ? { reader, endsAt: exp * 1000 } : open(client);
    };
    const [brief, long] = [await open('brief'), await open('alice')];
    await brief.reader.closed;
    expect(Date.now()).toBeGreaterThanOrEqual(brief.endsAt);
    await logged('"reason":"revoked","msg":"an event stream was cut"');
    const { headers } = await create('alice');
    const [event] = await long.reader.count(1);
    expect(event?.data['transactionId']).toBe(headers['x-transaction-id']);
    await long.reader.close();
  });

  it('get 503 while the issuer is unreachable, unless they were seen before; /readyz reports it', async () => {
    const [seen, unseen] = [await token('alice'), await token('bob')];
    await until(async () => (await api.api('GET', '/assets', { headers: bearer(seen) })).status === 200);
    const port = Number(new URL(issuer.url).port);
    await issuer.stop();
    const gone = await LedgerApi.start(settings());
    try {
      const answer = await gone.api('GET', '/assets', { headers: bearer(unseen) });
      expect([answer.status, answer.headers['x-error-code']]).toEqual([503, 'API.ISSUER_UNAVAILABLE']);
      const { status, text } = await ready(gone);
      expect(status).toBe(503);
      expect(text).toContain('is unavailable');
      await addCaller(gone.dataDir, 'keyed');
      await until(async () => (await ready(gone)).status === 200);
      expect((await ready(gone)).json).toEqual({
        status: 'ready',
        note: expect.stringContaining(`The issuer of tokens ${issuer.url} is unavailable`) as unknown,
      });
      expect((await api.api('GET', '/assets', { headers: bearer(seen) })).status).toBe(200);
    } finally {
      issuer = await OidcIssuer.start({ port, clients: ['alice', ...TEAM] });
      await gone.stop();
    }
  });
});

describe('20 callers who are enrolled by their tokens', () => {
  let api: LedgerApi;
  let headers: Record<string, string>[];
  beforeAll(async () => {
    headers = await Promise.all(TEAM.map(async (name) => bearer(await issuer.token(name, 'ledger:write'))));
    api = await LedgerApi.start({ ...settings(), LEDGER_JWT_ENROL: 'on', LEDGER_RATE_LIMIT: '5' });
  });
  afterAll(async () => {
    await api.stop();
  });

  it('sign all at once, each its own transactions, in a store that verifies after one was revoked', async () => {
    const answers = await Promise.all(
      headers.flatMap((one) => [0, 1].map(() => api.api('POST', '/assets', { body: FIELDS, headers: one }))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    const creators = await Promise.all(
      answers.map(async (answer, n) => {
        const path = `/transactions/${String(answer.headers['x-transaction-id'])}`;
        const { json } = await api.api('GET', path, { headers: headers[Math.floor(n / 2)]! });
        return (json as { data: { creatorId: string } }).data.creatorId;
      }),
    );
    expect(creators).toEqual(TEAM.flatMap((name) => [name, name]).map((name) => `${name}@org1.example.com`));

    const own = join(api.dataDir, 'identities', 'callers');
    expect(readdirSync(own).sort()).toEqual(TEAM.map((name) => `${name}.pem`).sort());
    expect(new Set(readdirSync(own).map((file) => statSync(join(own, file)).mode & 0o777))).toEqual(new Set([0o600]));
    expect((await ledgerTool(api.dataDir, 'callers', 'revoke', TEAM[0]!)).code).toBe(0);
    await until(async () => (await api.api('GET', '/assets', { headers: headers[0]! })).status === 403);
    const { code, stdout } = await ledgerTool(api.dataDir, 'verify');
    expect(stdout).toContain('No errors found.');
    expect(code).toBe(0);
    expect(readFileSync(join(api.dataDir, 'callers.json'), 'utf8')).toContain('"enrolled": true');
  });

  it('are answered 429 when one of them asks for more than its share, and the others are not', async () => {
    const ask = (one: Record<string, string>) => api.api('GET', '/assets?limit=1', { headers: one });
    await until(async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => ask(headers[1]!)));
      const refused = answers.find(({ status }) => status === 429);
      if (refused === undefined) return false;
      expect(refused.headers).toMatchObject({
        'retry-after': '1',
        'x-error-code': 'API.TOO_MANY_REQUESTS',
        'ratelimit-policy': '"requests";q=5;w=1',
        ratelimit: '"requests";r=0;t=1',
      });
      return true;
    });
    // She has sent no requests before; requests of the other callers in the test above may still count in the current second.
    const other = await ask(bearer(await issuer.token('alice', 'ledger:write')));
    expect([other.status, other.headers['ratelimit']]).toEqual([200, '"requests";r=4;t=1']);
  });
});

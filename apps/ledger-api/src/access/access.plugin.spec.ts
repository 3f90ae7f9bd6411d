import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { PassThrough } from 'node:stream';
import { join } from 'node:path';
import 'reflect-metadata';
import fastify, { type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { addCaller, changeCallers, revokeCaller, type Role, ROLES } from '#ledger-callers';
import type { CallersConfig } from '#ledger-config';
import type { LogDestination } from '#logging';
import { until } from '../../../../test/support/until.js';
import { answerOf } from '../http/error-answers.js';
import { Needs, routeConfigOf } from './access.decorators.js';
import { ListedFunctions, useAccess } from './access.plugin.js';
import { CallerRegistry } from './caller-registry.js';
import { Login } from './login.js';
import type { TokenLogin } from './token-login.js';

let directory: string;
let registry: CallerRegistry;
let app: FastifyInstance;
let key: string;
let lines: string[];
let now: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'login-'));
  lines = [];
  now = 0;
});
afterEach(async () => {
  registry.onApplicationShutdown();
  await app.close();
  rmSync(directory, { recursive: true });
});

/** The hooks on a bare instance, with a route of each kind. */
async function serve(config: Partial<CallersConfig> = {}, tokens?: TokenLogin): Promise<void> {
  const file = join(directory, 'callers.json');
  const change = await changeCallers(file, (list) => addCaller(list, { name: 'alice', role: 'writer', withKey: true }));
  key = change.key!.text;
  const logger = pino({}, { write: (line: string) => lines.push(line) });
  registry = new CallerRegistry(file, logger, { pollEvery: 2, holdFor: 10, now: () => now });
  await registry.follow();
  const callers: CallersConfig = {
    isOn: true,
    file,
    needsTls: false,
    hasOpenMetrics: false,
    hasOpenTrees: false,
    listedFunctions: [],
    sign: true,
    tokens: undefined,
    ...config,
  };
  app = fastify();
  const login = new Login(callers, registry, { logger, destination: {} as LogDestination }, tokens);
  useAccess(app, { defaultChannel: 'mychannel', config: callers, login, listed: new ListedFunctions(callers), logger });
  app.setErrorHandler((error, _, reply) => {
    const { status, headers, body } = answerOf(error);
    return reply.code(status).headers(headers).send(body.message);
  });
  app.get('/', { config: { needs: 'reader' } }, ({ caller }) => caller ?? {});
  app.get('/metrics', { config: { needs: 'reader' } }, () => 'figures');
  app.get('/open', { config: { isOpen: true } }, ({ caller }) => ({ caller }));
  app.post('/', { config: { needs: 'writer' } }, (_, reply) =>
    reply.header('x-transaction-id', 'abc').code(500).send(),
  );
}

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers });

describe('useLogin', () => {
  it('provides the caller to the handler', async () => {
    await serve();
    expect((await get('/', { 'x-api-key': key })).json()).toEqual({ name: 'alice', role: 'writer' });
    expect((await get('/', { authorization: `Bearer   ${key}` })).statusCode).toBe(200);
    expect((await get('/')).statusCode).toBe(401);
    expect((await get('/', { authorization: 'Basic eDp5' })).headers['www-authenticate']).toBe(
      'Bearer realm="ledger-api"',
    );
  });

  it('checks no request if access is open to everyone', async () => {
    await serve();
    expect((await get('/open', { 'x-api-key': 'wrong', authorization: 'Bearer wrong' })).json()).toEqual({});
    expect((await get('/metrics')).statusCode).toBe(401);
  });

  it('opens the metrics with LEDGER_METRICS=open', async () => {
    await serve({ hasOpenMetrics: true });
    expect((await get('/metrics')).body).toBe('figures');
    expect((await get('/')).statusCode).toBe(401);
  });

  it('refuses keys over http if https is required', async () => {
    await serve({ needsTls: true });
    const { statusCode, body } = await get('/', { 'x-api-key': key });
    expect([statusCode, body]).toEqual([403, expect.stringContaining('Use https')]);
  });

  it('answers that the callers are unreadable, not that a key is invalid', async () => {
    await serve();
    writeFileSync(join(directory, 'callers.json'), '');
    await until(() => lines.some((line) => line.includes('cannot be used')));
    expect((await get('/', { 'x-api-key': key })).statusCode).toBe(200);
    now = 11;
    const answer = await get('/', { 'x-api-key': key });
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '1']);
    expect((await get('/')).statusCode).toBe(401);
  });

  it('logs what was refused without what was sent', async () => {
    await serve();
    await get('/', { 'x-api-key': 'hunter2' });
    const facts = { address: '127.0.0.1', operation: 'GET /', outcome: 'no key', msg: 'login refused' };
    expect(JSON.parse(lines.at(-1)!)).toMatchObject(facts);
    expect(lines.join()).not.toContain('hunter2');
  });
});

describe('defects of authentication', () => {
  const waiting = (body: string, headers: Record<string, string> = {}) => {
    const stream = new PassThrough();
    const answer = app.inject({
      method: 'POST',
      url: '/',
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      payload: stream,
    });
    return { answer, finish: () => stream.end(body) };
  };

  it('a write whose body arrived after its caller was revoked was executed', async () => {
    await serve();
    const { answer, finish } = waiting('{}');
    await changeCallers(registry.file, (list) => revokeCaller(list, { name: 'alice' }));
    await registry.refresh();
    finish();
    expect((await answer).statusCode).toBe(401);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ caller: 'alice', outcome: 'refused', msg: 'write' });
  });

  it('a write whose body arrived after its caller became a reader was executed', async () => {
    await serve();
    const { answer, finish } = waiting('{}');
    await changeCallers(registry.file, (list) => ({ callers: list.map((entry) => ({ ...entry, role: 'reader' })) }));
    await registry.refresh();
    finish();
    expect((await answer).statusCode).toBe(403);
  });

  it('a token was accepted as X-API-Key', async () => {
    const caller = { name: 'alice', role: 'writer' } as const;
    const find = () => Promise.resolve({ outcome: 'known', session: { caller, current: () => caller } });
    await serve({}, { find } as unknown as TokenLogin);
    expect((await get('/', { 'x-api-key': 'eyJ.eyJ.x' })).statusCode).toBe(401);
    expect((await get('/', { authorization: 'Bearer eyJ.eyJ.x' })).statusCode).toBe(200);
  });

  it('a valid token without a caller had no limit', async () => {
    const find = () => Promise.resolve({ outcome: 'no caller', subject: 'stranger' });
    await serve({}, { find } as unknown as TokenLogin);
    const statuses: number[] = [];
    for (let count = 0; count < 22; count += 1) {
      statuses.push((await get('/', { authorization: 'Bearer eyJ.eyJ.x' })).statusCode);
    }
    expect(statuses).toEqual([...Array<number>(20).fill(403), 429, 429]);
    expect(lines.filter((line) => line.includes('login refused'))).toHaveLength(21);
  });
});

describe('useAudit', () => {
  it('calls the outcome of a write unknown whose error names a transaction', async () => {
    await serve();
    await app.inject({ method: 'POST', url: '/', headers: { 'x-api-key': key } });
    const facts = { caller: 'alice', operation: 'POST /', transactionId: 'abc', outcome: 'unknown', msg: 'write' };
    expect(JSON.parse(lines.at(-1)!)).toMatchObject(facts);
  });
});

describe('useRoles', () => {
  it('permits each role what lower roles may do, whatever the body contains', async () => {
    await serve();
    for (const role of ROLES) app.post(`/${role}`, { config: { needs: role } }, () => ({}));
    const post = async (role: Role) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const { statusCode, body } = await app.inject({ method: 'POST', url: `/${role}`, headers, body: '{"this is' });
      return [statusCode, body];
    };
    expect(await post('reader')).not.toContain(403);
    expect(await post('writer')).not.toContain(403);
    expect(await post('admin')).toEqual([
      403,
      expect.stringContaining('requires the role "admin"; "alice" is a "writer"'),
    ]);
  });

  it('refuses operations without a role for every caller', async () => {
    await serve();
    app.get('/forgotten', () => ({}));
    expect((await get('/forgotten', { 'x-api-key': key })).statusCode).toBe(403);
    expect((await get('/forgotten')).statusCode).toBe(401);
  });

  it('uses the role of a method rather than that of its class', () => {
    class Operations {
      read(): string {
        return 'read';
      }
      write(): string {
        return 'written';
      }
    }
    const { read, write } = Object.getOwnPropertyDescriptors(Operations.prototype);
    Needs('writer')(Operations.prototype, 'write', write);
    Needs('reader')(Operations);
    expect([read, write].map(({ value }) => routeConfigOf(value as object)?.needs)).toEqual(['reader', 'writer']);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LogLines } from '../../support/proxy/log-lines.js';
import { COMPILE_CACHE } from '../../support/program.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { runTool } from '../../support/proxy/run-tool.js';
import { freePort } from '../../support/free-port.js';
import { exchange } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

interface ShownConnections {
  readonly total: number;
  readonly connections: readonly { readonly id: string; readonly method: string; readonly bytes_received: number }[];
}

let proxy: RunningProxy;
let admin: string;

beforeAll(async () => {
  proxy = await ProxyProgram.start({ admin: { port: 0 } });
  admin = proxy.admin!;
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
});

describe('the admin listener', () => {
  it('has its own port, on loopback', () => {
    expect(new URL(admin).hostname).toBe('127.0.0.1');
    expect(admin).not.toBe(proxy.url);
  });

  it('listens by default on a free port from 9090 to 9099; two proxies start also if none is free', async () => {
    const config = { listen: { port: 0 }, upstream: 'embedded' };
    await using first = new ProxyProgram({ config });
    await using second = new ProxyProgram({ config });
    const found = await Promise.all([first, second].map(async ({ program }) => (await program.ready())['admin']));
    const ports = found.flatMap((url) => (url === undefined ? [] : [Number(new URL(url).port)]));
    expect(new Set(ports).size).toBe(ports.length);
    for (const port of ports) expect(port >= 9090 && port <= 9099).toBe(true);
    for (const url of found) if (url !== undefined) expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  describe('by itself', () => {
    let found: Readonly<Record<string, unknown>>;
    beforeAll(async () => {
      found = await runAdminListeners();
    });

    it('listens on the first free port of its range, or on none', () => {
      expect(found).toMatchObject({
        named: `Cannot listen on 127.0.0.1:${String(found['port'])}: the port is in use (EADDRINUSE). See PROXY_ADMIN_PORT.`,
        loggedOfPorts: [expect.stringContaining('no admin listener: none of the ports')],
      });
      expect(found).not.toHaveProperty('none');
      expect(found['next']).toBeGreaterThan(0);
    });

    it('listens again on its port after its thread has exited', () => {
      expect([found['health'], found['again']]).toEqual([200, 200]);
    });

    it('reports an error to the log and not to the client', () => {
      expect([found['status'], found['body']]).toEqual([500, expect.not.stringContaining('cannotBeHandedOver')]);
      expect(found['loggedOfError']).toEqual([expect.stringContaining('DataCloneError')]);
    });
  });

  it('does not listen when it is off', async () => {
    await using other = await ProxyProgram.start({ admin: 'off' });
    expect(other.admin).toBeUndefined();
  });

  it('serves the committed document, which also contains its own pages', async () => {
    const document = (await (await fetch(`${admin}/docs-json`)).json()) as {
      paths: Record<string, Record<string, { tags: string[] }>>;
      components: { schemas: Record<string, object> };
    };
    expect(document).toEqual(JSON.parse(readFileSync('docs/openapi/proxy-client.json', 'utf8')));
    const tagged = (tag: string) =>
      Object.entries(document.paths).flatMap(([path, operations]) =>
        Object.entries(operations).flatMap(([method, { tags }]) =>
          tags.includes(tag) ? [method === 'get' ? path : `${method} ${path}`] : [],
        ),
      );
    expect(['monitoring', 'listeners', 'upstreams', 'routes', 'gate', 'activity'].map(tagged)).toEqual([
      ['/stats', '/health'],
      ['/listeners'],
      ['/readyz', '/upstreams', 'put /upstreams/{group}/member', 'post /upstreams/{name}/test'],
      ['/rules', '/explain', 'post /check'],
      ['/asks', 'post /asks/{id}', '/denials', '/grants', 'post /grants', 'delete /grants/{id}'],
      ['/connections', 'delete /connections', 'delete /connections/{id}', '/failures', '/history', '/events'],
    ]);
    expect(Object.keys(document.components.schemas).slice(0, 2)).toEqual(['Stats', 'Health']);
  });

  it('serves Swagger UI', async () => {
    const page = await fetch(`${admin}/docs`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
  });

  it('serves metrics for Prometheus, and the two pages', async () => {
    const metrics = await fetch(`${admin}/metrics`);
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/);
    const text = await metrics.text();
    expect(text).toMatch(/^proxy_client_connections_active 0$/m);
    expect(text).toMatch(/^process_cpu_seconds_total /m);
    expect(text).toMatch(/^proxy_client_upstream_up\{upstream="upstream"\} 1$/m);
    expect(text).toMatch(/^proxy_client_upstream_connections_total\{upstream="upstream",outcome="opened"\} 0$/m);
    const fields = async (url: string) => Object.keys((await (await fetch(url)).json()) as object);
    expect(await fields(`${admin}/stats`)).toEqual(await fields(`${proxy.url}/stats`));
    expect(await fields(`${admin}/health`)).toEqual(await fields(`${proxy.url}/health`));
  });

  it('does not forward requests, and refuses web pages of other origins', async () => {
    const ask = (line: string, host: string) =>
      exchange(admin, `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(await ask('GET http://example.com/', 'example.com')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await ask('GET /metrics', 'evil.example')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await ask('POST /metrics', 'localhost')).toMatch(/^HTTP\/1\.1 405 /);
    for (const path of ['/nothing', '/pages/', '/pages/nothing.js', '/docs/nothing.js', '/stats/']) {
      expect(await ask(`GET ${path}`, 'localhost')).toMatch(/^HTTP\/1\.1 404 [^]*There is no such page\./);
    }
    expect(await ask('CONNECT example.com:443', 'example.com:443')).toBe('');
    const { headers } = await fetch(`${admin}/metrics`, { headers: { Origin: 'https://evil.example' } });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('shows a tunnel and a request in progress, and ends them', async () => {
    const [accepted, origin] = [new Set<Socket>(), createServer()];
    origin.on('connection', (socket) => {
      accepted.add(socket.on('error', () => undefined));
      // Only the tunnel gets a response.
      socket.on('data', (data) => data[0] === 0x79 && socket.write('x'.repeat(1000)));
    });
    const { port } = (await once(origin.listen(0, '127.0.0.1'), 'listening').then(() =>
      origin.address(),
    )) as AddressInfo;
    const target = `127.0.0.1:${port}`;
    const list = async () => (await (await fetch(`${admin}/connections?sort=target`)).json()) as ShownConnections;
    const client = connect(Number(new URL(proxy.url).port), '127.0.0.1').on('error', () => undefined);
    client.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
    await once(client, 'data');
    client.write('y'.repeat(100));
    await until(async () => (await list()).connections[0]?.bytes_received === 1000);
    const { total, connections } = await list();
    const common = { target, upstream: 'upstream', rule: null, client: '127.0.0.1', user: null };
    expect([total, connections[0]]).toEqual([
      1,
      expect.objectContaining({ ...common, method: 'CONNECT', bytes_sent: 100, bytes_received: 1000 }),
    ]);
    const waiting = connect(Number(new URL(proxy.url).port), '127.0.0.1').on('error', () => undefined);
    waiting.write(`GET http://${target}/ HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
    await until(async () => (await list()).total === 2);
    const both = (await list()).connections;
    expect(new Set(both.map(({ method }) => method))).toEqual(new Set(['CONNECT', 'GET']));
    for (const { id } of both) {
      const end = async () => (await fetch(`${admin}/connections/${id}`, { method: 'DELETE' })).status;
      expect([await end(), await end()]).toEqual([204, 404]);
    }
    await until(() => client.destroyed && waiting.destroyed && [...accepted].every(({ destroyed }) => destroyed));
    expect(await list()).toEqual({ total: 0, found: 0, connections: [] });
    const other = await fetch(`${admin}/connections/1`, {
      method: 'DELETE',
      headers: { Origin: 'http://evil.example' },
    });
    expect(other.status).toBe(403);
    origin.close();
  });

  it('shows failures, and what to check', async () => {
    const gone = await exchange(proxy.url, 'CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n');
    expect(gone).toContain('502');
    const { failures } = (await (await fetch(`${admin}/failures`)).json()) as { failures: Record<string, unknown>[] };
    expect(failures[0]).toMatchObject({
      ...{ category: 'direct_refused', status: 502, method: 'CONNECT', target: '127.0.0.1:1' },
      hint: 'The destination refused the direct connection. Check the port and whether the service is running.',
    });
  });

  it('requires a token, which is in a file, if a listener has users', async () => {
    const users = [{ name: 'ci', password: 's3cret' }];
    await using guarded = await ProxyProgram.start({ listen: { port: 0, users }, admin: { port: 0 } });
    const line = await new LogLines(guarded.program).next('the admin pages require a token, which is in this file');
    const file = String(line['file']);
    const token = readFileSync(file, 'utf8').trim();
    expect([statSync(file).mode & 0o777, guarded.program.stdout.includes(token)]).toEqual([0o600, false]);
    const status = async (path: string, headers = {}) => (await fetch(`${guarded.admin!}${path}`, { headers })).status;
    for (const path of ['/stats', '/listeners', '/connections', '/failures', '/events'])
      expect(await status(path)).toBe(401);
    for (const path of ['/', '/readyz', '/metrics', '/docs']) expect(await status(path)).toBe(200);
    expect(await status('/connections', { Authorization: `Bearer ${token}` })).toBe(200);
    // No later start would use this port, which the system has chosen.
    await guarded.program.end('SIGTERM');
    expect(existsSync(file)).toBe(false);
  });

  it('signs no one out by a restart; a new token, after the file was deleted, is reported as such', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kept-token-'));
    const port = await freePort();
    const config = { listen: { port: 0, users: [{ name: 'ci', password: 's3cret' }] }, admin: { port } };
    const ask = async (headers = {}) => fetch(`http://127.0.0.1:${port}/listeners`, { headers });
    const before = await ProxyProgram.start(config, { XDG_RUNTIME_DIR: directory });
    const { file } = await new LogLines(before.program).next('the admin pages require a token, which is in this file');
    const bearer = { Authorization: `Bearer ${readFileSync(String(file), 'utf8').trim()}` };
    const id = (await ask(bearer)).headers.get('x-admin-token-id') ?? '';
    await before.program.end('SIGTERM');
    await before[Symbol.asyncDispose]();
    await using after = await ProxyProgram.start(config, { XDG_RUNTIME_DIR: directory });
    const log = new LogLines(after.program);
    await log.next('the admin pages require a token, which is in this file');
    const stream = await fetch(`http://127.0.0.1:${port}/events`, { headers: bearer });
    expect([(await ask(bearer)).status, stream.status]).toEqual([200, 200]);
    rmSync(String(file));
    after.program.process.kill('SIGHUP');
    await log.next('configuration reloaded');
    expect(await stream.text()).not.toContain('event: end');
    const refused = await ask({ ...bearer, 'X-Admin-Token-Id': id });
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([401, 'ADMIN.TOKEN_CHANGED']);
    const next = readFileSync(String(file), 'utf8').trim();
    expect((await ask({ Authorization: `Bearer ${next}` })).status).toBe(200);
    rmSync(directory, { recursive: true });
  });

  it('accepts the names of allowedHosts, after a reload the new ones', async () => {
    const config = (name: string) => ({
      listen: { port: 0, allowedHosts: [name] },
      upstream: 'embedded',
      admin: { port: 0 },
    });
    await using changed = await ProxyProgram.start(config('Before.lan'));
    const status = async (host: string) => {
      const request = `GET /stats HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      return Number((await exchange(changed.admin!, request)).slice(9, 12));
    };
    expect([await status('before.lan'), await status('after.lan')]).toEqual([200, 403]);
    writeFileSync(changed.configFile, JSON.stringify(config('After.lan')));
    changed.program.process.kill('SIGHUP');
    await new LogLines(changed.program).next('configuration reloaded');
    expect([await status('before.lan'), await status('after.lan')]).toEqual([403, 200]);
  });

  it('requires the token after a reload that adds users, until one removes them, also for event streams', async () => {
    const open = { listen: { port: 0 }, upstream: 'embedded', admin: { port: 0 } };
    const users = [{ name: 'ci', password: 's3cret' }];
    await using changed = await ProxyProgram.start(open);
    const log = new LogLines(changed.program);
    const status = async (headers = {}) => (await fetch(`${changed.admin!}/connections`, { headers })).status;
    const reload = async (config: object) => {
      writeFileSync(changed.configFile, JSON.stringify(config));
      changed.program.process.kill('SIGHUP');
      await log.next('configuration reloaded');
    };
    expect(await status()).toBe(200);
    writeFileSync(changed.configFile, JSON.stringify({ ...open, listen: { port: 0, users } }));
    changed.program.process.kill('SIGHUP');
    const { file } = await log.next('the admin pages require a token, which is in this file');
    const bearer = { Authorization: `Bearer ${readFileSync(String(file), 'utf8').trim()}` };
    await log.next('configuration reloaded');
    expect([await status(), await status(bearer)]).toEqual([401, 200]);
    await reload(open);
    expect([await status(), await status(bearer)]).toEqual([200, 200]);
    const stream = await fetch(`${changed.admin!}/events`);
    await reload({ ...open, admin: { port: 0, token: 'one-that-was-set-by-hand' } });
    // An event stream that is no longer allowed is closed; it continued without the token.
    expect(await stream.text()).not.toContain('event: end');
    expect((await fetch(`${changed.admin!}/events`)).status).toBe(401);
    expect([await status(bearer), await status({ Authorization: 'Bearer one-that-was-set-by-hand' })]).toEqual([
      401, 200,
    ]);
  });

  it.each([1, 2])('sends event: end before a proxy without connections exits (%d)', async () => {
    await using other = await ProxyProgram.start({ admin: { port: 0 } });
    const streams = await Promise.all([1, 2, 3, 4].map(async () => fetch(`${other.admin!}/events`)));
    const texts = streams.map(async (stream) => stream.text());
    await other.program.end('SIGTERM');
    for (const text of await Promise.all(texts)) expect(text).toMatch(/event: end\ndata: \{\}\n\n$/);
  });

  it('serves /stats and /health only in HTTP mode, also after a reload; they were there without it', async () => {
    const config = (...modes: string[]) => ({
      listeners: modes.map((mode) => ({ port: 0, mode })),
      upstream: 'embedded',
      admin: { port: 0 },
    });
    await using other = new ProxyProgram({ config: config('socks5') });
    const { admin: url } = await other.program.ready();
    const log = new LogLines(other.program);
    const reload = async (...modes: string[]) => {
      writeFileSync(other.configFile, JSON.stringify(config(...modes)));
      other.program.process.kill('SIGHUP');
      await log.next('configuration reloaded');
    };
    const statuses = async (...paths: string[]) =>
      Promise.all(paths.map(async (path) => (await fetch(`${url!}${path}`)).status));
    expect(await statuses('/stats', '/health')).toEqual([404, 404]);
    // What the dashboard and Prometheus read remains.
    expect(await statuses('/', '/listeners', '/connections', '/readyz', '/metrics')).toEqual([200, 200, 200, 200, 200]);
    await reload('socks5', 'mixed');
    expect(await statuses('/stats', '/health')).toEqual([200, 200]);
    await reload('socks5');
    expect(await statuses('/stats', '/health')).toEqual([404, 404]);
  });
});

/** Runs a script that uses the built listener in one process, since each has a thread that loads Nest; returns its report. */
async function runAdminListeners(): Promise<Record<string, unknown>> {
  const directory = mkdtempSync(join(tmpdir(), 'admin-listener-'));
  const file = join(directory, 'script.mjs');
  const built = pathToFileURL(join(process.cwd(), 'dist/test')).href;
  writeFileSync(
    file,
    `import { once } from 'node:events';
    import { createServer } from 'node:net';
    import { Worker } from 'node:worker_threads';
    import { AdminListener } from '${built}/admin-listener.js';
    import { ProxyStats } from '${built}/proxy-stats.js';
    // Ends what waits below, if what it waits for never happens and the test is over.
    setTimeout(() => process.exit(1), 120_000).unref();
    const threads = [];
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (...message) {
      if (!threads.includes(this)) threads.push(this);
      return postMessage.apply(this, message);
    };
    let logged = [];
    const note = (fields, message) => logged.push(message);
    const logger = { debug: note, info: note, warn: note, error: note };
    const stats = new ProxyStats();
    const view = {
      stats: () => ({ uptime: stats.snapshot().uptime }),
      health: () => ({ status: 'healthy' }),
      metrics: async () => ({ contentType: 'text/plain', text: '' }),
      report: (message, detail) => note({ detail }, message),
    };
    const options = (admin, other) => ({
      admin: { host: '127.0.0.1', ...admin }, access: { allowedHosts: new Set(), token: undefined, isPacOpen: false, hasMonitoring: true }, view: { ...view, ...other }, logger,
    });
    async function listen(server) {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return server.address().port;
    }

    const port = await listen(createServer());
    const none = await new AdminListener(options({ port, orUpTo: port })).listen();
    const named = await new AdminListener(options({ port, setBy: 'PROXY_ADMIN_PORT' })).listen().catch(({ message }) => message);
    const loggedOfPorts = logged;

    threads.length = 0;
    const first = new AdminListener(options({ port, orUpTo: port + 200 }));
    const { port: found } = await first.listen();
    const askHealth = async () => (await fetch('http://127.0.0.1:' + found + '/health')).status;
    const health = await askHealth();
    await threads[0].terminate();
    let again;
    while (again === undefined) again = await askHealth().catch(() => undefined);

    logged = [];
    const failing = new AdminListener(options({ port: 0 }, { stats: () => ({ cannotBeHandedOver() {} }) }));
    const answer = await fetch('http://127.0.0.1:' + (await failing.listen()).port + '/stats');
    while (logged.length === 0) await new Promise(setImmediate);
    const loggedOfError = logged;

    const { status } = answer;
    const report = { port, none, named, next: found - port, loggedOfPorts, health, again, status, body: await answer.text(), loggedOfError };
    process.stdout.write(JSON.stringify(report), () => process.exit(0));`,
  );
  const { stdout, stderr, code } = await runTool(process.execPath, [file], {
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE },
  });
  rmSync(directory, { recursive: true });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

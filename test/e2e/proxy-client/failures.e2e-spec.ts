import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAILURES } from '../../../apps/proxy-client/src/failure/failure-table.js';
import {
  RunningProxy as ProxyInProcess,
  type ProxySettings,
} from '../../../apps/proxy-client/src/proxy/testing/running-proxy.js';
import { Networks } from '../../../apps/proxy-client/src/routing/rules/addresses.js';
import { PacFile } from '../../../apps/proxy-client/src/routing/rules/loaded-file.js';
import { TlsFront } from '../../../apps/proxy-client/src/upstream/testing/chain-peers.js';
import type { PasswordChecks } from '../../../apps/proxy-client/src/users/password-checks.js';
import { Crowd } from '../../../apps/proxy-client/src/users/testing/crowd.js';
import { CLOSED_PORT } from '../../support/closed-port.js';
import { FrozenListener } from '../../support/frozen-listener.js';
import { ThrowawayAuthority } from '../../support/throwaway-certificates.js';
import { until } from '../../support/until.js';
import { withoutDescriptors } from '../../support/without-descriptors.js';
import { granting, ScriptedSocks5Server } from '#socks5-protocol/testing';
import { asConnect, FAILURE_SCENARIOS, type FailureScenario } from '../../support/proxy/failure-scenarios.js';
import { LogLines, type LogLine } from '../../support/proxy/log-lines.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { exchange, lastAnswer, RawConnection } from '../../support/raw-http.js';

/** Failures that a client sees as the end of its connection. */
const CUT: ReadonlySet<unknown> = new Set(['response_cut', 'client_not_allowed', 'client_tls_failed']);

interface Seen {
  readonly answer: string;
  /** What the failure changed in /stats. */
  readonly counted: Readonly<Record<string, number>>;
  readonly line: LogLine;
}

/** A proxy that is asked: the program, or where no setting of it leads to the failure, its parts in this process. */
interface Started extends AsyncDisposable {
  readonly url: string;
  /** Of one in this process. */
  readonly passwordChecks?: PasswordChecks;
  nextFailure(): Promise<LogLine>;
  /** The counters that a failure may change, flat. */
  counters(): Promise<Readonly<Record<string, number>>>;
}

const socks = new ScriptedSocks5Server(() => granting('stall'));
/** Leads back to the proxy that asks it, whatever the target. */
const loop = new ScriptedSocks5Server(() => {
  return granting((socket) => {
    const back = connect(Number(new URL(running.looping.url).port), '127.0.0.1');
    socket.pipe(back).pipe(socket);
  });
});
/** The categories that the rows show. */
const categories = new Set<unknown>();
let running: Readonly<Record<FailureScenario['proxy'], Started>>;
let occupied: RawConnection;
let frozen: FrozenListener;
let front: TlsFront;
let folder: string;

async function start(upstream: object, more: object = {}): Promise<Started> {
  const proxy: RunningProxy = await ProxyProgram.start({
    logLevel: 'debug',
    upstream: { host: '127.0.0.1', handshake: 'stepwise', ...upstream },
    limits: { headerBytes: '16KiB' },
    rules: [{ hosts: ['rejected.example'], to: 'reject' }],
    ...more,
  });
  const log = new LogLines(proxy.program);
  return {
    url: proxy.url,
    nextFailure: () => log.next('request failed'),
    counters: async () => {
      const page = await exchange(proxy.url, 'GET /stats HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      const { socks5_errors: errors, failed_requests: failed } = lastAnswer(page).body as {
        socks5_errors: Record<string, number>;
        failed_requests: number;
      };
      return { ...errors, failed_requests: failed };
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

function defect(): never {
  throw new TypeError('a defect');
}

async function startHere(settings: ProxySettings): Promise<Started> {
  const proxy = await ProxyInProcess.start({ logLevel: 'info', ...settings });
  // The lines of the start are no failures.
  let seen = proxy.log.length;
  return {
    // Clients that lack TLS fail where it is required.
    url: proxy.url.replace('https:', 'http:'),
    passwordChecks: proxy.passwordChecks,
    nextFailure: async () => {
      await until(async () => {
        // A few bytes at a time, so that the limit is exceeded only after the previous steps have finished.
        if (settings.holdsTime === true) await proxy.pass(1000);
        return proxy.log.length > seen;
      });
      const { message, err, client, ...fields } = proxy.log[seen++]!;
      expect(client).toBe('127.0.0.1');
      expect(err instanceof TypeError).toBe(fields['category'] === 'internal');
      return { ...fields, msg: message };
    },
    counters: async () => {
      const { failedRequests, socks5Errors } = proxy.stats.snapshot();
      return Promise.resolve({ ...socks5Errors, failed_requests: failedRequests });
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

beforeAll(async () => {
  await socks.listen();
  await loop.listen();
  frozen = await FrozenListener.start();
  const credentials = { username: 'me', password: 's3cret' };
  const step = { kind: 'socks5', host: '127.0.0.1', handshake: 'stepwise', warm: 0 } as const;
  const scripted = { ...step, port: socks.port, credentials };
  const authority = await ThrowawayAuthority.create('Test');
  front = await TlsFront.start(() => socks.port, await authority.issue('localhost'));
  const http = { kind: 'http', host: '127.0.0.1', port: socks.port, plain: 'forward' } as const;
  const trusted = { ca: authority.root.certificate };
  const { certificate, privateKey: key } = await authority.issue('localhost');
  const tls = { certificate, key, spki: '', validUntil: '' };
  folder = mkdtempSync(join(tmpdir(), 'failures-'));
  const script = join(folder, 'a.pac');
  writeFileSync(script, 'function FindProxyForURL() { return "DIRECT"; }');
  const direct = { kind: 'group', of: ['direct'], pick: 'failover' } as const;
  running = {
    scripted: await start({ port: socks.port, ...credentials }),
    learned: await start({ port: socks.port, ...credentials }),
    unreachable: await start({ port: CLOSED_PORT, ...credentials }),
    asking: await start(
      { port: socks.port },
      { default: 'ask', gate: { ask: { timeout: '1s', notify: { command: ['true'] } } } },
    ),
    full: await start({ port: socks.port }, { limits: { connections: 1 } }),
    looping: await start({ port: loop.port }),
    hasty: await startHere({ upstream: scripted, timeouts: { handshake: 300 } }),
    waiting: await startHere({ upstream: scripted, timeouts: { response: 60_000 }, holdsTime: true }),
    hastyDirect: await startHere({ upstream: direct, timeouts: { connect: 300 } }),
    http: await startHere({ upstream: { ...http, credentials } }),
    httpWithoutLogin: await startHere({ upstream: http }),
    tls: await startHere({ upstream: { ...http, tls: trusted } }),
    untrusted: await startHere({ upstream: { ...http, port: front.port, tls: {} } }),
    otherName: await startHere({
      upstream: { ...http, port: front.port, tls: { ...trusted, serverName: 'other.example' } },
    }),
    direct: await startHere({
      upstream: direct,
      // The name matches no network; its address does.
      rules: [{ networks: new Networks(['0.0.0.0/0', '::/0']), ports: [{ from: 82, to: 82 }], to: 'reject' }],
    }),
    clients: await startHere({ listener: { clients: ['10.0.0.0/8'] } }),
    tlsOnly: await startHere({ listener: { tls, tlsOnly: true }, timeouts: { read: 1000 } }),
    users: await startHere({ listener: { users: [{ name: 'me', password: 'another' }] } }),
    pac: await startHere({
      upstream: {
        ...{ kind: 'pac', resolves: false, direct: false },
        file: new PacFile({ source: { file: script, mark: '' }, name: 'a.pac', setBy: { source: 'a', key: 'b' } }),
      },
    }),
    // A rule such as no file leads to.
    internal: await startHere({ rules: [{ ports: Object.assign([], { some: defect }), to: 'upstream' }] }),
  };
  socks.script = () => granting((socket) => socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\n\r\n')));
  await exchange(running.learned.url, 'GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n');
  occupied = await RawConnection.open(running.full.url);
  await occupied.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n').until('healthy');
});

afterAll(async () => {
  occupied.socket.destroy();
  await Promise.all(Object.values(running).map((proxy) => proxy[Symbol.asyncDispose]()));
  await socks.close();
  await loop.close();
  await front[Symbol.asyncDispose]();
  await frozen[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function see(scenario: FailureScenario, request: string): Promise<Seen> {
  const proxy = running[scenario.proxy];
  socks.script = () => scenario.script ?? granting('stall');
  const before = await proxy.counters();
  const connection = await RawConnection.open(proxy.url);
  const here = { '{own}': new URL(proxy.url).port, '{frozen}': String(frozen.port), '{host}': hostname() };
  const filled = Object.entries(here).reduce((text, [name, value]) => text.replaceAll(name, value), request);
  if (filled !== '') connection.write(filled);
  const line = asAnywhere(await proxy.nextFailure(), [here['{own}'], here['{frozen}']]);
  const answered = connection.until('\r\n\r\n').catch(() => undefined);
  await Promise.race([answered, connection.closed]);
  connection.half();
  const answer = await connection.closed;
  const after = await proxy.counters();
  const changed = Object.entries(after).filter(([key, count]) => count !== before[key]);
  return {
    answer,
    counted: Object.fromEntries(changed.map(([key, count]) => [key, count - (before[key] ?? 0)])),
    line,
  };
}

/** The ports of this run and the name of this machine are no part of the document. */
function asAnywhere({ target, ...line }: LogLine, ports: readonly string[]): LogLine {
  if (typeof target !== 'string') return line;
  const { msg, ...fields } = line;
  const [, port = ''] = /:(\d+)$/.exec(target) ?? [];
  const elsewhere = ports.includes(port) ? target.replace(port, 'PORT') : target;
  return { ...fields, target: elsewhere.replace(`${hostname()}:`, 'HOST:'), msg };
}

describe('every failure', () => {
  it.each(FAILURE_SCENARIOS.map((scenario) => [scenario.what, scenario] as const))(
    'looks the same in its four places: %s',
    async (_, scenario) => {
      await using others = new AsyncDisposableStack();
      if (scenario.isCrowded === true) others.use(await Crowd.gather(running.users.passwordChecks!));
      others.use(withoutDescriptors(83));
      const seen = await see(scenario, scenario.request ?? '');
      const { category, status, error, socks5 } = seen.line;
      const [head = '', body = ''] = seen.answer.split('\r\n\r\n');
      if (CUT.has(category)) expect(['', 'part']).toContain(body);
      else {
        expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} `));
        expect(head).toMatch(new RegExp(`^Proxy-Status: proxy-client; error=${String(error)}(;|\r|$)`, 'm'));
        expect(body).toMatch(/^[^\n]+\n$/);
      }
      const { failed_requests: failed = 0, ...errors } = seen.counted;
      expect(errors).toEqual(socks5 === undefined ? {} : { [socks5 as string]: 1 });
      expect([0, 1]).toContain(failed);
      expect(JSON.stringify(seen)).not.toContain('s3cret');
      categories.add(category);
      if (scenario.connectToo === true) {
        const tunnel = await see(scenario, asConnect(scenario.request ?? ''));
        expect(tunnel.line).toMatchObject({ category, status, error });
        expect(tunnel.counted).toEqual(seen.counted);
        expect(tunnel.answer).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} `));
      }
    },
  );

  it('of every category was caused', () => {
    // A ticket needs a Kerberos realm: test/interop/proxy-kerberos.interop-spec.ts.
    categories.add('upstream_ticket');
    expect(categories).toEqual(new Set(Object.keys(FAILURES)));
  });
});

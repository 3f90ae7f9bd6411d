import { readdirSync, readFileSync } from 'node:fs';
import { LocalSocks5Server } from '#socks5-protocol/testing';
import { chaos, COUNTABLE, EchoTarget, RUDE } from '../../../apps/proxy-client/src/tunnel/testing/chaos.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { CLOSED_PORT } from '../../support/closed-port.js';
import { until } from '../../support/until.js';

const AT_ONCE = 64;
const MIB = 1_048_576;
/** Every kind of connection five times. `npm run test:night` opens 4,000, which show smaller leaks. */
const MANY = Number(process.env['CHAOS_CONNECTIONS'] ?? 400);
const WARM_UP = MANY / 4;
/** The memory that all of them may leave in use: less than 3.6 KiB for each of 4,000. */
const GROWN_MIB = 14;
/** A hang is longer; a busy machine takes minutes until it has cut all that stalls. */
const LIMIT_MS = 900_000;

/** Garbage is collected at SIGUSR2, to detect leaks: without it, an idle proxy leaves up to 32 MiB uncollected. */
const COLLECTS = "data:text/javascript,process.on('SIGUSR2',()=>gc())";

interface Stats {
  readonly total_connections: number;
  readonly active_connections: number;
  readonly successful_requests: number;
  readonly failed_requests: number;
  readonly bytes_sent: number;
  readonly bytes_received: number;
}

let proxy: RunningProxy;
let socks: LocalSocks5Server;
let target: EchoTarget;
let place: { proxyPort: number; targetPort: number; closedPort: number };

beforeAll(async () => {
  socks = new LocalSocks5Server();
  await socks.listen();
  target = await EchoTarget.start();
  proxy = await ProxyProgram.start(
    {
      logLevel: 'error',
      upstream: { ...socks.address, handshake: 'oneflight' },
      timeouts: { write: '1s' },
    },
    { NODE_OPTIONS: `--max-semi-space-size=2 --max-old-space-size=64 --expose-gc --import ${COLLECTS}` },
  );
  place = { proxyPort: Number(new URL(proxy.url).port), targetPort: target.port, closedPort: CLOSED_PORT };
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await socks.close();
  await target[Symbol.asyncDispose]();
});

async function stats(): Promise<Stats> {
  const response = await fetch(`${proxy.url}/stats`);
  return (await response.json()) as Stats;
}

/** The statistics once no connection is active. */
async function settled(): Promise<Stats> {
  await until(async () => (await stats()).active_connections === 0);
  return stats();
}

const processId = (): number => proxy.program.process.pid!;
const descriptors = (): number => readdirSync(`/proc/${String(processId())}/fd`).length;

/** What the proxy has without its garbage. */
async function residentMiB(): Promise<number> {
  process.kill(processId(), 'SIGUSR2');
  await stats();
  const status = readFileSync(`/proc/${String(processId())}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

describe('connections that do not behave', () => {
  it(
    `leave no resources in use after ${MANY} of them, with resets, stalls and half-closes`,
    async () => {
      // Stalls are few: each waits for the limit that cuts it.
      const few = Array.from({ length: 12 }, () => [...COUNTABLE, 'reset-during', 'reset-by-target'] as const).flat();
      const kinds = [...few, ...RUDE];
      const before = descriptors();
      await chaos(kinds, WARM_UP, AT_ONCE, place);
      await settled();
      await chaos(kinds, WARM_UP, AT_ONCE, place);
      await settled();
      const warm = await residentMiB();
      const counted = await stats();
      const seen = { received: target.received, sent: target.sent };
      await chaos(kinds, MANY, AT_ONCE, place);
      const after = await settled();
      expect(after.active_connections).toBe(0);
      await until(() => descriptors() <= before + 2);
      await until(async () => (await residentMiB()) - warm < GROWN_MIB);
      // What a reset destroyed on its way was sent, and did not arrive.
      expect(after.bytes_sent - counted.bytes_sent).toBeGreaterThanOrEqual(target.received - seen.received);
      expect(after.bytes_received - counted.bytes_received).toBeLessThanOrEqual(
        target.sent - seen.sent + Math.ceil(MANY / kinds.length) * 16 * MIB,
      );
      expect(proxy.program.process.exitCode).toBeNull();
    },
    LIMIT_MS,
  );
});

import { readFileSync } from 'node:fs';
import { LocalSocks5Server } from '#socks5-protocol/testing';
import { observe, RecordingOrigin, type Observation } from '../../../../test/support/proxy/recorded-requests.js';
import { RunningProxy } from '../proxy/testing/running-proxy.js';

/**
 * What was sent, in pieces; the requests that reached the origin, the answers, and how it ended; where this was something
 * else at the time when node:http read the requests: why it is not any more, and what it was (docs/adr/0097).
 */
type Row = readonly [
  sent: readonly string[],
  asked: readonly string[],
  answers: readonly string[],
  end: Observation['end'],
  because?: string,
  before?: Observation,
];

const FILE = 'test/fixtures/proxy-requests/recorded.json';
const rows = JSON.parse(readFileSync(FILE, 'utf8')) as readonly Row[];

/** Each client has its own origin, so that the requests that reach it are from that client. */
const CLIENTS = 8;

describe('requests that were recorded when node:http parsed them', () => {
  it(`reach the origin with the same bytes and get the same responses: ${rows.length} of them`, async () => {
    const socks = new LocalSocks5Server();
    await socks.listen();
    await using proxy = await RunningProxy.start({
      upstream: { kind: 'socks5', ...socks.address, handshake: 'auto', warm: 0 },
      limits: { headerBytes: 4096 },
      logLevel: 'info',
    });
    const differences: unknown[] = [];
    let next = 0;
    const play = async (): Promise<void> => {
      await using origin = await RecordingOrigin.start();
      for (let row = rows[next++]; row !== undefined; row = rows[next++]) {
        const [sent, requestedTarget, answers, end] = row;
        const expected = { asked: requestedTarget, answers, end };
        const seen = await observe(proxy.url, origin, sent, expected);
        if (JSON.stringify(seen) !== JSON.stringify(expected)) differences.push({ sent, expected, seen });
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, play));
    await socks.close();
    expect(differences).toEqual([]);
  });

  it('differ only for the reasons in docs/adr/0097', () => {
    const reasons = new Set(rows.flatMap(([, , , , because]) => because ?? []));
    expect(reasons).toEqual(new Set(['own page', 'other scheme', 'answer before CONNECT', 'Max-Forwards']));
  });
});

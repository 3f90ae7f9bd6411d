import { withoutDescriptors } from '../../../../test/support/without-descriptors.js';
import type { NamedUpstream } from '../config/proxy-client-config.js';
import { connectThrough } from './testing/connect-through.js';
import { group, server, upstreamsOf } from './testing/upstreams-of.js';

const PORT = 1081;
const target = { host: '127.0.0.1', port: PORT };
const http: NamedUpstream = { name: 'http', kind: 'http', host: '127.0.0.1', port: PORT, plain: 'forward' };
const CONFIGS: readonly NamedUpstream[] = [
  server('socks5', PORT),
  { ...server('socks5+tls', PORT), tls: {} } as NamedUpstream,
  http,
  { ...server('chain', 1), via: 'http' } as NamedUpstream,
  group(['socks5', 'http']),
];

let exhausted: Disposable;

beforeEach(() => {
  exhausted = withoutDescriptors(PORT);
});

afterEach(() => {
  exhausted[Symbol.dispose]();
});

describe('without a free file descriptor', () => {
  it.each(['direct', 'socks5', 'socks5+tls', 'http', 'chain', 'group'])(
    'a request through %s reports that, and marks no upstream as down',
    async (name) => {
      const { upstreams } = upstreamsOf({ upstreams: CONFIGS, rules: [{ to: 'direct' }] });
      const upstream = upstreams.byName.get(name)!;
      await expect(connectThrough(upstream, target, { client: { remoteAddress: '::1' } })).rejects.toMatchObject({
        category: 'descriptor_limit',
        row: { status: 503, text: expect.stringContaining('ulimit -n') as unknown },
      });
      const { upstreams: servers, groups } = upstreams.status();
      expect(servers.filter(({ state }) => state === 'down')).toEqual([]);
      expect(groups.map(({ failovers }) => failovers)).toEqual([0]);
      upstreams.close();
    },
  );

  it.each(['socks5', 'http'])('a check of %s keeps its state', async (name) => {
    const { upstreams } = upstreamsOf({ upstreams: CONFIGS });
    const upstream = upstreams.server(name)!;
    upstream.health.markUp();
    await expect(upstream.check({})).rejects.toMatchObject({
      failure: { category: 'descriptor_limit' },
      step: 'tcp',
    });
    expect(upstream.health.status).toMatchObject({ state: 'up', last_failure: null });
    upstreams.close();
  });
});

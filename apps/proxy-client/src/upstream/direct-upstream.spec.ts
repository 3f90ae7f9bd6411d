import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Networks } from '../rules/networks.js';
import type { RouteClient, Rule } from '../rules/rule.js';
import { connectThrough } from './testing/connect-through.js';
import { type MadeUpstreams, server, upstreamsOf } from './testing/upstreams-of.js';
import { CancelToken, ConnectCancelled, type Upstream } from './upstream.js';

const FROM_HERE = { remoteAddress: '::ffff:127.0.0.1' };
const FROM_AFAR = { remoteAddress: '192.0.2.7' };
/** Names that the machine's resolver reads as an address. */
const LOOPBACKS = ['127.0.0.1', 'localhost', '127.1', '0x7f.1', '2130706433', '::ffff:127.0.0.1', '0.0.0.0'];
const METADATA = ['169.254.169.254', '0xa9fea9fe', '::ffff:169.254.169.254', 'fe80::1', '224.0.0.1', '::'];

let origin: Server;
let port: number;
let made: MadeUpstreams | undefined;

beforeAll(async () => {
  origin = createServer((socket) => socket.on('error', () => undefined).end('hello')).listen(0, '127.0.0.1');
  await once(origin, 'listening');
  port = (origin.address() as AddressInfo).port;
});

afterEach(() => made?.upstreams.close());

afterAll(async () => {
  await new Promise((resolve) => origin.close(resolve));
});

/** The direct way out for a client, by rules that send everything there unless something else is said. */
function direct(client: RouteClient, host = 'localhost', rules: readonly Rule[] = [{ to: 'direct' }]): Upstream {
  made = upstreamsOf({
    upstreams: [server('socks', 1)],
    rules,
    timeouts: { connect: 5000 },
    ownListeners: () => [{ host: '127.0.0.1', port: 1 }],
  });
  return made.upstreams.byName.get('direct')!.forRequest!({ target: { host, port }, client });
}

async function hello(upstream: Upstream, host = 'localhost'): Promise<string> {
  const connection = await connectThrough(upstream, { host, port });
  const chunks: Buffer[] = [];
  connection.start({ read: (chunk) => chunks.push(Buffer.from(chunk)) > 0 });
  await once(connection.socket, 'end');
  connection.socket.end();
  return Buffer.concat(chunks).toString();
}

describe('DirectUpstream', () => {
  it('connects from this machine, and meters what passes', async () => {
    expect(await hello(direct(FROM_HERE))).toBe('hello');
    expect(made!.stats.snapshot()).toMatchObject({ bytesSent: 0, bytesReceived: 5 });
  });

  it.each([...LOOPBACKS, ...METADATA])('does not connect to %s for a client of another machine', async (host) => {
    const upstream = direct(FROM_AFAR, host);
    await expect(connectThrough(upstream, { host, port })).rejects.toMatchObject({ category: 'direct_prohibited' });
    const nobody = made!.upstreams.byName.get('direct')!;
    await expect(connectThrough(nobody, { host, port })).rejects.toMatchObject({ category: 'direct_prohibited' });
  });

  it.each(LOOPBACKS)(
    'connects to %s for a program of this machine, and for others where a rule names the network',
    async (host) => {
      expect(await hello(direct(FROM_HERE, host), host)).toBe('hello');
      const rules = [{ networks: new Networks(['127.0.0.0/8', '0.0.0.0/8']), to: 'direct' }, { to: 'direct' }];
      expect(await hello(direct(FROM_AFAR, host, rules), host)).toBe('hello');
    },
  );

  it('never connects to the proxy itself, whoever asks and whatever a rule names', async () => {
    const rules = [{ networks: new Networks(['127.0.0.0/8']), to: 'direct' }, { to: 'direct' }];
    for (const host of LOOPBACKS) {
      const upstream = direct(FROM_HERE, host, rules);
      await expect(connectThrough(upstream, { host, port: 1 })).rejects.toMatchObject({
        category: 'direct_prohibited',
      });
    }
  });

  it('connects anywhere for a tunnel, whose target the operator has named', async () => {
    direct(FROM_HERE);
    const query = { target: { host: '127.0.0.1', port }, client: FROM_AFAR, listener: { via: 'direct' } };
    expect(await hello(made!.upstreams.byName.get('direct')!.forRequest!(query))).toBe('hello');
  });

  it('keeps connections apart by what their clients may, and by the rules that let them through', () => {
    const keys = [FROM_HERE, FROM_AFAR, { ...FROM_AFAR, user: 'ci' }, FROM_HERE].map((client) => direct(client).key);
    expect(new Set(keys).size).toBe(4);
    const { byName } = made!.upstreams;
    const query = { target: { host: 'a.example', port }, client: FROM_HERE };
    expect(byName.get('direct')!.forRequest!(query).key).toBe(keys[3]);
  });

  it('says what is wrong', async () => {
    const upstream = direct(FROM_HERE);
    const failure = (host: string, at = port) =>
      connectThrough(upstream, { host, port: at }).catch((error: unknown) => (error as { category: unknown }).category);
    expect(await failure('no.such.host.invalid')).toBe('direct_unresolved');
    expect(await failure('127.0.0.2', 2)).toBe('direct_refused');
    expect(await failure('255.255.255.255')).toBe('direct_unreachable');
  });

  it('gives up when the client leaves, and fails when its time is over', async () => {
    const upstream = direct(FROM_HERE);
    const [gone, late] = [new CancelToken(), new CancelToken()];
    const abandoned = connectThrough(upstream, { host: '127.0.0.1', port }, gone);
    gone.cancel();
    await expect(abandoned).rejects.toBeInstanceOf(ConnectCancelled);
    await expect(connectThrough(upstream, { host: '127.0.0.1', port }, gone)).rejects.toBeInstanceOf(ConnectCancelled);
    const expired = connectThrough(upstream, { host: 'localhost', port }, late);
    late.expire();
    await expect(expired).rejects.toMatchObject({ category: 'direct_timeout' });
  });
});

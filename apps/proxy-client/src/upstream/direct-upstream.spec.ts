import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Networks } from '../routing/rules/addresses.js';
import type { RouteClient, RouteQuery, Rule } from '../routing/rules/rule.js';
import { connectThrough } from './testing/connect-through.js';
import { type MadeUpstreams, server, upstreamsOf } from './testing/upstreams-of.js';
import type { Upstream } from './upstream.js';

const FROM_HERE = { remoteAddress: '::ffff:127.0.0.1' };
const FROM_AFAR = { remoteAddress: '192.0.2.7' };
/** Spellings that the machine's resolver parses as an address. */
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

afterEach(() => {
  made?.upstreams.close();
});

afterAll(async () => {
  await new Promise((resolve) => origin.close(resolve));
});

/** Returns the direct upstream, with rules that send everything there by default. */
function direct(rules: readonly Rule[] = [{ to: 'direct' }]): Upstream {
  made = upstreamsOf({
    upstreams: [server('socks', 1)],
    rules,
    timeouts: { connect: 5000 },
    own: [{ address: '127.0.0.1', port: 1 }],
  });
  return made.upstreams.byName.get('direct')!;
}

/** Connects for a client and returns what the origin sends. */
async function hello(
  upstream: Upstream,
  client: RouteClient,
  host = 'localhost',
  rest?: Partial<RouteQuery>,
): Promise<string> {
  const connection = await connectThrough(upstream, { host, port }, { client, ...rest });
  const chunks: Buffer[] = [];
  connection.start({ read: (chunk) => chunks.push(Buffer.from(chunk)) > 0 });
  await once(connection.socket as Socket, 'end');
  connection.socket.end();
  return Buffer.concat(chunks).toString();
}

describe('DirectUpstream', () => {
  it.each([...LOOPBACKS, ...METADATA, '127.0.0.1.'])(
    'does not connect to %s for a client of another machine',
    async (host) => {
      for (const client of [FROM_AFAR, {}]) {
        await expect(connectThrough(direct(), { host, port }, { client })).rejects.toMatchObject({
          category: 'direct_prohibited',
          row: { status: 403 },
        });
      }
    },
  );

  it.each([...LOOPBACKS, '127.0.0.1.'])(
    'connects to %s for a program of this machine, and for others where a rule names the network',
    async (host) => {
      expect(await hello(direct(), FROM_HERE, host)).toBe('hello');
      const rules = [{ networks: new Networks(['127.0.0.0/8', '0.0.0.0/8']), to: 'direct' }, { to: 'direct' }];
      expect(await hello(direct(rules), FROM_AFAR, host)).toBe('hello');
    },
  );

  it('never connects to the proxy itself, for any client and under any rule', async () => {
    const rules = [{ networks: new Networks(['127.0.0.0/8']), to: 'direct' }, { to: 'direct' }];
    for (const host of LOOPBACKS) {
      await expect(connectThrough(direct(rules), { host, port: 1 }, { client: FROM_HERE })).rejects.toMatchObject({
        category: 'direct_prohibited',
      });
    }
  });

  it('connects anywhere for a tunnel, whose target the operator has configured', async () => {
    expect(await hello(direct(), FROM_AFAR, '127.0.0.1', { listener: { via: 'direct' } })).toBe('hello');
  });

  it('has different pool keys for clients with different permissions, and after its rules were replaced', () => {
    const target = { host: 'a.example', port };
    const upstream = direct();
    const keyFor = (client: RouteClient, by = upstream) => by.keyFor({ target, client }, 'a.example:80');
    const keys = [
      keyFor(FROM_HERE),
      keyFor(FROM_AFAR),
      keyFor({ ...FROM_AFAR, user: 'ci' }),
      keyFor(FROM_HERE, direct()),
    ];
    expect(new Set(keys).size).toBe(4);
    expect(keyFor({ remoteAddress: '::1' })).toBe(keys[0]);
  });

  it('fails with the category of the cause', async () => {
    const failure = (host: string, at = port) =>
      connectThrough(direct(), { host, port: at }, { client: FROM_HERE }).catch(
        (error: unknown) => (error as { category: unknown }).category,
      );
    expect(await failure('no.such.host.invalid')).toBe('direct_unresolved');
    expect(await failure('127.0.0.2', 2)).toBe('direct_refused');
    expect(await failure('255.255.255.255')).toBe('direct_unreachable');
  });
});

describe('the upstream "embedded"', () => {
  function embedded(rules: readonly Rule[] = [{ to: 'here' }]): Upstream {
    made = upstreamsOf({
      upstreams: [{ name: 'here', kind: 'embedded' }],
      rules,
      own: [{ address: '127.0.0.1', port: 1 }],
    });
    return made.upstreams.byName.get('here')!;
  }

  it('connects directly under its own name, is up, and counts its connections', async () => {
    const upstream = embedded();
    expect(upstream.name).toBe('here');
    expect(await hello(upstream, FROM_HERE)).toBe('hello');
    await expect(connectThrough(upstream, { host: 'localhost', port: 1 }, { client: FROM_HERE })).rejects.toMatchObject(
      { category: 'direct_prohibited' },
    );
    expect(made!.upstreams.status().upstreams).toMatchObject([
      { name: 'here', state: 'up', connections_opened: 1, connections_failed: 1 },
    ]);
    expect(await made!.upstreams.areReady()).toBe(true);
  });

  it('does not connect to this machine for clients of other machines, unless a rule names the network', async () => {
    await expect(hello(embedded(), FROM_AFAR)).rejects.toMatchObject({ category: 'direct_prohibited' });
    const rules = [{ networks: new Networks(['127.0.0.0/8']), to: 'here' }, { to: 'here' }];
    expect(await hello(embedded(rules), FROM_AFAR)).toBe('hello');
  });

  it('applies the rules of a new configuration, and keeps its counters', async () => {
    const rules = [{ networks: new Networks(['127.0.0.0/8']), to: 'here' }, { to: 'here' }];
    expect(await hello(embedded(rules), FROM_AFAR)).toBe('hello');
    const { upstreams: previous } = made!;
    const after = upstreamsOf({ upstreams: [{ name: 'here', kind: 'embedded' }], previous });
    previous.close(after.upstreams);
    made = after;
    await expect(hello(after.upstreams.byName.get('here')!, FROM_AFAR)).rejects.toMatchObject({
      category: 'direct_prohibited',
    });
    expect(after.upstreams.status().upstreams).toMatchObject([{ connections_opened: 1, connections_failed: 1 }]);
  });
});

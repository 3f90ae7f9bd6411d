import type { Socket } from 'node:net';
import { Method, Reply } from '#socks5-protocol';
import { granting, greeted, replying, ScriptedSocks5Server, type ScriptStep } from '#socks5-protocol/testing';
import { CLOSED_PORT } from '../../../../test/support/closed-port.js';
import { until } from '../../../../test/support/until.js';
import type { GroupConfig, NamedUpstream, Timeouts } from '../config/proxy-client-config.js';
import type { ByteSource } from '../relay/byte-source.js';
import { type GroupMember, GroupUpstream } from './group-upstream.js';
import { connectThrough } from './testing/connect-through.js';
import { group, type MadeUpstreams, server, upstreamsOf } from './testing/upstreams-of.js';
import type { Upstream } from './upstream.js';
import type { Upstreams } from './upstreams.js';

const target = { host: 'example.com', port: 443 };
const client = { remoteAddress: '192.0.2.7' };
const works = granting('stall');
const closesAtRequest: readonly ScriptStep[] = [...greeted(), { then: 'close' }];

/** Behaviours after which another server is tried: authentication failed, or no answer. */
const NO_ANSWERS: readonly (readonly [string, readonly ScriptStep[]])[] = [
  ['closes at the greeting', [{ read: 'greeting' }, { then: 'close' }]],
  ['resets at the greeting', [{ read: 'greeting' }, { then: 'reset' }]],
  ['speaks another protocol', [{ write: Buffer.from('SSH-2.0-OpenSSH_9.2\r\n') }, { then: 'close' }]],
  ['takes no method', [{ read: 'greeting' }, { write: Uint8Array.of(5, 0xff) }, { then: 'close' }]],
  ['does not answer the greeting', [{ read: 'greeting' }, { then: 'stall' }]],
  ['does not answer the request', [...greeted(), { then: 'stall' }]],
  ['closes before its first reply', closesAtRequest],
];

/** Long enough for the member after a stalled one, even when the machine pauses for a second. */
const UNHURRIED: Partial<Timeouts> = { handshake: 4000 };

const servers: ScriptedSocks5Server[] = [];
let made: MadeUpstreams | undefined;

afterEach(async () => {
  made?.upstreams.close();
  for (const each of servers.splice(0)) await each.close();
});

/** Starts a group of servers with these scripts, named a, b, c. */
async function start(
  scripts: readonly (readonly ScriptStep[])[],
  rest: Partial<GroupConfig> = {},
  timeouts: Partial<Timeouts> = UNHURRIED,
): Promise<Upstream> {
  for (const script of scripts) servers.push(await new ScriptedSocks5Server(() => script).listen());
  const named = servers.map(({ port }, index) => server('abc'[index]!, port));
  return startWith(named, rest, timeouts);
}

function startWith(
  named: readonly NamedUpstream[],
  rest: Partial<GroupConfig> = {},
  timeouts: Partial<Timeouts> = UNHURRIED,
): Upstream {
  made = upstreamsOf({
    upstreams: [
      ...named,
      group(
        named.map(({ name }) => name),
        rest,
      ),
    ],
    timeouts,
  });
  made.upstreams.start();
  return made.upstreams.byName.get('group')!;
}

/** Connects as one request, and returns the name of the member that connected. */
async function through(upstream: Upstream, host = target.host, user?: string): Promise<string> {
  const query = { target: { ...target, host }, client: { ...client, user } };
  return new Promise((resolve, reject) => {
    const connected = (connection: ByteSource, member: Upstream): void => {
      connection.socket.destroy();
      resolve(member.name);
    };
    upstream.begin(query, { connected, failed: reject });
  });
}

const asked = (): number[] => servers.map(({ connections }) => connections.length);
const state = (name: string) => made!.upstreams.status().upstreams.find((each) => each.name === name)?.state;

describe('GroupUpstream', () => {
  it('uses the first that works', async () => {
    const any = await start([works, works]);
    expect([await through(any), await through(any)]).toEqual(['a', 'a']);
    expect(asked()).toEqual([2, 0]);
  });

  it.each(NO_ANSWERS)('tries the next one when one %s', async (_, script) => {
    const any = await start([script, works]);
    expect(await through(any)).toBe('b');
    expect(made!.upstreams.status().groups).toMatchObject([{ members: ['a', 'b'], failovers: 1 }]);
  });

  it('tries the next one when one is unreachable, and does not try that one again', async () => {
    servers.push(await new ScriptedSocks5Server(() => works).listen());
    const any = startWith([server('gone', CLOSED_PORT), server('a', servers[0]!.port)]);
    expect(await through(any)).toBe('a');
    expect(state('gone')).toBe('down');
    expect(await through(any)).toBe('a');
    expect(made!.upstreams.status().upstreams).toMatchObject([
      { connections_failed: 1, last_failure: { category: 'upstream_unreachable' } },
      {},
    ]);
  });

  it.each([Reply.generalFailure, Reply.networkUnreachable])(
    'asks one other after reply %i, and no third',
    async (code) => {
      const any = await start([replying(code), replying(code), works]);
      await expect(through(any)).rejects.toMatchObject({ facts: { replyCode: code } });
      expect(asked()).toEqual([1, 1, 0]);
      servers[1]!.script = () => works;
      expect(await through(any)).toBe('b');
      expect(state('a')).toBe('up');
    },
  );

  it('fails with the answer of a server when the others could not be asked', async () => {
    const closing: readonly ScriptStep[] = [{ read: 'greeting' }, { then: 'close' }];
    const any = await start([replying(Reply.generalFailure), closing, closing]);
    await expect(through(any)).rejects.toMatchObject({ category: 'general_failure' });
    expect(asked()).toEqual([1, 1, 1]);
    await expect(through(any)).rejects.toMatchObject({ category: 'general_failure' });
    expect(asked()).toEqual([2, 1, 1]);
  });

  it.each([2, 4, 5, 6, 7, 8, 9])('treats reply %i as final: no other member is asked', async (code) => {
    const any = await start([replying(code), works]);
    await expect(through(any)).rejects.toMatchObject({ facts: { replyCode: code } });
    expect(asked()).toEqual([1, 0]);
    expect(state('a')).toBe('up');
  });

  it('tries the next one when one sends a malformed reply, and marks that one as down', async () => {
    const any = await start([[...greeted(), { write: Uint8Array.of(5, 0, 0, 9, 1, 2, 3, 4, 0, 80) }], works]);
    expect(await through(any)).toBe('b');
    expect(state('a')).toBe('down');
    expect(made!.upstreams.status().upstreams[0]).toMatchObject({ last_failure: { category: 'protocol_error' } });
  });

  it('treats a close at the request as final once the server has worked, as ssh -D does', async () => {
    const any = await start([works, works]);
    expect(await through(any)).toBe('a');
    await until(() => servers[0]!.connections.length === 1);
    servers[0]!.script = () => closesAtRequest;
    await expect(through(any)).rejects.toMatchObject({ category: 'closed_at_request' });
    expect(servers[1]!.connections).toHaveLength(0);
    expect(state('a')).toBe('up');
  });

  it('refuses an invalid target without asking any member', async () => {
    const any = await start([works, works]);
    await expect(through(any, 'a\0b')).rejects.toMatchObject({ category: 'bad_request' });
    expect(asked()).toEqual([0, 0]);
  });

  it('fails when its timeout expires, whichever member does not answer', async () => {
    const silent: readonly ScriptStep[] = [...greeted(), { then: 'stall' }];
    const any = await start([silent, silent], {}, { handshake: 1500 });
    await expect(through(any)).rejects.toMatchObject({ category: 'timeout' });
    expect(asked()).toEqual([1, 1]);
  });

  it('applies a short timeout until the authentication only, not to the target', async () => {
    await start([[{ read: 'greeting' }, { then: 'stall' }], works, works], {}, { handshake: 0 });
    const [a, b, c] = (made!.upstreams.byName.get('group') as GroupUpstream).members;
    const brief = (...members: GroupMember[]): Upstream =>
      new GroupUpstream({ name: 'brief', pick: 'failover', members, timeout: 0 });
    // The timeout expires between two parts of its reply, for another request that started later.
    let other: string | undefined;
    const pass = async (): Promise<void> => {
      other = await through(brief(a!, c!));
    };
    servers[1]!.script = () => [
      ...greeted(),
      { write: Uint8Array.of(5, 0), between: pass, cuts: [1] },
      { write: Uint8Array.of(0, 1, 0, 0, 0, 0, 0, 0) },
      { then: 'stall' },
    ];
    expect(await through(brief(b!, c!))).toBe('b');
    expect(other).toBe('c');
  });

  it('tries members that are down when no other is left', async () => {
    const any = await start([
      [{ read: 'greeting' }, { then: 'close' }],
      [{ read: 'greeting' }, { then: 'close' }],
    ]);
    await expect(through(any)).rejects.toMatchObject({ category: 'upstream_closed' });
    expect([state('a'), state('b')]).toEqual(['down', 'down']);
    servers[1]!.script = () => works;
    expect(await through(any)).toBe('b');
    expect(state('b')).toBe('up');
  });

  it('uses the pool key of the member that serves a request', async () => {
    const any = await start([works, works]);
    const { byName } = made!.upstreams;
    const query = { target, client };
    expect(any.keyFor(query, 'x:1')).toBe(byName.get('a')!.keyFor(query, 'x:1'));
    servers[0]!.script = () => [{ read: 'greeting' }, { then: 'close' }];
    await through(any);
    expect(any.keyFor(query, 'x:1')).toBe(byName.get('b')!.keyFor(query, 'x:1'));
  });

  it('keeps a client and its target on one member, and distributes others', async () => {
    const any = await start([works, works], { pick: 'roundrobin' });
    const hosts = ['one.example', 'two.example', 'three.example', 'four.example'];
    const first = await Promise.all(hosts.map((host) => through(any, host)));
    expect(first.toSorted()).toEqual(['a', 'a', 'b', 'b']);
    expect(await Promise.all(hosts.map((host) => through(any, host.toUpperCase())))).toEqual(first);
  });
});

describe('a member that was selected by hand', () => {
  const group0 = () => made!.upstreams.status().groups[0];

  it.each(['failover', 'roundrobin', 'fastest'] as const)(
    'is tried first until the group is automatic again (%s)',
    async (pick) => {
      const any = await start([works, works, works], { pick });
      expect(made!.upstreams.select('group', 'c')).toBe(true);
      expect(group0()).toMatchObject({ selected: 'c', current: 'c' });
      expect([await through(any), await through(any, 'other.example')]).toEqual(['c', 'c']);
      expect(made!.upstreams.select('group', undefined)).toBe(true);
      expect(group0()).toMatchObject({
        selected: null,
        current: pick === 'roundrobin' ? null : (expect.any(String) as string),
      });
      if (pick === 'failover') expect(await through(any)).toBe('a');
    },
  );

  it('is tested at once, and replaced by the others while it does not work', async () => {
    const [gone] = [server('gone', CLOSED_PORT)];
    servers.push(await new ScriptedSocks5Server(() => works).listen());
    const any = startWith([server('a', servers[0]!.port), gone]);
    made!.upstreams.select('group', 'gone');
    await until(() => state('gone') === 'down');
    expect(group0()).toMatchObject({ selected: 'gone', current: 'a' });
    expect(await through(any)).toBe('a');
  });

  it('is one of the members, of a group that exists', async () => {
    await start([works, works]);
    expect(made!.upstreams.select('group', 'direct')).toBe(false);
    expect(made!.upstreams.select('a', 'a')).toBe(false);
    expect(group0()).toMatchObject({ selected: null });
  });

  it('stays selected after a reload, unless it is no member any more', async () => {
    await start([works, works, works]);
    made!.upstreams.select('group', 'b');
    const { upstreams } = made!;
    const reload = (names: readonly string[]) => {
      const named = names.map((name) => server(name, servers['abc'.indexOf(name)]!.port));
      made = upstreamsOf({ upstreams: [...named, group(names)], timeouts: UNHURRIED, previous: upstreams });
      return group0();
    };
    expect(reload(['c', 'b'])).toMatchObject({ selected: 'b', current: 'b' });
    expect(reload(['a', 'c'])).toMatchObject({ selected: null, current: 'a' });
    upstreams.close();
  });
});

describe('a test of upstreams', () => {
  it('measures each member of a group now, or reports what failed', async () => {
    servers.push(await new ScriptedSocks5Server(() => works).listen());
    startWith([server('a', servers[0]!.port), server('gone', CLOSED_PORT)]);
    const { upstreams } = made!;
    const [first, second] = (await upstreams.test('group'))!.tests;
    expect(first).toEqual({
      upstream: 'a',
      result: 'ok',
      ms: expect.any(Number) as number,
      category: null,
      hint: null,
    });
    expect(second).toMatchObject({ upstream: 'gone', result: 'failed', ms: null, category: 'upstream_unreachable' });
    expect(upstreams.status().upstreams).toMatchObject([
      { state: 'up', latency_ms: expect.any(Number) as number, down_since: null },
      { state: 'down', down_since: expect.stringMatching(/Z$/) as string },
    ]);
    expect(await upstreams.test('direct')).toMatchObject({ tests: [{ upstream: 'direct', result: 'skipped' }] });
    expect(await upstreams.test('nowhere')).toBeUndefined();
  });

  it('is shared by requests at the same time', async () => {
    await start([works]);
    await Promise.all([made!.upstreams.test('a'), made!.upstreams.test('a'), made!.upstreams.test('group')]);
    expect(asked()).toEqual([1]);
  });
});

describe('a member that accepts requests and does not answer them', () => {
  const hangs: readonly ScriptStep[] = [...greeted(), { then: 'stall' }];
  // Each member has half of it, which the working one must not exceed on a busy machine either.
  const QUICK: Partial<Timeouts> = { handshake: 2000 };
  const suspect = () => made!.upstreams.status().upstreams.map((each) => each.suspect);

  /** Requests three targets at once, which time out at the first member. */
  async function timeOutThrice(upstream: Upstream): Promise<void> {
    await Promise.all(['one.example', 'two.example', 'three.example'].map((host) => through(upstream, host)));
  }

  it('is suspect and tried last after requests for three targets have timed out (every request waited for it)', async () => {
    const any = await start([hangs, works], {}, QUICK);
    await timeOutThrice(any);
    expect([state('a'), suspect(), asked()]).toEqual(['up', [true, false], [3, 3]]);
    expect(await through(any, 'four.example')).toBe('b');
    expect(asked()).toEqual([3, 4]);
    expect(made!.log).toMatchObject([{ upstream: 'a', to: 'suspect', category: 'timeout' }]);
  });

  it('stays suspect after checks that end at the authentication', async () => {
    const any = await start([hangs, works], { check: { every: 100 } }, QUICK);
    await timeOutThrice(any);
    const { length } = servers[0]!.connections;
    await until(() => servers[0]!.connections.length >= length + 3);
    expect(suspect()).toEqual([true, false]);
    expect(await made!.upstreams.areReady()).toBe(true);
  });

  it('is not suspect any more after a reply, whatever that is', async () => {
    const any = await start([hangs, works], {}, QUICK);
    await timeOutThrice(any);
    servers[0]!.script = () => replying(Reply.hostUnreachable);
    servers[1]!.script = () => [{ read: 'greeting' }, { then: 'close' }];
    await expect(through(any, 'five.example')).rejects.toMatchObject({ category: 'host_unreachable' });
    expect(suspect()).toEqual([false, false]);
  });
});

describe('the members of a group', () => {
  const check = { every: 100 };

  it('are checked up to the authentication, and one that is back is used again', async () => {
    const any = await start([[{ read: 'greeting' }, { then: 'close' }], works], { check });
    await until(() => state('a') === 'down' && state('b') === 'up');
    expect(await through(any)).toBe('b');
    expect(servers[0]!.connections.every((each) => each.target === undefined)).toBe(true);
    servers[0]!.script = () => works;
    await until(() => state('a') === 'up');
    expect(await through(any)).toBe('a');
    expect(made!.log.map(({ upstream, to }) => [upstream, to])).toEqual(
      expect.arrayContaining([
        ['a', 'down'],
        ['a', 'up'],
        ['b', 'up'],
      ]),
    );
    expect(made!.log).toHaveLength(3);
    expect(made!.upstreams.status().upstreams[1]).toMatchObject({
      address: `127.0.0.1:${servers[1]!.port}`,
      latency_ms: expect.any(Number) as number,
      checked_at: expect.any(String) as string,
    });
  });

  it('are not up because a request ends that was authenticated before they went down', async () => {
    const any = await start([[...greeted(), { then: 'stall' }], works]);
    const first = through(any);
    await until(() => servers[0]!.connections[0]?.target !== undefined);
    servers[0]!.script = () => [{ read: 'greeting' }, { then: 'close' }];
    expect(await through(any)).toBe('b');
    expect(state('a')).toBe('down');
    servers[0]!.connections[0]!.socket.destroy();
    expect(await first).toBe('b');
    expect(state('a')).toBe('down');
  });

  it('are checked with a connection where a target is named', async () => {
    await start([works, replying(4)], { check: { every: 100, target } });
    await until(() => state('a') === 'up' && state('b') === 'down');
    expect(servers[0]!.connections[0]!.target).toMatchObject(target);
  });

  it('are not checked in groups of one, or without configuration', async () => {
    for (let count = 0; count < 4; count += 1) servers.push(await new ScriptedSocks5Server(() => works).listen());
    const named = servers.map(({ port }, index) => server('abcd'[index]!, port));
    const groups = [group(['a'], { check }), group(['a', 'b']), group(['c', 'd'], { check })];
    made = upstreamsOf({ upstreams: [...named, ...groups] });
    made.upstreams.start();
    await until(() => servers[2]!.connections.length >= 2 && servers[3]!.connections.length >= 2);
    expect(asked().slice(0, 2)).toEqual([0, 0]);
  });

  it('are checked with the full offer again when the method that was chosen is refused', async () => {
    const password = greeted(Method.password);
    const credentials = { username: 'me', password: 'secret' };
    servers.push(
      await new ScriptedSocks5Server(() => works).listen(),
      await new ScriptedSocks5Server(() => works).listen(),
    );
    const [a, b] = servers.map(({ port }, index) => ({ ...server('ab'[index]!, port), credentials }) as NamedUpstream);
    startWith([a!, b!], { check });
    await until(() => state('a') === 'up');
    const refusing: readonly ScriptStep[] = [
      { read: 'greeting' },
      { write: Uint8Array.of(5, 0xff) },
      { then: 'close' },
    ];
    let offers = 0;
    servers[0]!.script = () => ((offers += 1) === 1 ? refusing : password);
    await until(() => offers >= 2);
    expect(state('a')).toBe('up');
  });
});

describe('Upstreams', () => {
  it('are ready when one of them works, which is checked on demand', async () => {
    await start([works]);
    expect(state('a')).toBe('unknown');
    expect(await made!.upstreams.areReady()).toBe(true);
    expect(state('a')).toBe('up');
    servers[0]!.script = () => [{ read: 'greeting' }, { then: 'close' }];
    await until(async () => !(await made!.upstreams.areReady()));
    servers[0]!.script = () => works;
    expect(await made!.upstreams.areReady()).toBe(true);
  });

  it('keep their learned state when they are unchanged in a new configuration', async () => {
    await start([works, works]);
    const before = made!.upstreams;
    const [a, b] = servers.map(({ port }, index) => server('ab'[index]!, port));
    const changed = { ...b!, handshake: 'auto' } as NamedUpstream;
    const after = upstreamsOf({ upstreams: [a!, changed], timeouts: { handshake: 1000 }, previous: before }).upstreams;
    expect(after.byName.get('a')).toBe(before.byName.get('a'));
    expect(after.byName.get('b')).not.toBe(before.byName.get('b'));
    const query = { target, client };
    expect(after.byName.get('direct')!.keyFor(query, 'x:1')).not.toBe(
      before.byName.get('direct')!.keyFor(query, 'x:1'),
    );
    after.start();
    before.close(after);
    after.close();
  });

  it('keep an unchanged group and what is carried by it, and the counter of a changed one', async () => {
    const any = await start([closesAtRequest, works, works]);
    const { upstreams: before } = made!;
    expect(await through(any)).toBe('b');
    const named = ['a', 'b', 'c'].map((name, index) => server(name, servers[index]!.port));
    const carried = { ...server('inner', servers[1]!.port), via: 'group' };
    const reload = (previous: Upstreams, ...upstreams: readonly NamedUpstream[]) =>
      upstreamsOf({ upstreams: [...named, ...upstreams], timeouts: UNHURRIED, previous }).upstreams;
    const first = reload(before, group(['a', 'b', 'c']), carried);
    expect(first.byName.get('group')).toBe(any);
    const second = reload(first, group(['a', 'b', 'c']), carried);
    expect(second.byName.get('inner')).toBe(first.byName.get('inner'));
    const third = reload(second, group(['a', 'c']), carried);
    expect(third.byName.get('inner')).not.toBe(first.byName.get('inner'));
    expect(third.status().groups[0]).toMatchObject({ members: ['a', 'c'], failovers: 1 });
    for (const each of [before, first, second]) each.close(third);
    third.close();
  });

  it('do not check a server that was removed from the configuration, though a request finds it down', async () => {
    const upstream = await start([works, works, works], { check: { every: 60_000 } });
    const before = made!;
    await until(() => state('a') === 'up');
    let held: Socket | undefined;
    servers[0]!.script = () => [{ read: 'greeting' }, { then: (socket) => (held = socket) }];
    const moved = through(upstream);
    await until(() => held !== undefined);
    const [b, c] = [server('b', servers[1]!.port), server('c', servers[2]!.port)];
    const rest = { check: { every: 100 } };
    made = upstreamsOf({ upstreams: [b, c, group(['b', 'c'], rest)], previous: before.upstreams });
    made.upstreams.start();
    before.upstreams.close(made.upstreams);
    held!.destroy();
    expect(await moved).toBe('b');
    // The request itself may have retried there.
    const { length } = servers[0]!.connections;
    // Longer than the delay of the first check of a server that has gone down.
    const checks = servers[2]!.connections.length + 8;
    await until(() => servers[2]!.connections.length >= checks);
    expect(servers[0]!.connections.length).toBe(length);
    expect(before.log.filter(({ upstream, to }) => upstream === 'a' && to === 'down')).toEqual([]);
  });

  it('leave direct connections open when their upstream is removed from the configuration', async () => {
    await start([granting('stall')]);
    const before = upstreamsOf({ upstreams: [{ name: 'here', kind: 'embedded' }] }).upstreams;
    const query = { target: { host: '127.0.0.1', port: servers[0]!.port }, client: { remoteAddress: '127.0.0.1' } };
    const { socket } = await connectThrough(before.byName.get('here')!, query.target, query);
    const after = upstreamsOf({ upstreams: [server('a', servers[0]!.port)], previous: before }).upstreams;
    after.start();
    before.close(after);
    expect(await made!.upstreams.areReady()).toBe(true);
    expect(socket.destroyed).toBe(false);
    socket.destroy();
    after.close();
  });

  it('use different credentials for each user, and offer nothing else', async () => {
    const password: readonly ScriptStep[] = [
      ...greeted(Method.password),
      { write: Buffer.from('05000001000000000000', 'hex') },
      { then: 'stall' },
    ];
    servers.push(await new ScriptedSocks5Server(() => password).listen());
    const tor: NamedUpstream = { ...server('tor', servers[0]!.port), isolate: 'user' } as NamedUpstream;
    made = upstreamsOf({ upstreams: [tor] });
    const upstream = made.upstreams.byName.get('tor')!;
    for (const user of ['alice', 'bob', 'alice', undefined]) await through(upstream, 'a.example', user);
    (await connectThrough(upstream, target)).socket.destroy();
    const { connections } = servers[0]!;
    const names = connections.map(({ credentials }) => credentials!.username);
    expect(connections.map(({ methods }) => methods)).toEqual(Array(5).fill([2]));
    expect(names[0]).toBe(names[2]);
    expect(names[3]).toBe(names[4]);
    expect(new Set(names).size).toBe(3);
    expect(JSON.stringify(connections.map(({ credentials }) => credentials))).not.toMatch(/alice|bob/);
    const keys = ['alice', 'bob', 'alice'].map((user) => upstream.keyFor({ target, client: { user } }, 'x:1'));
    expect(keys[0]).toBe(keys[2]);
    expect(keys[0]).not.toBe(keys[1]);
    expect(await made.upstreams.areReady()).toBe(true);
    servers[0]!.script = () => works;
    await expect(through(upstream, 'a.example', 'carol')).rejects.toMatchObject({ category: 'auth_failed' });
  });
});

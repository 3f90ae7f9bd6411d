import type { Socket } from 'node:net';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { NO_BYTES, type ActiveConnection } from './active-connection.js';
import { Connections, type ConnectionFilter, type ConnectionQuery, type Sorting } from './connections.js';
import type { LoggedRequest } from './request-line.js';

/** The address of the client of the admin pages. */
const OPERATOR = '10.0.0.1';

type Connection = ActiveConnection & LoggedRequest;

const closed: unknown[] = [];

function connection(
  authority: string,
  fields: Partial<Pick<Connection, 'upstream' | 'startedAt' | 'rule' | 'bytes' | 'method'>> & { user?: string } = {},
): Connection {
  const { user, ...others } = fields;
  const socket = {
    destroyed: false,
    resetAndDestroy: () => closed.push(authority),
    destroy: () => undefined,
  } as unknown as Socket;
  return {
    ...{ method: 'CONNECT', authority, requestedTarget: authority, upstream: 'work', rule: undefined, startedAt: 100 },
    ...{ bytes: { sent: 1, received: 2 } },
    ...others,
    client: { socket, user, remoteAddress: '10.0.0.9' } as unknown as Connection['client'],
  };
}

const some: Connection[] = [
  connection('b:1', { startedAt: 300, bytes: { sent: 5, received: 50 }, user: 'zoe', rule: 1 }),
  connection('a:2', { upstream: 'tor', startedAt: 200, bytes: { sent: 9, received: 10 }, rule: 2 }),
  connection('c:3', { upstream: 'direct', bytes: { sent: 1, received: 99 }, user: 'ann' }),
];
const all: ConnectionQuery = { state: 'active', sort: 'target', order: 'asc', limit: 1000 };

function found(connections: Connections, query: Partial<ConnectionQuery> = {}): string[] {
  return connections.list({ ...all, ...query }).connections.map(({ target }) => target);
}

describe('Connections', () => {
  beforeEach(() => {
    for (const { client } of some) client.cut = undefined;
  });

  it.each<[Sorting, string[]]>([
    ['age', ['c:3', 'a:2', 'b:1']],
    ['sent', ['a:2', 'b:1', 'c:3']],
    ['received', ['c:3', 'b:1', 'a:2']],
    ['target', ['c:3', 'b:1', 'a:2']],
    ['upstream', ['b:1', 'a:2', 'c:3']],
    ['user', ['b:1', 'c:3', 'a:2']],
  ])('sorts by %s', (sort, targets) => {
    const connections = new Connections(() => some);
    expect(found(connections, { sort, order: 'desc' })).toEqual(targets);
    expect(found(connections, { sort, order: 'asc', limit: 2 })).toEqual(targets.toReversed().slice(0, 2));
    expect(connections.list({ ...all, sort, limit: 1 }).total).toBe(3);
  });

  it.each<[Partial<ConnectionFilter>, string[]]>([
    [{ find: 'C:' }, ['c:3']],
    [{ find: 'TOR' }, ['a:2']],
    [{ find: 'zo' }, ['b:1']],
    [{ find: 'nowhere' }, []],
    [{ find: '' }, ['a:2', 'b:1', 'c:3']],
    [{ upstream: 'tor' }, ['a:2']],
    [{ upstream: 'to' }, []],
    [{ user: 'zoe' }, ['b:1']],
    [{ user: '' }, ['a:2']],
    [{ rule: '1' }, ['b:1']],
    [{ rule: 'none' }, ['c:3']],
    [{ rule: '2', find: 'b' }, []],
  ])('finds by %j, and ends the same ones', (filter, targets) => {
    const connections = new Connections(() => some);
    expect(found(connections, filter)).toEqual(targets);
    const { total, found: count } = connections.list({ ...all, ...filter });
    expect([total, count]).toEqual([3, targets.length]);
    closed.length = 0;
    expect(connections.endAll({ state: 'active', ...filter }, OPERATOR)).toBe(targets.length);
    expect(new Set(closed)).toEqual(new Set(targets));
  });

  it('finds those that are connecting, and those that are open', () => {
    const connections = new Connections(() => [...some, connection('d:4', { bytes: NO_BYTES })]);
    expect(found(connections, { state: 'connecting' })).toEqual(['d:4']);
    expect(found(connections, { state: 'open' })).toEqual(['a:2', 'b:1', 'c:3']);
    expect(found(connections, { state: 'finished' })).toEqual([]);
  });

  it('assigns each a number once, and ends none that it has not shown', () => {
    const connections = new Connections(() => some);
    const ids = () => connections.list({ ...all, limit: 2 }).connections.map(({ id }) => id);
    expect(ids()).toEqual(ids());
    expect([
      connections.end('3', OPERATOR),
      connections.end('none', OPERATOR),
      connections.end('undefined', OPERATOR),
    ]).toEqual([false, false, false]);
  });

  it('lists finished ones with their outcome, under the id that they had', () => {
    const [first, second, third] = some as [Connection, Connection, Connection];
    const connections = new Connections(() => [first]);
    const [shown] = connections.list(all).connections;
    connections.ended(first, { status: 200, relay: 'finished' });
    connections.ended(second, { failure: new ProxyFailure('timeout') });
    connections.ended(third, 'client_closed');
    const { total, connections: listed } = connections.list({ ...all, state: 'finished' });
    expect(total).toBe(3);
    expect(listed).toMatchObject([
      { target: 'a:2', upstream: 'tor', rule: 2, state: 'finished', status: 504, error: 'timeout', user: null },
      { id: shown?.id, target: 'b:1', status: 200, error: null, user: 'zoe', bytes_sent: 5, bytes_received: 50 },
      { target: 'c:3', status: 499, error: 'client_left', rule: null },
    ]);
    for (const { started_at: from, ended_at: to, age_ms: age } of listed) {
      expect(age).toBe(Date.parse(to ?? '') - Date.parse(from));
    }
    expect(found(connections, { state: 'failed' })).toEqual(['a:2', 'c:3']);
    expect(connections.end(String(shown?.id), OPERATOR)).toBe(true);
  });

  it('lists those that an operator ended with that reason, and not among the failed ones', () => {
    const [first, second] = [connection('e:1'), connection('e:2')];
    const connections = new Connections(() => [first, second]);
    const isSecond = ({ authority }: { readonly authority: string }): boolean => authority === 'e:2';
    expect(connections.endWhere(isSecond, { reason: 'grant_ended', by: undefined })).toBe(1);
    connections.ended(second, 'client_closed');
    connections.endAll({ state: 'active', find: 'e:1' }, OPERATOR);
    connections.ended(first, { status: 200, relay: 'broken' });
    const { connections: listed } = connections.list({ ...all, state: 'finished', sort: 'target', order: 'asc' });
    expect(listed).toMatchObject([
      { target: 'e:1', status: 200, error: 'ended_by_operator', ended_by: OPERATOR },
      { target: 'e:2', status: 499, error: 'grant_ended', ended_by: null },
    ]);
    expect(found(connections, { state: 'failed' })).toEqual(['e:2']);
  });

  it('keeps the last 500 finished ones, without their sockets', () => {
    const connections = new Connections(() => []);
    for (let index = 0; index < 1203; index += 1) connections.ended(connection(`h:${index + 1}`), { status: 200 });
    const targets = found(connections, { state: 'finished' });
    expect([targets.length, targets.includes('h:1203'), targets.includes('h:703')]).toEqual([500, true, false]);
    expect(targets).toContain('h:704');
  });
});

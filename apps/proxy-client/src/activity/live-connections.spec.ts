import type { Socket } from 'node:net';
import { LiveConnections, type Sorting } from './live-connections.js';
import type { ActiveConnection } from './active-connection.js';

const socket = {} as Socket;
const some: ActiveConnection[] = [
  ['b:1', 'work', 300, 5, 50, 'zoe'],
  ['a:2', 'tor', 200, 9, 10, undefined],
  ['c:3', 'direct', 100, 1, 99, 'ann'],
].map(([authority, through, startedAt, sent, received, user]) => ({
  ...{ method: 'CONNECT', rule: 1, client: { socket, user, remoteAddress: '10.0.0.9' } },
  ...{ authority, through, startedAt, bytes: { sent, received } },
})) as ActiveConnection[];

describe('LiveConnections', () => {
  it.each<[Sorting, string[]]>([
    ['age', ['c:3', 'a:2', 'b:1']],
    ['sent', ['a:2', 'b:1', 'c:3']],
    ['received', ['c:3', 'b:1', 'a:2']],
    ['target', ['c:3', 'b:1', 'a:2']],
    ['upstream', ['b:1', 'a:2', 'c:3']],
    ['user', ['b:1', 'c:3', 'a:2']],
  ])('sorts by %s', (sort, targets) => {
    const live = new LiveConnections(() => some);
    const list = (order: 'asc' | 'desc', limit: number) => {
      const { total, connections } = live.list({ sort, order, limit });
      expect(total).toBe(3);
      return connections.map(({ target }) => target);
    };
    expect(list('desc', 9)).toEqual(targets);
    expect(list('asc', 2)).toEqual(targets.toReversed().slice(0, 2));
  });

  it.each([
    ['C:', ['c:3']],
    ['TOR', ['a:2']],
    ['zo', ['b:1']],
    ['nowhere', []],
    ['', ['a:2', 'b:1', 'c:3']],
  ])('finds %j in target, upstream and user', (find, targets) => {
    const list = new LiveConnections(() => some).list({ sort: 'target', order: 'asc', limit: 9, find });
    expect(list.connections.map(({ target }) => target)).toEqual(targets);
    expect([list.total, list.found]).toEqual([3, targets.length]);
  });

  it('assigns each a number once, and ends none that it has not shown', () => {
    const live = new LiveConnections(() => some);
    const ids = () => live.list({ sort: 'target', order: 'asc', limit: 2 }).connections.map(({ id }) => id);
    expect(ids()).toEqual(ids());
    expect([live.end('3'), live.end('none')]).toEqual([false, false]);
  });
});

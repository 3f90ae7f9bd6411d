import type { IncomingMessage } from 'node:http';
import { requestIds } from './request-hooks.js';

const request = (id?: string) =>
  ({ headers: id === undefined ? {} : { 'x-request-id': id } }) as unknown as IncomingMessage;

describe('requestIds', () => {
  it('counts after a prefix', () => {
    const next = requestIds('p');
    expect([next(request()), next(request())]).toEqual(['p-1', 'p-2']);
  });

  it('has another prefix in each process', () => {
    expect(requestIds()(request())).not.toBe(requestIds()(request()));
  });

  it("keeps the caller's id", () => {
    expect(requestIds()(request('trace-1/a:b'))).toBe('trace-1/a:b');
  });

  it('repeats no key', () => {
    expect(requestIds('p')(request(`x-lk_abcdefgh_${'A'.repeat(49)}`))).toBe('p-1');
  });

  it.each(['', 'a b', 'ä', 'a\tb', 'x'.repeat(129), 'one, two'])('does not repeat %j', (id) => {
    expect(requestIds('p')(request(id))).toBe('p-1');
  });
});

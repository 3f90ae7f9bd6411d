import { jest } from '@jest/globals';
import fc from 'fast-check';
import { HostNames, readHostEntry } from '../rules/host-names.js';
import { Networks } from '../rules/addresses.js';
import { RuleList } from '../rules/rule.js';
import { grantFor, type Grants, LONGEST_GRANT_MS, MAX_GRANTS, parseGrantTarget, type GrantListener } from './grants.js';
import { testGate } from './testing/gate.js';

const HOUR = 3_600_000;
const asked = (host: string, port = 443) => ({ target: { host, port }, client: {} });

function grantsOf(...texts: readonly string[]): Grants {
  const { grants } = testGate();
  for (const text of texts) grants.add(parseGrantTarget(text)!, HOUR, 'test');
  return grants;
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('Grants', () => {
  it.each([
    [
      'example.com:443',
      ['example.com', 'EXAMPLE.com.', 'Example.COM'],
      ['www.example.com', 'example.com.evil', 'xample.com'],
    ],
    ['*.example.com:443', ['a.example.com', 'a.b.example.com.'], ['example.com', 'aexample.com']],
    ['bücher.example:443', ['xn--bcher-kva.example', 'BÜCHER.example'], ['bucher.example', 'bu\u0308cher.exampl']],
    [
      '10.0.0.1:443',
      ['10.0.0.1', '0xa.1', '167772161', '012.0.0.1', '::ffff:10.0.0.1', '64:ff9b::a00:1'],
      ['10.0.0.2', '10.0.0.10'],
    ],
    ['[2001:db8::1]:443', ['2001:db8::1', '2001:DB8:0:0::1'], ['2001:db8::2']],
    ['127.0.0.1:443', ['localhost', 'a.localhost.', '0.0.0.0', '127.1'], ['127.0.0.2', 'localhost.example']],
  ])('%s covers the spellings of its host and nothing else', (text, same, others) => {
    const grants = grantsOf(text);
    for (const host of same) expect([host, grants.covers(asked(host))]).toEqual([host, true]);
    for (const host of others) expect([host, grants.covers(asked(host))]).toEqual([host, false]);
    for (const host of same) expect(grants.covers(asked(host, 80))).toBe(false);
    grants.close();
  });

  it('match exactly what a rule with the same entry matches', () => {
    const label = fc.stringMatching(/^[a-c0-9]{1,3}$/);
    const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
    const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.nat(2 ** 32 - 1).map(String));
    const host = fc.oneof(
      name,
      name.map((text) => `*.${text}`),
      address,
      fc.constantFrom('localhost', '::', '0.0.0.0'),
    );
    const spelled = fc.oneof(
      host,
      host.map((text) => `${text}.`),
      host.map((text) => text.toUpperCase()),
    );
    const property = fc.property(host, spelled, (entry, requested) => {
      const grantTarget = parseGrantTarget(entry.includes(':') ? `[${entry}]:443` : `${entry}:443`);
      const read = readHostEntry(entry);
      expect(grantTarget?.host).toBe(read);
      if (grantTarget === undefined || read === undefined) return;
      const { grants } = testGate();
      grants.add(grantTarget, HOUR, 'test');
      const networks = new Networks([read]);
      const hosts = new HostNames(networks.size === 0 ? [read] : []);
      const rules = new RuleList([{ hosts, networks, to: 'direct' }]);
      for (const each of [entry, requested]) {
        expect(grants.covers(asked(each))).toBe(rules.firstFor(asked(each)) === 0);
      }
      grants.close();
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('end by themselves, and report it', () => {
    const ended = jest.fn<GrantListener['ended']>();
    const { grants } = testGate({ ended });
    const { until } = grants.add({ host: 'a.example', port: 443 }, 60_000, 'test')!;
    expect(Date.parse(until) - Date.now()).toBe(60_000);
    jest.advanceTimersByTime(59_999);
    expect(grants.covers(asked('a.example'))).toBe(true);
    expect(ended).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect([grants.covers(asked('a.example')), grants.list()]).toEqual([false, []]);
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ target: 'a.example:443' }), undefined);
  });

  it('are not prolonged by a clock that is set back, or a late timer', () => {
    const grants = grantsOf('a.example:443');
    jest.setSystemTime(Date.now() - 10 * HOUR);
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + HOUR);
    expect(grants.covers(asked('a.example'))).toBe(false);
    jest.restoreAllMocks();
    jest.setSystemTime(Date.now() + 20 * HOUR);
    expect(grants.covers(asked('a.example'))).toBe(false);
    grants.close();
  });

  it('can be ended, once', () => {
    const ended = jest.fn<GrantListener['ended']>();
    const { grants } = testGate({ ended });
    const { id } = grants.add({ host: 'a.example', port: 443 }, HOUR, 'test')!;
    expect([grants.end(id, 'ann'), grants.end(id, 'ann'), grants.covers(asked('a.example'))]).toEqual([
      true,
      false,
      false,
    ]);
    jest.advanceTimersByTime(HOUR);
    expect(ended).toHaveBeenCalledTimes(1);
  });

  it('replace the one for the same host and port, and keep its id and count', () => {
    const grants = grantsOf('a.example:443', 'b.example:443');
    grants.admit(asked('a.example'));
    const again = grants.add(parseGrantTarget('A.example.:443')!, LONGEST_GRANT_MS, 'test');
    expect(again).toMatchObject({ id: '1', requests: 1 });
    expect(grants.list().map(({ target }) => target)).toEqual(['b.example:443', 'a.example:443']);
    jest.advanceTimersByTime(HOUR);
    expect(grants.list().map(({ target }) => target)).toEqual(['a.example:443']);
    grants.close();
  });

  it('are at most 100', () => {
    const { grants } = testGate();
    for (let number = 0; number < MAX_GRANTS; number += 1) grants.add({ host: `h${number}`, port: 1 }, HOUR, 'test');
    expect(grants.add({ host: 'one-more', port: 1 }, HOUR, 'test')).toBeUndefined();
    expect(grants.add({ host: 'h0', port: 1 }, HOUR, 'test')).toBeDefined();
    expect(grants.list()).toHaveLength(MAX_GRANTS);
    grants.close();
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('grantFor', () => {
  it.each([
    ['EXAMPLE.com.', 'example.com:443'],
    ['bücher.example', 'xn--bcher-kva.example:443'],
    // A Cyrillic а.
    ['pаypal.com', 'xn--pypal-4ve.com:443'],
    ['0x7f.1', '127.0.0.1:443'],
    ['2130706433', '127.0.0.1:443'],
    ['::ffff:10.0.0.1', '10.0.0.1:443'],
    ['2001:DB8::1', '[2001:db8::1]:443'],
    ['0.0.0.0', '127.0.0.1:443'],
    ['localhost', 'localhost:443'],
    ['a~b.example', undefined],
    ['a..b', undefined],
  ])('suggests for %s', (host, grant) => {
    expect(grantFor({ host, port: 443 })).toBe(grant);
    if (grant !== undefined) expect(grantsOf(grant).covers(asked(host))).toBe(true);
  });
});

import fc from 'fast-check';
import { createContext, Script } from 'node:vm';
import { HostNames } from './host-names.js';
import { Networks } from './addresses.js';
import { type Rule, RuleList } from './rule.js';
import { MAX_PAC_BYTES, PacScript } from './pac-script.js';

const PROXY = 'PROXY 127.0.0.1:8080';

type Find = (url: string, host: string) => unknown;

/** What a browser makes of the rules: nothing but the language is there, so a call of dnsResolve would throw. */
function find(rules: readonly Rule[], proxy = '127.0.0.1:8080'): Find {
  const context = createContext({});
  new Script(new PacScript(rules).naming(proxy)).runInContext(context);
  return context['FindProxyForURL'] as Find;
}

function isDirect(rules: readonly Rule[], host: string, { port = 80, user = undefined as string | undefined } = {}) {
  const bare = host.replace(/^\[|\]$/g, '');
  return rules[new RuleList(rules).firstFor({ target: { host: bare, port }, client: { user } })]?.to === 'direct';
}

describe('PacScript', () => {
  it.each<[string, readonly Rule[], readonly string[], readonly string[]]>([
    ['no rule', [], [], ['a.example', '127.0.0.1', '[::1]', '']],
    [
      'everything',
      [{ to: 'direct' }],
      ['a.example', '10.0.0.1', '[::1]', '::1'],
      ['', 'ü.example', 'a b', 'fe80::1%1'],
    ],
    ['*', [{ hosts: new HostNames(['*']), to: 'direct' }], ['a.example', '10.0.0.1', '[::1]', '0x7f.1'], []],
    [
      'names',
      [{ hosts: new HostNames(['intranet', '*.corp.example']), to: 'direct' }],
      ['intranet', 'INTRANET.', 'a.corp.example', 'a.B.corp.example'],
      ['corp.example', 'xcorp.example', 'a.intranet', '\u212aorp.example'],
    ],
    [
      'IPv4 networks',
      [{ networks: new Networks(['10.0.0.0/8', '192.168.1.1', '0.0.0.0/32']), to: 'direct' }],
      ['10.0.0.0', '10.255.255.255', '192.168.1.1', '10.1.2.3.'],
      [
        '9.255.255.255',
        '11.0.0.0',
        '10.256.0.1',
        '010.0.0.1',
        '0xa.1',
        '167772161',
        '::ffff:10.0.0.1',
        '10.a',
        '0.0.0.0',
      ],
    ],
    [
      'IPv6 addresses',
      [{ networks: new Networks(['::1', '2001:DB8:0::5/128', 'fd00::/8']), to: 'direct' }],
      ['::1', '[::1]', '2001:db8::5', '[2001:DB8::5]', 'localhost'],
      ['::2', '[2001:db8::6]', 'fd00::1', '127.0.0.1'],
    ],
    [
      'the first that fits',
      [
        { hosts: new HostNames(['a.corp.example']), to: 'work' },
        { hosts: new HostNames(['b.corp.example']), to: 'reject' },
        { hosts: new HostNames(['*.corp.example']), to: 'direct' },
        { hosts: new HostNames(['*']), to: 'work' },
      ],
      ['c.corp.example'],
      ['a.corp.example', 'b.corp.example', 'example'],
    ],
    [
      'users, whom only the proxy knows',
      [
        { users: ['ci'], hosts: new HostNames(['a']), to: 'work' },
        { users: ['ci'], hosts: new HostNames(['b', 'c']), to: 'direct' },
        { hosts: new HostNames(['a', 'b', 'd']), to: 'direct' },
      ],
      ['b', 'd'],
      ['a', 'c'],
    ],
    [
      'names that objects have by themselves',
      [
        { hosts: new HostNames(['constructor', '__proto__']), to: 'work' },
        { hosts: new HostNames(['tostring', 'constructor', '__proto__', 'x']), to: 'direct' },
      ],
      ['tostring', 'x'],
      ['constructor', '__proto__', 'valueof', 'hasownproperty', 'length', '0'],
    ],
    ['an empty file of hosts', [{ hosts: new HostNames([]), to: 'direct' }], [], ['a', '10.0.0.1']],
  ])('answers by %s', (_, rules, direct, proxied) => {
    const ask = find(rules);
    const answers = (hosts: readonly string[]) => hosts.map((host) => [host, ask(`http://${host}/`, host)]);
    expect(answers(direct)).toEqual(direct.map((host) => [host, 'DIRECT']));
    expect(answers(proxied)).toEqual(proxied.map((host) => [host, PROXY]));
  });

  it.each([
    ['http://a/', 'DIRECT'],
    ['HTTP://u:p@a:80', 'DIRECT'],
    ['http://[::1]:8001/', 'DIRECT'],
    ['ws://a?:8000', 'DIRECT'],
    ['https://a:8000/', 'DIRECT'],
    ['https://a/', PROXY],
    ['wss://a/', PROXY],
    ['http://a:443/:80', PROXY],
    ['ftp://a/', PROXY],
    ['a:80', PROXY],
  ])('parses the port of %s: %s', (url, expected) => {
    const ports = [
      { from: 80, to: 80 },
      { from: 8000, to: 8999 },
    ];
    expect(find([{ ports, to: 'direct' }])(url, 'a')).toBe(expected);
  });

  it('names the proxy without a fallback', () => {
    expect(find([], '[2001:db8::1]:1080')('http://a/', 'a')).toBe('PROXY [2001:db8::1]:1080');
  });

  it('omits the rules after the last direct one, and calls nothing that resolves names', () => {
    const script = new PacScript([
      { hosts: new HostNames(['a']), to: 'direct' },
      { hosts: new HostNames(['secret.example']), to: 'work' },
    ]).naming('a:1');
    expect(script).not.toMatch(/secret|isInNet|dnsResolve|isResolvable|myIpAddress|PROXY.*DIRECT/);
  });

  it('detects when it is longer than browsers accept', () => {
    const hosts = Array.from({ length: 100_000 }, (_, index) => `host-${index}.example`);
    const all: Rule[] = [
      { hosts: new HostNames(['a']), to: 'direct' },
      { hosts: new HostNames(hosts), to: 'reject' },
    ];
    expect(new PacScript(all).fits).toBe(true);
    const tooMany = new PacScript(all.toReversed());
    expect(tooMany.fits).toBe(false);
    // Nor is it made whole then, however many there are.
    expect(tooMany.naming('a:1').length).toBeLessThan(1.1 * MAX_PAC_BYTES);
    const many = new PacScript([{ hosts: new HostNames(hosts.slice(0, 45_000)), to: 'direct' }]);
    expect([many.fits, many.naming('a:1').length < MAX_PAC_BYTES]).toEqual([true, true]);
  });

  const name = fc.constantFrom(
    'a',
    'b.a',
    'c.b.a',
    'a.localhost',
    'localhost',
    'localhost6',
    '1.a',
    '3com',
    'x.1',
    '7',
  );
  const pattern = fc.oneof(
    name,
    name.map((each) => `*.${each}`),
    fc.constant('*'),
  );
  const quad = fc.oneof(fc.ipV4(), fc.constantFrom('10.0.0.1', '127.0.0.1', '0.0.0.0', '0.0.0.1', '255.255.255.255'));
  const ipv6 = fc.constantFrom('::1', '::', '2001:db8::1', '::ffff:10.0.0.1', '64:ff9b::a00:1', '2001:db8:0:0:0:0:0:1');
  const network = fc.oneof(
    fc.tuple(quad, fc.integer({ min: 0, max: 32 })).map(([address, bits]) => `${address}/${bits}`),
    fc.tuple(ipv6, fc.constantFrom(0, 32, 96, 104, 127, 128)).map(([address, bits]) => `${address}/${bits}`),
  );
  const ports = fc.constantFrom([{ from: 80, to: 80 }], [{ from: 1, to: 442 }], [{ from: 443, to: 65_535 }]);
  const rule = fc.record(
    {
      hosts: fc.array(pattern, { maxLength: 3 }).map((patterns) => new HostNames(patterns)),
      networks: fc.array(network, { maxLength: 3 }).map((networks) => new Networks(networks)),
      ports,
      users: fc.constant(['ci']),
      to: fc.constantFrom('direct', 'direct', 'work', 'reject'),
    },
    { requiredKeys: ['to'] },
  ) as fc.Arbitrary<Rule>;
  const odd = fc.constantFrom(
    '0xa.1',
    '127.1',
    '2130706433',
    '0177.0.0.1',
    '①②⑦.0.0.1',
    '0',
    '1.2.3.4.5',
    '0x',
    '..',
    'a..',
  );
  const dotted = fc.tuple(fc.oneof(name, quad), fc.constantFrom('', '', '.', '..')).map(([host, dot]) => host + dot);
  const spelled = fc.tuple(dotted, fc.boolean()).map(([host, upper]) => (upper ? host.toUpperCase() : host));
  const bracketed = fc.tuple(ipv6, fc.boolean()).map(([host, is]) => (is ? `[${host}]` : host));
  const where = fc.tuple(fc.oneof(spelled, spelled, odd, bracketed), fc.constantFrom(80, 443, 8080));

  it('returns DIRECT exactly where the rules do', () => {
    const isName = (host: string) => /^(?:.*\.)?(?:a|localhost|3com)\.?$/i.test(host);
    let direct = 0;
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 5 }),
        fc.array(where, { minLength: 5, maxLength: 30 }),
        (rules, targets) => {
          const ask = find(rules);
          for (const [host, port] of targets) {
            const answer = ask(`https://${host}:${port}/`, host);
            const decisions = [undefined, 'ci'].map((user) => isDirect(rules, host, { port, user }));
            const isSame = decisions[0] === decisions[1];
            if (answer === 'DIRECT') {
              direct += 1;
              expect([host, port, decisions]).toEqual([host, port, [true, true]]);
            } else expect(answer).toBe(PROXY);
            if (isName(host) && isSame && rules.every(({ users }) => users === undefined)) {
              expect([host, port, answer === 'DIRECT']).toEqual([host, port, decisions[0]]);
            }
          }
        },
      ),
      { numRuns: 200 },
    );
    // Of 200 lists of rules some must have let something out directly, or nothing was compared.
    expect(direct).toBeGreaterThan(5);
  });
});

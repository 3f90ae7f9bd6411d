import fc from 'fast-check';
import { BlockList, isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import { HostNames, readNamePattern } from './host-names.js';
import { isNetwork, Networks } from './addresses.js';
import { type Rule, RuleList } from './rule.js';

/** The spellings of the loopback that a rule about addresses must not miss. */
const LOOPBACKS = [
  '0x7f.1',
  '127.1',
  '2130706433',
  '0177.0.0.1',
  '①②⑦.0.0.1',
  '::ffff:127.0.0.1',
  '64:ff9b::7f00:1',
  'localhost.',
  '0.0.0.0',
  '127.0.0.1..',
  'localhost.localdomain',
  'a.localhost.localdomain',
  'localhost4',
  'localhost6.localdomain6',
  'ip6-localhost',
  'IP6-loopback',
];
/** Names that lead to the machine of the resolver, or to its metadata service. */
const MACHINE_NAMES = [
  'host.docker.internal',
  'Metadata.Google.internal.',
  'metadata.goog..',
  'metadata',
  'instance-data',
  'host.containers.internal',
  hostname(),
];

function first(
  rules: readonly Omit<Rule, 'to'>[],
  host: string,
  { port = 80, user = undefined as string | undefined } = {},
) {
  const list = new RuleList(rules.map((rule) => ({ ...rule, to: 'somewhere' })));
  return list.firstFor({ target: { host, port }, client: { user } });
}

describe('RuleList', () => {
  it('applies the first match', () => {
    const rules = [{ hosts: new HostNames(['a.example']) }, { hosts: new HostNames(['*.example']) }, {}];
    expect(['a.example', 'b.example', 'c'].map((host) => first(rules, host))).toEqual([0, 1, 2]);
    expect(first(rules.slice(0, 2), 'c')).toBe(-1);
    expect(first([], 'c')).toBe(-1);
  });

  it.each(LOOPBACKS)('finds the loopback in 127.0.0.0/8 when it is written %s', (host) => {
    expect(first([{ networks: new Networks(['127.0.0.0/8']) }], host)).toBe(0);
    expect(first([{ networks: new Networks(['10.0.0.0/8']) }], host)).toBe(-1);
  });

  it.each([...LOOPBACKS, '169.254.169.254', 'fe80::1', 'fec0::1', '127.0.0.1'])(
    'of a gate needs a rule that names %s',
    (host) => {
      const gate = (...rules: Rule[]) => new RuleList(rules, true).firstFor({ target: { host, port: 80 }, client: {} });
      const any = { hosts: new HostNames(['*']) };
      expect([gate({ ...any, to: 'direct' }), gate({ to: 'direct' })]).toEqual([-1, -1]);
      expect([gate({ ...any, to: 'reject' }), gate({ to: 'reject' })]).toEqual([0, 0]);
      const networks = new Networks(['127.0.0.0/8', '0.0.0.0', '::1', '169.254.169.254', 'fe80::/10', 'fec0::/10']);
      expect(gate({ ...any, networks, to: 'direct' })).toBe(0);
      expect(new RuleList([{ ...any, to: 'direct' }]).firstFor({ target: { host, port: 80 }, client: {} })).toBe(0);
    },
  );

  it.each(MACHINE_NAMES)('of a gate needs a rule that names %s', (host) => {
    const gate = (...names: string[]) => {
      const hosts = new HostNames(names.map((each) => readNamePattern(each)!));
      return new RuleList([{ hosts, to: 'work' }], true).firstFor({ target: { host, port: 80 }, client: {} });
    };
    expect([gate('*'), gate('<local>'), gate('*', host.replace(/\.+$/, ''))]).toEqual([
      -1,
      -1,
      host.endsWith('..') ? -1 : 0,
    ]);
    expect(first([{ hosts: new HostNames(['*']) }], host)).toBe(0);
  });

  it('of a gate opens names and public addresses by *', () => {
    const list = new RuleList([{ hosts: new HostNames(['*', 'localhost']), to: 'direct' }], true);
    for (const host of ['a.example', '192.0.2.1', '2001:db8::1', 'localhost']) {
      expect(list.firstFor({ target: { host, port: 80 }, client: {} })).toBe(0);
    }
  });

  it('compares names in UTF-8 with A-labels as equal, in both directions', () => {
    const inUtf8 = [
      { hosts: new HostNames([readNamePattern('*.Bücher.example')!, readNamePattern('straße.example')!]) },
    ];
    for (const host of ['a.bücher.example', 'a.BÜCHER.example.', 'a.xn--bcher-kva.example', 'xn--strae-oqa.example']) {
      expect([host, first(inUtf8, host)]).toEqual([host, 0]);
    }
    const asALabels = [{ hosts: new HostNames([readNamePattern('xn--bcher-kva.example')!]) }];
    for (const host of ['bücher.example', 'Bu\u0308cher.example']) expect(first(asALabels, host)).toBe(0);
    expect(first(asALabels, 'bucher.example')).toBe(-1);
  });

  it('matches the host by names or networks', () => {
    const rules = [{ hosts: new HostNames(['intranet']), networks: new Networks(['10.0.0.0/8']) }];
    expect(['intranet', '10.1.2.3', 'other', '11.0.0.0'].map((host) => first(rules, host))).toEqual([0, 0, -1, -1]);
  });

  it('requires the port to match too', () => {
    const rules = [
      {
        ports: [
          { from: 22, to: 22 },
          { from: 8000, to: 8999 },
        ],
      },
    ];
    expect([22, 8000, 8999, 21, 9000].map((port) => first(rules, 'a', { port }))).toEqual([0, 0, 0, -1, -1]);
    expect(first([{ ...rules[0], hosts: new HostNames(['b']) }], 'a', { port: 22 })).toBe(-1);
  });

  it('wants the user too', () => {
    const rules = [{ users: ['ci', 'me'] }];
    expect(['me', 'you', undefined].map((user) => first(rules, 'a', { user }))).toEqual([0, -1, -1]);
  });
});

describe('Networks', () => {
  it.each(['10.0.0.0/8', '10.1.2.3', '0.0.0.0/0', '::/0', '2001:db8::/32', '::1', '10.1.2.3/8', '::ffff:10.0.0.0/104'])(
    'reads %s',
    (text) => {
      expect(isNetwork(text)).toBe(true);
    },
  );

  it.each([
    '',
    '10.0.0.0/33',
    '::/129',
    '10.0.0/8',
    '10.0.0.0/',
    '10.0.0.0/a',
    '1.2.3.4/8/8',
    'a',
    'fe80::1%eth0',
    '10.0.0.0/-1',
  ])('does not read %j', (text) => {
    expect(isNetwork(text)).toBe(false);
  });

  it('treats networks of addresses that represent IPv4 addresses as IPv4 networks', () => {
    const all = new Networks(['64:ff9b::/96', '::ffff:0:0/96']);
    expect(['8.8.8.8', '64:ff9b::808:808', '::ffff:8.8.8.8'].map((text) => all.hasText(text))).toEqual([
      false,
      true,
      true,
    ]);
    const networks = new Networks(['::ffff:10.0.0.0/104', '64:ff9b::c0a8:0/112']);
    expect(['10.255.0.1', '::ffff:10.1.1.1', '192.168.7.7', '11.0.0.0'].map((text) => networks.hasText(text))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('agrees with BlockList about any addresses', () => {
    const ipv4 = fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 }));
    const ipv6 = fc.tuple(fc.ipV6(), fc.integer({ min: 97, max: 128 }));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(ipv4, ipv6), { maxLength: 20 }),
        fc.array(fc.oneof(fc.ipV4(), fc.ipV6())),
        (nets, others) => {
          const networks = new Networks(nets.map(([address, bits]) => `${address}/${bits}`));
          const list = new BlockList();
          for (const [address, bits] of nets) list.addSubnet(address, bits, isIPv6(address) ? 'ipv6' : 'ipv4');
          for (const address of [...others, ...nets.map(([each]) => each)]) {
            const family = isIPv6(address) ? 'ipv6' : 'ipv4';
            // It does not know NAT64, and takes :: for an address like others.
            if (/^(?:64:ff9b|::|0:|0\.)/i.test(address)) continue;
            expect([address, networks.hasText(address)]).toEqual([address, list.check(address, family)]);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

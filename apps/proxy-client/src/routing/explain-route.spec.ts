import { loadConfig } from '../config/load-config.js';
import { HostNames, readNamePattern } from './rules/host-names.js';
import { Networks } from './rules/addresses.js';
import { explainRoute } from './explain-route.js';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';

const { config: defaults } = loadConfig({ options: {}, environment: {}, directory: '/nowhere' });
const socks = { kind: 'socks5', handshake: 'auto', warm: 0 } as const;
const config: ProxyClientConfig = {
  ...defaults,
  upstreams: [
    { ...socks, name: 'work', host: '10.0.0.1', port: 1080, credentials: { username: 'me', password: 's3cret' } },
    { ...socks, name: 'tor', host: '::1', port: 9050 },
    { kind: 'group', name: 'any', of: ['work', 'tor'], pick: 'failover' },
    { kind: 'embedded', name: 'here' },
  ],
  rules: [
    { hosts: new HostNames(['*.corp.example']), to: 'direct' },
    {
      networks: new Networks(['10.0.0.0/8']),
      ports: [
        { from: 22, to: 22 },
        { from: 8000, to: 8999 },
      ],
      to: 'tor',
    },
    { hosts: new HostNames(['a', 'b', 'c', 'd', 'e', 'f']), to: 'reject' },
    { users: ['ci'], to: 'any' },
    { hosts: new HostNames([readNamePattern('*.bücher.example')!]), to: 'direct' },
  ],
};

function explain(host: string, port: number, user?: string): string[] {
  return [...explainRoute(config, { host, port }, user).lines];
}

const [FIRST, SECOND, THIRD, FOURTH, FIFTH] = [
  'rule 1 does not match: hosts *.corp.example to direct',
  'rule 2 does not match: networks 10.0.0.0/8, ports 22 8000-8999 to tor',
  'rule 3 does not match: hosts a b c d and 2 more to reject',
  'rule 4 does not match: users ci to any',
  'rule 5 does not match: hosts *.xn--bcher-kva.example to direct',
];

describe('explainRoute', () => {
  it.each<[string, number, string | undefined, string[]]>([
    [
      'x.corp.example',
      443,
      undefined,
      [
        'x.corp.example:443',
        'rule 1 matches: hosts *.corp.example to direct',
        'the request goes to direct, from this machine; the rules also apply to the addresses that the name resolves to',
      ],
    ],
    [
      'x.Bücher.Example',
      80,
      undefined,
      [
        'x.Bücher.Example:80 is read as x.xn--bcher-kva.example',
        ...[FIRST, SECOND, THIRD, FOURTH],
        'rule 5 matches: hosts *.xn--bcher-kva.example to direct',
        'the request goes to direct, from this machine; the rules also apply to the addresses that the name resolves to',
      ],
    ],
    [
      '0xa.1',
      22,
      undefined,
      [
        '0xa.1:22 is read as 10.0.0.1',
        FIRST,
        'rule 2 matches: networks 10.0.0.0/8, ports 22 8000-8999 to tor',
        'the request goes to tor (socks5://[::1]:9050)',
      ],
    ],
    [
      'f',
      80,
      'ci',
      [
        'f:80 as ci',
        FIRST,
        SECOND,
        'rule 3 matches: hosts a b c d and 2 more to reject',
        'the request is refused: 403, or reply 2',
      ],
    ],
    [
      'g',
      80,
      'ci',
      [
        'g:80 as ci',
        FIRST,
        SECOND,
        THIRD,
        'rule 4 matches: users ci to any',
        'the request goes to any (failover of work, tor)',
      ],
    ],
    [
      '::ffff:10.0.0.1',
      80,
      undefined,
      [
        '[::ffff:10.0.0.1]:80 is read as ::ffff:10.0.0.1 and 10.0.0.1',
        FIRST,
        SECOND,
        THIRD,
        FOURTH,
        FIFTH,
        'no rule matches: the default is the first upstream, work (socks5://10.0.0.1:1080)',
      ],
    ],
    [
      '①②⑦.0.0.1',
      9090,
      undefined,
      ['①②⑦.0.0.1:9090 is read as 127.0.0.1', 'is a port of this proxy itself, which it refuses: 403, or reply 2'],
    ],
    [
      'localhost.',
      9090,
      undefined,
      [
        'localhost.:9090 is read as localhost and 127.0.0.1 and ::1',
        'is a port of this proxy itself, which it refuses: 403, or reply 2',
      ],
    ],
  ])('of %s:%i as %s', (host, port, user, lines) => {
    expect(explain(host, port, user)).toEqual(lines);
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostNames } from '../routing/rules/host-names.js';
import { Networks } from '../routing/rules/addresses.js';
import { ConfigError } from './config-faults.js';
import { loadConfig, loadConfigAsync } from './load-config.js';
import type { CommandLineOptions } from './overrides.js';
import type { PacConfig, Socks5UpstreamConfig } from './proxy-client-config.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'proxy-routes-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

interface Given {
  readonly environment?: NodeJS.ProcessEnv;
  readonly options?: CommandLineOptions;
  /** Further files next to the configuration. */
  readonly files?: Readonly<Record<string, string>>;
}

function loaded(content: string | undefined, { environment = {}, options = {}, files = {} }: Given = {}) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  if (content !== undefined) writeFileSync(join(directory, 'config.yaml'), content);
  const config = content === undefined ? {} : { config: 'config.yaml' };
  return loadConfig({ options: { ...config, ...options }, environment, directory });
}

function load(content: string | undefined, given?: Given) {
  return loaded(content, given).config;
}

function failure(content: string | undefined, given?: Given): ConfigError {
  try {
    loaded(content, given);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('was taken');
}

function faults(content: string | undefined, given?: Given): string[] {
  return failure(content, given).message.split('\n');
}

const HASH = `scrypt:14:8:5:${'a'.repeat(22)}:${'b'.repeat(43)}`;
const TWO = 'upstreams: { work: "socks5://10.0.0.1:1080", tor: { host: 127.0.0.1, port: 9050 } }';

describe('listeners', () => {
  it.each([
    ['127.0.0.1', 'localhost', 'tor'],
    ['127.0.0.1', '0x7f.1', 'tor'],
    ['127.0.0.1', '[::ffff:127.0.0.1]', 'both'],
    ['127.0.0.1', '[::1]', 'direct'],
    ['127.0.0.1', '①②⑦.0.0.1', 'tor'],
    ['0.0.0.0', '127.9.9.9', 'tor'],
    ['0.0.0.0', '[::]', 'tor'],
    ['localhost', '127.0.0.1', 'tor'],
  ])('on %s may not lead to their own port as %s via %s, which would open connections without end', (host, to, via) => {
    const listeners = `listeners: [{ mode: tunnel, host: '${host}', port: 5433, open: true, to: '${to}:5433', via: ${via} }]`;
    const upstreams = TWO.replace(/ }$/, ', both: { of: [work, tor] } }');
    expect(faults(`${listeners}\n${upstreams}`)).toEqual([expect.stringContaining('listeners[0].to: leads back')]);
  });

  it('may not lead back to themselves through each other', () => {
    const content = `
listeners:
  - { mode: tunnel, port: 5433, to: '127.0.0.1:5434', via: tor }
  - { mode: tunnel, port: 5434, to: 'localhost:5433', via: direct }
  - { mode: tunnel, port: 5435, to: 'localhost:5434', via: direct }
${TWO}`;
    expect(faults(content)).toHaveLength(2);
  });

  it.each([
    ['the same port of the machine of the SOCKS5 server', '127.0.0.1:5433', 'work'],
    ['another port', '127.0.0.1:5432', 'tor'],
    ['another machine', '192.0.2.1:5433', 'tor'],
    ['a listener of this program that is no tunnel', '127.0.0.1:8080', 'direct'],
  ])('may lead to %s', (_, to, via) => {
    const content = `
listeners: [{ mode: tunnel, port: 5433, to: '${to}', via: ${via} }, { mode: http, port: 8080 }]
${TWO}`;
    expect(load(content).listeners).toHaveLength(2);
  });

  it('may not lead to their own port by options', () => {
    const options = { mode: 'tunnel', listen: '5433', to: '127.1:5433', via: 'direct' };
    expect(faults(undefined, { options })).toEqual([expect.stringContaining('--to: leads back')]);
  });

  it('are several, each in its mode', () => {
    const { listeners } = load(`
listeners:
  - { mode: http, host: 127.0.0.1, port: 8080 }
  - { mode: mixed, host: 0.0.0.0, port: 1080, users: [{ name: ci, password: '${HASH}' }], clients: [172.17.0.0/16] }
  - { mode: tunnel, port: 5433, to: 'db.internal:5432', via: work }
  - { port: 0, host: '::', open: true, pac: true, allowedHosts: [p.lan] }
${TWO}`);
    expect(listeners).toEqual([
      { mode: 'http', host: '127.0.0.1', port: 8080, allowedHosts: [], setBy: 'listeners[0] in config.yaml' },
      {
        mode: 'mixed',
        host: '0.0.0.0',
        port: 1080,
        allowedHosts: [],
        users: [{ name: 'ci', password: HASH }],
        clients: ['172.17.0.0/16'],
        setBy: 'listeners[1] in config.yaml',
      },
      {
        mode: 'tunnel',
        host: '127.0.0.1',
        port: 5433,
        allowedHosts: [],
        to: { host: 'db.internal', port: 5432 },
        via: 'work',
        setBy: 'listeners[2] in config.yaml',
      },
      {
        mode: 'http',
        host: '::',
        port: 0,
        allowedHosts: ['p.lan'],
        open: true,
        pac: true,
        setBy: 'listeners[3] in config.yaml',
      },
    ]);
  });

  it('are a single unnamed listener in the short form, in any mode', () => {
    expect(load('mode: mixed\nlisten: { port: 1081, users: [{ name: a, password: b }] }').listeners).toMatchObject([
      { mode: 'mixed', host: '127.0.0.1', port: 1081, users: [{ name: 'a', password: 'b' }] },
    ]);
    // It only warns, as in release 0.1.
    expect(load('listen: { host: 0.0.0.0 }').listeners).toMatchObject([{ mode: 'http', host: '0.0.0.0' }]);
  });

  const itself = 'is this proxy itself, which listens on port 1080: choose another port for the listener or the server';
  it.each([
    ['mode: socks5\nlisten: { port: 1080 }', `--upstream: ${itself}`],
    ['mode: socks5\nlisten: { port: 1080 }\nupstream: "http://localhost:1080"', `config.yaml: upstream: ${itself}`],
    [
      'listeners: [{ port: 1080 }]\nupstreams: { a: embedded, b: "socks5://0x7f.1:1080" }',
      `config.yaml: upstreams.b: ${itself}`,
    ],
    ['listen: { port: 1081 }\nadmin: { port: 1081 }', 'config.yaml: admin.port: is used by a listener'],
    ['listen: { port: 1080 }\nupstream: "socks5://me:secret@127.0.0.1:1080"', `config.yaml: upstream: ${itself}`],
    [
      'listeners: [{ port: 1080, mode: tunnel, to: "a:1", via: b }]\nupstreams: { b: "socks5://127.0.0.1:1080" }',
      'config.yaml: listeners[0].via: is the server at this listener: choose another port for one of them',
    ],
  ])('are not their own upstream, and not the admin listener: %s', (content, fault) => {
    expect(faults(content)).toEqual([fault]);
  });

  it('may be an upstream of another listener by their credentials or through a hop', () => {
    const upstreams =
      'a: embedded, b: "socks5://me:secret@127.0.0.1:1080", c: { url: "socks5://127.0.0.1:1080", via: b }';
    const listener = '{ port: 1080, users: [{ name: me, password: secret }] }';
    expect(load(`listeners: [${listener}]\nupstreams: { ${upstreams} }`).upstreams).toHaveLength(3);
  });

  it.each([
    'mode: socks5\nlisten: { port: 1080 }\nrules: [{ to: direct }]',
    'listen: { host: "::1", port: 1080 }\nupstream: "socks5://127.0.0.1:1080"',
    'listen: { port: 1081 }\nadmin: { host: "::1", port: 1081 }',
  ])('may have the port of an upstream that is not used, or of another address: %s', (content) => {
    expect(load(content).upstreams).toHaveLength(1);
  });

  const missing = 'is missing: a tunnel needs a target (to) and an upstream (via)';
  const opened =
    'is not a loopback address: anyone who can reach it could use the proxy; configure users or clients, or set open: true';
  it.each([
    ['listeners: []', 'listeners: is an empty list: a listener is required'],
    ['listeners: [{ mode: http }]', 'listeners[0].port: is missing'],
    ['listeners: [{ mode: ftp, port: 1 }]', 'listeners[0].mode: must be one of http, socks5, mixed, tunnel'],
    ['listeners: [{ port: 1, host: 0.0.0.0 }]', `listeners[0].host: ${opened}`],
    ['listeners: [{ port: 1, host: 192.168.1.1, mode: socks5 }]', `listeners[0].host: ${opened}`],
    ['listeners: [{ port: 1, host: proxy.lan }]', `listeners[0].host: ${opened}`],
    ['listeners: [{ port: 1 }, { port: 1 }]', 'listeners[1].port: is used by another listener'],
    ['listeners: [{ port: 1, via: upstream }]', 'listeners[0].via: has no effect in mode http'],
    ['listeners: [{ port: 1, mode: socks5, pac: true }]', 'listeners[0].pac: has no effect in mode socks5'],
    ['listeners: [{ port: 1, mode: tunnel, to: "a:1" }]', `listeners[0].via: ${missing}`],
    ['listeners: [{ port: 1, mode: tunnel, to: a, via: upstream }]', /^listeners\[0\]\.to: must be host:port, such as/],
    [
      'listeners: [{ port: 1, mode: tunnel, to: "a:1", via: upstraem }]',
      'listeners[0].via: is not the name of an upstream that is allowed here; did you mean "upstream"?',
    ],
    [
      'listeners: [{ port: 1, users: [] }]',
      'listeners[0].users: is an empty list: omit it to require no authentication',
    ],
    [
      'listeners: [{ port: 1, users: [{ name: a, password: "scrypt:x" }] }]',
      'listeners[0].users[0].password: starts like a hash but is malformed; create one with --hash-password',
    ],
    ['listeners: [{ port: 1, clients: [] }]', 'listeners[0].clients: is an empty list: no client could connect'],
    ['listeners: [{ port: 1, clients: [10.0.0.0/33] }]', /^listeners\[0\]\.clients\[0\]: must be a network/],
    [
      'listeners: [{ port: 1, users: [{ name: "a:b", password: c }] }]',
      /^listeners\[0\]\.users\[0\]\.name: must be a user name without colons/,
    ],
    ['listeners: [{ port: 1, users: [{ name: a }] }]', 'listeners[0].users[0].password: is missing'],
    [
      'listeners: [{ port: 1, users: [{ name: a, password: b }, { name: a, password: c }] }]',
      'listeners[0].users: contains a name twice',
    ],
    [
      'listeners: [{ port: 1, users: [{ name: b\u00f6, password: b }, { name: bo\u0308, password: c }] }]',
      'listeners[0].users: contains a name twice',
    ],
    ['mode: tunnel', `listen.to: ${missing}`],
  ] as [string, string | RegExp][])('refuses %j', (content, line) => {
    const [first = ''] = faults(content);
    if (typeof line === 'string') expect(first.replace('config.yaml: ', '')).toBe(line);
    else expect(first.replace('config.yaml: ', '')).toMatch(line);
  });

  it('refuses a PAC file that browsers would not read', () => {
    const label = 'a'.repeat(60);
    const names = Array.from({ length: 6000 }, (_, index) => `${index}.${label}.${label}.${label}.example`);
    const [first = ''] = faults(
      `{ listeners: [{ port: 1, pac: true }], rules: [{ hosts: { file: a.txt }, to: direct }] }`,
      {
        files: { 'a.txt': names.join('\n') },
      },
    );
    expect(first).toBe(
      'config.yaml: listeners[0].pac: would exceed 1 MiB, which browsers reject: put the rules for direct first, or shorten the ones before them',
    );
  });
});

describe('upstreams', () => {
  it('are known by their names, in their order', () => {
    const { upstreams } = load(
      `
upstreams:
  work: { url: 'socks5://me:\${WORK_PASSWORD}@10.0.0.1:1080', handshake: stepwise }
  tor:  { host: 127.0.0.1, port: 9050, isolate: user }
  here: embedded
  any:  { of: [work, tor], pick: fastest, check: { every: 5s, target: 'example.com:443' } }
  other: { of: [tor, direct], check: off }
`,
      { environment: { WORK_PASSWORD: 'p@ss/w:%rd$$' } },
    );
    expect(upstreams).toEqual([
      {
        name: 'work',
        kind: 'socks5',
        host: '10.0.0.1',
        port: 1080,
        credentials: { username: 'me', password: 'p@ss/w:%rd$$' },
        handshake: 'stepwise',
        warm: 0,
      },
      { name: 'tor', kind: 'socks5', host: '127.0.0.1', port: 9050, handshake: 'auto', warm: 0, isolate: 'user' },
      { name: 'here', kind: 'embedded' },
      {
        name: 'any',
        kind: 'group',
        of: ['work', 'tor'],
        pick: 'fastest',
        check: { every: 5000, target: { host: 'example.com', port: 443 } },
      },
      { name: 'other', kind: 'group', of: ['tor', 'direct'], pick: 'failover' },
    ]);
  });

  it('are looked after unless that is off', () => {
    const { upstreams } = load(`${TWO.slice(0, -2)}, any: { of: [work, tor] } }`.replace('9050,', '9050 },'));
    expect(upstreams.at(-1)).toMatchObject({ kind: 'group', check: { every: 10_000 } });
  });

  it.each([
    ['upstreams: {}', /^upstreams: must be a group of upstreams by name/],
    ['upstreams: [a]', /^upstreams: must be a group of upstreams by name/],
    ['upstreams: { Work: embedded }', /^upstreams: names of upstreams consist of lower-case letters, digits and -/],
    ['upstreams: { direct: embedded }', 'upstreams.direct: is a reserved name: choose another'],
    ['upstreams: { reject: embedded }', 'upstreams.reject: is a reserved name: choose another'],
    ['upstreams: { a: { url: "socks5://h:1", host: h } }', 'upstreams.a.url: cannot be combined with host'],
    ['upstreams: { a: { url: 5 } }', /^upstreams\.a\.url: must be embedded, or a URL/],
    ['upstreams: { a: { host: h } }', 'upstreams.a.port: is missing'],
    [
      'upstreams: { a: { host: h, port: 1, username: u, password: p, isolate: user } }',
      /^upstreams\.a\.isolate: uses different credentials for each/,
    ],
    ['upstreams: { a: embedded, b: { of: [] } }', 'upstreams.b.of: is an empty list: a group needs a member'],
    [
      'upstreams: { a: embedded, b: { of: [b, a] } }',
      'upstreams.b.of[0]: is a group, which cannot be a member of a group: list its members',
    ],
    ['upstreams: { a: embedded, b: { of: [a, a] } }', 'upstreams.b.of[1]: is listed twice'],
    [
      'upstreams: { a: embedded, b: { of: [c] } }',
      'upstreams.b.of[0]: is not the name of an upstream that is allowed here; did you mean "a"?',
    ],
    ['upstreams: { a: embedded, b: { of: [a] }, c: { of: [b] } }', /^upstreams\.c\.of\[0\]: is a group/],
    ['upstreams: { b: { of: [a, direct] }, a: embedded }', /^upstreams\.b\.of\[1\]: direct would become the default/],
    [
      'upstreams: { a: embedded, b: { of: [a], check: { every: 0s } } }',
      /^upstreams\.b\.check\.every: must be at least 100ms/,
    ],
    ['upstreams: { a: { pac: {} } }', 'upstreams.a.pac: must have file or url'],
    [
      'upstream: { url: "http://me:x@h:1", auth: negotiate }',
      'upstream.auth: cannot be combined with username and password',
    ],
    ['upstream: { url: "socks5://h:1", auth: negotiate }', 'upstream.auth: has no effect with socks5: omit it'],
    ['upstream: { url: "http://h:1", auth: ntlm }', 'upstream.auth: must be negotiate'],
    ['upstream: { url: "http://h:1", keytab: k }', 'upstream.keytab: has no effect without auth: negotiate'],
    ['upstream: { url: "http://h:1", auth: negotiate, keytab: none }', 'upstream.keytab: does not exist'],
    ['upstream: { url: "http://h:1", auth: negotiate, keytab: . }', 'upstream.keytab: is a directory'],
    [
      'upstream: { url: "http://h:1", auth: negotiate, keytab: /proc/self/stat }',
      'upstream.keytab: must be a keytab, as ktutil and ktpass write it',
    ],
    [
      'upstream: { url: "http://h:1", auth: negotiate, servicePrincipal: "HTTP/h@CORP" }',
      'upstream.servicePrincipal: must be HTTP@HOST or HTTP/HOST, without a realm',
    ],
    ['upstreams: { a: { pac: { file: b, url: "http://c/" } } }', 'upstreams.a.pac.url: cannot be combined with file'],
    ['upstreams: { a: { pac: { url: "file:///b" } } }', /^upstreams\.a\.pac\.url: must be a URL such as/],
    ['upstreams: { a: { pac: { url: "http://c/", refresh: 5s } } }', 'upstreams.a.pac.refresh: must be at least 1m'],
    [
      'upstreams: { a: { pac: { file: b, refresh: 5m } } }',
      'upstreams.a.pac.refresh: has no effect with file: omit it',
    ],
    ['upstreams: { a: { pac: { file: b, resolve: on } } }', /^upstreams\.a\.pac\.resolve: must be system/],
    ['upstreams: { a: { pac: { file: b }, host: c } }', /^upstreams\.a: unknown key "host"/],
    [
      'upstreams: { a: { pac: { file: b } }, c: { of: [a] } }',
      'upstreams.c.of[0]: is a PAC script, which cannot be a member of a group',
    ],
    [
      'upstreams: { a: { pac: { file: b } }, c: { url: "http://d:1", via: a } }',
      'upstreams.c.via: is a PAC script: name an upstream with a server',
    ],
    ['upstreams: { a: embedded, b: { of: [a], pick: random } }', /pick: must be one of failover, roundrobin, fastest/],
  ] as [string, string | RegExp][])('refuses %j', (content, line) => {
    const [first = ''] = faults(content);
    if (typeof line === 'string') expect(first).toBe(`config.yaml: ${line}`);
    else expect(first.replace('config.yaml: ', '')).toMatch(line);
  });
});

describe('auth: negotiate', () => {
  it.each([
    ['', { service: 'HTTP@h' }],
    [', servicePrincipal: HTTP/proxy.corp.example', { service: 'HTTP@proxy.corp.example' }],
  ])('names the service of the proxy, with the keys %j', (keys, negotiate) => {
    expect(load(`upstream: { url: "http://h:1", auth: negotiate${keys} }`).upstreams[0]).toMatchObject({ negotiate });
  });
});

describe('a PAC script', () => {
  it('is a file or a URL', () => {
    const { upstreams } = load(
      'upstreams: { a: { pac: { file: x/a.pac, resolve: system, direct: on } }, b: { pac: { url: "http://c/d?e" } } }',
    );
    const [a, b] = upstreams as readonly (PacConfig & { readonly name: string })[];
    expect([a?.resolves, a?.direct, a?.file.config.name]).toEqual([true, true, 'x/a.pac']);
    expect([b?.resolves, b?.direct, b?.file.config]).toEqual([
      false,
      false,
      {
        source: { url: 'http://c/d?e', refresh: 3_600_000, via: 'direct' },
        name: 'http://c/d',
        setBy: { source: 'config.yaml', key: 'upstreams.b.pac' },
      },
    ]);
  });
});

describe('rules', () => {
  it('select the upstream by hosts, networks, ports and users', () => {
    const { rules } = load(
      `${TWO}
rules:
  - { hosts: ['*.Corp.example', Intranet., bücher.example, 10.1.2.3, '[::1]'], to: direct }
  - { networks: [10.0.0.0/8], ports: [22, 443, 8000-8999], to: work }
  - { hosts: { file: blocked.txt }, to: reject }
  - { networks: { file: nets.txt }, users: [ci, bo\u0308], to: tor }
  - { to: work }
`,
      { files: { 'blocked.txt': '# ads\nads.example\r\n\n  *.Track.example # all\n', 'nets.txt': '10.0.0.0/8\n::1' } },
    );
    expect(rules).toEqual([
      {
        hosts: new HostNames(['*.corp.example', 'intranet', 'xn--bcher-kva.example']),
        networks: new Networks(['10.1.2.3', '::1']),
        to: 'direct',
      },
      {
        networks: new Networks(['10.0.0.0/8']),
        ports: [
          { from: 22, to: 22 },
          { from: 443, to: 443 },
          { from: 8000, to: 8999 },
        ],
        to: 'work',
      },
      { hosts: new HostNames(['ads.example', '*.track.example']), to: 'reject' },
      { networks: new Networks(['10.0.0.0/8', '::1']), users: ['ci', 'b\u00f6'], to: 'tor' },
      { to: 'work' },
    ]);
  });

  it('refer to lists, whose content is loaded later', () => {
    const { rules } = load(
      `${TWO}
rules:
  - hosts:
      - '+.corp.example'
      - <local>
      - { file: own.txt }
      - { file: ads.txt, format: auto }
      - { url: 'https://lists.example/ads.txt.gz?token=x', format: hosts, refresh: 6h, via: tor }
    to: reject
  - { hosts: { url: 'http://lists.example/' }, to: direct }
`,
      { files: { 'own.txt': 'own.example' } },
    );
    const [{ hosts } = {}, second] = rules;
    expect([hosts?.has('corp.example'), hosts?.has('printer'), hosts?.has('own.example'), hosts?.size]).toEqual([
      ...[true, true, true],
      3,
    ]);
    expect(hosts?.lists.map(({ config }) => config)).toEqual([
      {
        source: { file: expect.stringMatching(/\/ads\.txt$/) as string, mark: 'missing' },
        format: undefined,
        name: 'ads.txt',
        setBy: { source: 'config.yaml', key: 'rules[0].hosts[3]' },
      },
      {
        source: { url: 'https://lists.example/ads.txt.gz?token=x', refresh: 21_600_000, via: 'tor' },
        format: 'hosts',
        name: 'https://lists.example/ads.txt.gz',
        setBy: { source: 'config.yaml', key: 'rules[0].hosts[4]' },
      },
    ]);
    expect(second?.hosts?.lists[0]?.config).toMatchObject({ source: { refresh: 86_400_000 }, format: undefined });
  });

  it('name the upstream of the old way as upstream', () => {
    expect(load('rules: [{ to: upstream }]').rules).toEqual([{ to: 'upstream' }]);
  });

  it.each([
    ['rules: { to: direct }', 'rules: must be a list, but is a group of keys'],
    ['rules: [{ hosts: [a] }]', 'rules[0].to: is missing'],
    ['rules: [{ host: [a], to: direct }]', 'rules[0]: unknown key "host"; did you mean "hosts"?'],
    ['rules: [{ hosts: a, to: direct }]', 'rules[0].hosts: must be a list'],
    ['rules: [{ hosts: [], to: direct }]', 'rules[0].hosts: is an empty list: it matches nothing'],
    ['rules: [{ hosts: ["a b"], to: direct }]', /^rules\[0\]\.hosts\[0\]: must be a host name, such as/],
    ['rules: [{ hosts: ["10.0.0.0/8"], to: direct }]', /^rules\[0\]\.hosts\[0\]: must be a host name, such as/],
    ['rules: [{ networks: [corp], to: direct }]', /^rules\[0\]\.networks\[0\]: must be a network, such as/],
    ['rules: [{ ports: [0], to: direct }]', /^rules\[0\]\.ports\[0\]: must be a port from 1 to 65535/],
    ['rules: [{ ports: ["9-8"], to: direct }]', /^rules\[0\]\.ports\[0\]: must be a port/],
    [
      'rules: [{ to: upstraem }]',
      'rules[0].to: is not the name of an upstream that is allowed here; did you mean "upstream"?',
    ],
    ['gate: { ask: { timeout: 0s } }', 'gate.ask.timeout: must be at least 1s'],
    [
      'gate: { ask: { notify: { command: [x], url: "http://a" } } }',
      'gate.ask.notify: needs either a command or a url',
    ],
    ['gate: { ask: { notify: { url: "ftp://a" } } }', 'gate.ask.notify.url: must be an http or https URL'],
    ['gate: { ask: { notify: { command: [x], secret: s } } }', 'gate.ask.notify.secret: belongs to a url'],
    [
      'rules: [{ to: nowhere }]',
      'rules[0].to: is not the name of an upstream that is allowed here; known are upstream, direct, reject, ask',
    ],
    ['rules: [{ hosts: { file: none.txt }, to: reject }]', 'rules[0].hosts.file: does not exist'],
    ['rules: [{ hosts: { url: "lists.example/a" }, to: reject }]', /^rules\[0\]\.hosts\.url: must be a URL such as/],
    ['rules: [{ hosts: { url: "ftp://a/b" }, to: reject }]', /^rules\[0\]\.hosts\.url: must be a URL such as/],
    [
      'rules: [{ hosts: { url: "https://me:s3cret@a/b" }, to: reject }]',
      'rules[0].hosts.url: must not contain a user name or password',
    ],
    ['rules: [{ hosts: { url: "https://a/b#c" }, to: reject }]', 'rules[0].hosts.url: must not contain a fragment (#)'],
    [
      'rules: [{ hosts: { url: "https://a/b", refresh: 59s }, to: reject }]',
      'rules[0].hosts.refresh: must be at least 1m',
    ],
    [
      'rules: [{ hosts: { url: "https://a/b", file: c }, to: reject }]',
      'rules[0].hosts.url: cannot be combined with file',
    ],
    [
      'rules: [{ hosts: { url: "https://a/b", via: tro }, to: reject }]',
      'rules[0].hosts.via: is not the name of an upstream that is allowed here; known are upstream, direct',
    ],
    [
      'rules: [{ hosts: { file: a, format: csv }, to: reject }]',
      /^rules\[0\]\.hosts\.format: must be one of auto, hosts/,
    ],
    [
      'rules: [{ hosts: { file: a, refresh: 1h, format: auto }, to: reject }]',
      'rules[0].hosts.refresh: has no effect with file: omit it',
    ],
    ['rules: [{ hosts: { format: auto }, to: reject }]', 'rules[0].hosts: must have file or url'],
    ['rules: [{ hosts: [{ format: auto }], to: reject }]', 'rules[0].hosts[0]: must have file or url'],
    ['rules: [{ hosts: [], to: reject }]', 'rules[0].hosts: is an empty list: it matches nothing'],
    ['rules: [{ hosts: { fiel: none.txt }, to: reject }]', 'rules[0].hosts: unknown key "fiel"; did you mean "file"?'],
  ] as [string, string | RegExp][])('are refused: %j', (content, line) => {
    const [first = ''] = faults(content);
    if (typeof line === 'string') expect(first).toBe(`config.yaml: ${line}`);
    else expect(first.replace('config.yaml: ', '')).toMatch(line);
  });

  it('name the line of a file, and show the first few', () => {
    const lines = faults('rules: [{ hosts: { file: b.txt }, to: reject }]', {
      files: { 'b.txt': `ok.example\n${'s3cret s3cret\n'.repeat(9)}` },
    });
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/^config\.yaml: rules\[0\]\.hosts\.file: line 2 must be a host name/);
    expect(lines.join()).not.toContain('s3cret');
  });

  it('are read from long files in steps, with the same result', async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `host${index}.example`);
    const { config } = loaded('rules: [{ hosts: { file: a.txt }, to: reject }]', {
      files: { 'a.txt': names.join('\n') },
    });
    let turns = 0;
    let next: NodeJS.Immediate | undefined;
    const takeTurn = (): void => {
      turns += 1;
      next = setImmediate(takeTurn);
    };
    takeTurn();
    const options = { config: 'config.yaml' };
    const reloaded = await loadConfigAsync({ options, environment: {}, directory });
    clearImmediate(next);
    expect(turns).toBeGreaterThan(10);
    expect([...(reloaded.config.rules[0]?.hosts ?? [])]).toEqual(names);
    expect(reloaded.config).toEqual(config);
  });
});

describe('variables', () => {
  const environment = {
    NAME: 'me',
    PORT: '1081',
    HOST: 'h.example',
    EMPTY: '',
    URL: 'socks5://u:p%40@h:1',
    ON: 'true',
  };
  const upstream = (content: string) => load(content, { environment }).upstreams[0] as Socks5UpstreamConfig;

  it('replace texts and numbers', () => {
    const read = upstream(
      'upstream: { host: "${HOST}", port: "${PORT}", username: "a-${NAME}-b", password: "$$${NAME}$x" }\nvia: "${ON}"',
    );
    expect(read).toMatchObject({
      host: 'h.example',
      port: 1081,
      credentials: { username: 'a-me-b', password: '$me$x' },
    });
  });

  it('replace a whole upstream', () => {
    const environment = { A: 'embedded', B: 'socks5://me:p%40ss@h:1' };
    const { upstreams } = load("upstreams: { a: '${A}', b: '${B}' }", { environment });
    expect(upstreams).toMatchObject([{ kind: 'embedded' }, { host: 'h', credentials: { password: 'p@ss' } }]);
  });

  it('are inserted unchanged into the parts of a URL, whose other characters are decoded', () => {
    expect(upstream('upstream: "socks5://%24${NAME}:x%40${NAME}@${HOST}:${PORT}"')).toMatchObject({
      host: 'h.example',
      port: 1081,
      credentials: { username: '$me', password: 'x@me' },
    });
    expect(upstream('upstream: "${URL}"')).toMatchObject({ host: 'h', credentials: { username: 'u', password: 'p@' } });
  });

  it('are left alone in the environment and on the command line', () => {
    const given = { environment: { PROXY_UPSTREAM: 'socks5://u:$$x${NAME}@h:1', NAME: 'me' } };
    expect(load(undefined, given).upstreams[0]).toMatchObject({ credentials: { password: '$$x${NAME}' } });
  });

  it.each([
    ['logLevel: "${NOT_SET}"', 'logLevel: refers to the variable NOT_SET, which is not set'],
    ['logLevel: "${toString}"', 'logLevel: refers to the variable toString, which is not set'],
    ['logLevel: "${"', 'logLevel: has ${ without a name and a closing }; write $$ for a dollar sign'],
    ['logLevel: "${a-b}"', 'logLevel: has ${ without a name and a closing }; write $$ for a dollar sign'],
    ['upstream: "socks5://u:${NOT_SET}@h:1"', 'upstream: refers to the variable NOT_SET, which is not set'],
    ['upstream: { host: h, port: "${NAME}" }', 'upstream.port: must be a whole number from 1 to 65535'],
    [
      'upstream: { host: h, port: 1, username: u, password: "${EMPTY}" }',
      'upstream.password: must be text of 1 to 255 bytes',
    ],
  ])('are faults if they have no effect: %j', (content, line) => {
    expect(faults(content, { environment })).toEqual([`config.yaml: ${line}`]);
  });
});

describe('files of passwords', () => {
  it('are relative to the configuration, and may end with a line feed', () => {
    mkdirSync(join(directory, 'secrets'));
    writeFileSync(join(directory, 'secrets', 'work'), '$$pass word\r\n');
    const { config, files } = loaded('upstream: { host: h, port: 1, username: u, password: { file: secrets/work } }');
    expect(config.upstreams[0]).toMatchObject({ credentials: { password: '$$pass word' } });
    expect([...files.keys()]).toEqual([join(directory, 'config.yaml'), join(directory, 'secrets/work')]);
  });

  it.each([
    ['{ file: none }', 'upstream.password.file: does not exist'],
    ['{ file: empty }', 'upstream.password.file: must be text of 1 to 255 bytes'],
    ['{}', 'upstream.password.file: is missing'],
  ])('are faults where they hold none: %s', (password, line) => {
    const content = `upstream: { host: h, port: 1, username: u, password: ${password} }`;
    const error = failure(content, { files: { empty: '\n' } });
    expect(error.message).toBe(`config.yaml: ${line}`);
    // A watcher of the files sees when it is fixed.
    if (password !== '{}') expect(error.files.size).toBe(2);
  });
});

describe('two with the same meaning', () => {
  const conflict = (list: string) => `cannot be combined with ${list} in config.yaml: omit one of them`;
  const ONE = 'listeners: [{ port: 1 }]';
  it.each<[string, Given, string, boolean]>([
    [`${ONE}\nlisten: { port: 2 }`, {}, `config.yaml: listen: ${conflict('listeners')}`, false],
    [`${ONE}\nmode: http`, {}, `config.yaml: mode: ${conflict('listeners')}`, false],
    [ONE, { environment: { PROXY_LISTEN_PORT: '2' } }, `PROXY_LISTEN_PORT: ${conflict('listeners')}`, false],
    [ONE, { environment: { PROXY_LISTEN_HOST: 'h' } }, `PROXY_LISTEN_HOST: ${conflict('listeners')}`, false],
    [ONE, { options: { listen: '2' } }, `--listen: ${conflict('listeners')}`, true],
    [`${TWO}\nupstream: embedded`, {}, `config.yaml: upstream: ${conflict('upstreams')}`, false],
    [TWO, { environment: { PROXY_UPSTREAM: 'embedded' } }, `PROXY_UPSTREAM: ${conflict('upstreams')}`, false],
    [TWO, { options: { upstream: 'embedded' } }, `--upstream: ${conflict('upstreams')}`, true],
    [
      'listeners: [{ port: 1, mode: socks5 }]',
      { options: { mode: 'http' } },
      '--mode: is http, but the first of listeners in config.yaml speaks socks5',
      true,
    ],
    [
      'listeners: [{ port: 1, mode: socks5 }]',
      { environment: { PROXY_MODE: 'http' } },
      'PROXY_MODE: is http, but the first of listeners in config.yaml speaks socks5',
      false,
    ],
  ])('are a fault that names both: %j, %j', (content, given, line, isUsage) => {
    const error = failure(content, given);
    expect([error.message, error.isUsage]).toEqual([line, isUsage]);
  });

  it('are none where they agree', () => {
    const options = { mode: 'http' };
    expect(load('listeners: [{ port: 1 }, { port: 2, mode: socks5 }]', { options }).listeners).toHaveLength(2);
  });
});

describe('options', () => {
  it('win over the environment, and that over the file', () => {
    const content = 'mode: http\nlisten: { host: 127.0.0.1, port: 1 }\nupstream: embedded';
    const environment = { PROXY_LISTEN_PORT: '2', PROXY_UPSTREAM: 'socks5://env:2', PROXY_MODE: 'socks5' };
    const options = { listen: '[::1]:3', upstream: 'socks5://option:3', mode: 'mixed' };
    expect(load(content, { environment, options })).toMatchObject({
      listeners: [{ mode: 'mixed', host: '::1', port: 3, setBy: '--listen' }],
      upstreams: [{ name: 'upstream', host: 'option', port: 3 }],
    });
  });

  it.each([
    ['8081', '127.0.0.1', 8081, '--listen'],
    ['0.0.0.0:8081', '0.0.0.0', 8081, '--listen'],
    ['proxy.lan:0', 'proxy.lan', 0, '--listen'],
  ])('listen on the address of --listen %s', (listen, host, port, setBy) => {
    expect(load(undefined, { options: { listen } }).listeners).toMatchObject([{ host, port, setBy }]);
  });

  it('keep the host that is set elsewhere where --listen names a port only', () => {
    const environment = { PROXY_LISTEN_HOST: '::1' };
    expect(load(undefined, { environment, options: { listen: '1' } }).listeners).toMatchObject([
      { host: '::1', port: 1, setBy: 'PROXY_LISTEN_HOST and --listen' },
    ]);
  });

  it('make a tunnel', () => {
    const options = { mode: 'tunnel', listen: '5433', to: 'db.internal:5432', via: 'upstream' };
    expect(load(undefined, { options }).listeners).toMatchObject([
      { mode: 'tunnel', port: 5433, to: { host: 'db.internal', port: 5432 }, via: 'upstream' },
    ]);
  });

  it.each<[CommandLineOptions, string]>([
    [{ listen: 'x' }, '--listen: must be PORT, HOST:PORT or [IPV6]:PORT'],
    [{ listen: ':8080' }, '--listen: must be PORT, HOST:PORT or [IPV6]:PORT'],
    [{ listen: '::1:8080' }, '--listen: must be PORT, HOST:PORT or [IPV6]:PORT'],
    [{ listen: '65536' }, '--listen: must be a whole number from 0 to 65535'],
    [
      { upstream: 'socks4://u:s3cret@h:1' },
      '--upstream: must be embedded, or a URL with a port such as socks5://host:port or https://username:password@host:port (socks5, socks5+tls, http or https)',
    ],
    [{ mode: 'tunnel', to: 'a:1' }, '--via: is missing: a tunnel needs a target (to) and an upstream (via)'],
    [{ mode: 'tunnel', to: 'a', via: 'upstream' }, '--to: must be host:port, such as db.example:5432'],
    [
      { mode: 'tunnel', to: 'a:1', via: 'work' },
      '--via: is not the name of an upstream that is allowed here; known are upstream, direct',
    ],
    [{ to: 'a:1' }, '--to: has no effect in mode http'],
  ])('are refused: %j', (options, line) => {
    const error = failure(undefined, { options });
    expect([error.message.split('\n')[0], error.isUsage]).toEqual([line, true]);
  });
});

describe('the request log', () => {
  it('is off unless it is asked for', () => {
    expect(load('via: on').requestLog).toBeUndefined();
  });

  it('is a file relative to the configuration, or standard output', () => {
    const setBy = 'config.yaml';
    expect(load("log: { requests: 'logs/${NAME}.log' }", { environment: { NAME: 'a' } }).requestLog).toEqual({
      ...{ file: join(directory, 'logs/a.log'), format: 'json', queries: false, setBy },
    });
    expect(load('log: { requests: stdout, format: common, queries: on }').requestLog).toEqual({
      ...{ format: 'common', queries: true, setBy },
    });
  });

  it.each([
    ['log: { format: common }', 'log.requests: is missing: specify a file, or stdout'],
    ['log: { requests: 1 }', 'log.requests: must be text: put it in quotes'],
    ['log: { requests: a, format: xml }', 'log.format: must be one of json, common'],
    ['log: requests.log', 'log: must be a group of keys (requests, format, queries)'],
  ])('refuses %s', (content, line) => {
    expect(faults(content)).toEqual([`config.yaml: ${line}`]);
  });
});

import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from './config-faults.js';
import { proxyEnvExample, PROXY_ENVIRONMENT } from './overrides.js';
import { DEFAULT_ASK } from './gate-setting.js';
import { loadConfig, type ConfigSources } from './load-config.js';
import { parseEnv } from 'node:util';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'proxy-config-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function file(content: string | Uint8Array, name = 'config.yaml'): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

function load(
  content: string | undefined,
  environment: NodeJS.ProcessEnv = {},
  options: ConfigSources['options'] = {},
) {
  const config = content === undefined ? {} : { config: file(content) };
  return loadConfig({ options: { ...config, ...options }, environment, directory }).config;
}

/** The fault lines, without the path of the file. */
function faults(content: string | Uint8Array | undefined, environment: NodeJS.ProcessEnv = {}): string[] {
  const options = content === undefined ? {} : { config: file(content) };
  try {
    loadConfig({ options, environment, directory });
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replaceAll(`${directory}/`, '').split('\n');
    throw error;
  }
  return [];
}

/** The CPU time of reading a map with that number of keys, in milliseconds. */
function costOf(keys: number): number {
  const upstreams = Array.from({ length: keys }, (_, index) => `  name-${index}: socks5://127.0.0.1:${index + 10_000}`);
  const path = file(`upstreams:\n${upstreams.join('\n')}\n`);
  const before = process.cpuUsage();
  expect(loadConfig({ options: { config: path }, environment: {}, directory }).config.upstreams).toHaveLength(keys);
  return process.cpuUsage(before).user / 1000;
}

const DEFAULTS = {
  logLevel: 'info',
  listeners: [
    {
      mode: 'http',
      host: '127.0.0.1',
      port: 8080,
      allowedHosts: [],
      setBy: 'the default port (--listen or PROXY_LISTEN_PORT changes it)',
    },
  ],
  upstreams: [{ name: 'upstream', kind: 'socks5', host: '127.0.0.1', port: 1080, handshake: 'auto', warm: 0 }],
  rules: [],
  rejectsByDefault: false,
  asksByDefault: false,
  ask: DEFAULT_ASK,
  timeouts: {
    read: 30_000,
    write: 30_000,
    idle: 120_000,
    connect: 10_000,
    handshake: 30_000,
    response: 0,
    tunnelIdle: 0,
    drain: 10_000,
  },
  limits: { headerBytes: 1_048_576, connections: 10_000 },
  pool: { idle: 30_000, perTarget: 64, total: 1024 },
  via: true,
  admin: { host: '127.0.0.1', port: 9090, orUpTo: 9099, setBy: 'the default port (PROXY_ADMIN_PORT changes it)' },
};

/** Four lines that expand to ten thousand values. */
const BOMB = ['a', 'b', 'c', 'd']
  .map(
    (name, index) =>
      `${name}: &${name} [${Array(10)
        .fill(index === 0 ? 'x' : `*${'abc'[index - 1]}`)
        .join()}]`,
  )
  .join('\n');

const FULL = `
mode: http
logLevel: warn
listen: { host: "::1", port: 0, allowedHosts: [proxy.lan, proxy] }
upstream: { host: "[2001:db8::1]", port: 9050, username: me, password: "s:e@c", handshake: stepwise, warm: 4 }
timeouts: { read: 1s, write: 2s, idle: 3s, connect: 4s, handshake: 5s, response: 6s, tunnelIdle: 1h, drain: 0s }
limits: { headerBytes: 64KiB, connections: 5 }
pool: { idle: 500ms, perTarget: 1, total: 2 }
via: off
default: reject
admin: { host: 127.0.0.2, port: 9191 }
`;

describe('loadConfig', () => {
  it('has every default of the documentation without a file', () => {
    expect(load(undefined)).toEqual(DEFAULTS);
  });

  it('has the same defaults if a file sets nothing', () => {
    expect(load('logLevel: info')).toEqual(DEFAULTS);
  });

  it('reads every key from the file', () => {
    expect(load(FULL)).toEqual({
      logLevel: 'warn',
      listeners: [
        {
          mode: 'http',
          host: '::1',
          port: 0,
          allowedHosts: ['proxy.lan', 'proxy'],
          setBy: `listen.host in ${directory}/config.yaml and listen.port in ${directory}/config.yaml`,
        },
      ],
      upstreams: [
        {
          name: 'upstream',
          kind: 'socks5',
          host: '2001:db8::1',
          port: 9050,
          credentials: { username: 'me', password: 's:e@c' },
          handshake: 'stepwise',
          warm: 4,
        },
      ],
      rules: [],
      rejectsByDefault: true,
      asksByDefault: false,
      ask: DEFAULT_ASK,
      timeouts: {
        read: 1000,
        write: 2000,
        idle: 3000,
        connect: 4000,
        handshake: 5000,
        response: 6000,
        tunnelIdle: 3_600_000,
        drain: 0,
      },
      limits: { headerBytes: 65_536, connections: 5 },
      pool: { idle: 500, perTarget: 1, total: 2 },
      via: false,
      admin: {
        host: '127.0.0.2',
        port: 9191,
        setBy: `admin.host in ${directory}/config.yaml and admin.port in ${directory}/config.yaml`,
      },
    });
  });

  it('reads JSON', () => {
    expect(load('{"logLevel": "error", "upstream": {"host": "h", "port": 1}, "via": false}')).toMatchObject({
      logLevel: 'error',
      upstreams: [{ host: 'h', port: 1 }],
      via: false,
    });
  });

  it('is frozen at every depth', () => {
    const config = load(FULL);
    const parts = [config, config.listeners, config.listeners[0], config.upstreams[0], config.timeouts, config.admin];
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true);
  });

  it('prefers options to the environment, and the environment to the file', () => {
    const environment = {
      PROXY_MODE: 'http',
      PROXY_LOG_LEVEL: 'error',
      PROXY_LISTEN_HOST: '0.0.0.0',
      PROXY_LISTEN_PORT: '3128',
      PROXY_UPSTREAM: 'socks5://other:1',
      PROXY_ADMIN_PORT: '7000',
      PROXY_CONFIG: join(directory, 'not-there.yaml'),
    };
    expect(load(FULL, environment)).toMatchObject({
      logLevel: 'error',
      listeners: [{ host: '0.0.0.0', port: 3128, allowedHosts: ['proxy.lan', 'proxy'] }],
      admin: { host: '127.0.0.2', port: 7000 },
    });
    expect(load(FULL, environment).upstreams).toEqual([
      { name: 'upstream', kind: 'socks5', host: 'other', port: 1, handshake: 'auto', warm: 0 },
    ]);
  });

  it.each([
    ['PROXY_UPSTRAEM', 'PROXY_UPSTREAM'],
    ['PROXY_LOGLEVEL', 'PROXY_LOG_LEVEL'],
    ['proxy_upstream', 'PROXY_UPSTREAM'],
    ['PROXY_LISTEN_PROT', 'PROXY_LISTEN_PORT'],
    ['PRXY_UPSTREAM', 'PROXY_UPSTREAM'],
    ['PROXYUPSTREAM', 'PROXY_UPSTREAM'],
  ])('refuses the variable %s, which is probably %s', (name, meant) => {
    expect(() => load(undefined, { [name]: 'secret' })).toThrow(
      new Error(`${name}: is not a variable of proxy-client; did you mean "${meant}"?`),
    );
  });

  it('ignores variables of others, of which some have the same prefix, and those that the file refers to', () => {
    const text = 'upstream: { host: h, port: 1, username: u, password: "${PROXY_UPSTREEM}" }';
    const environment = {
      PROXY_HOST: 'h',
      PROXY_PORT: '1',
      PROXY_UPSTREEM: 's',
      PROXY_URL: '',
      HTTP_PROXY: 'x',
      A_PROXY_MODE: 'x',
    };
    const sources = { options: { config: file(text) }, environment, directory };
    expect(loadConfig(sources).ignoredVariables).toEqual(['PROXY_HOST', 'PROXY_PORT']);
  });

  it('ignores what Kubernetes sets for services, of which one may be called proxy-admin', () => {
    const service = {
      PROXY_ADMIN_SERVICE_HOST: '10.0.0.1',
      PROXY_ADMIN_SERVICE_PORT: '80',
      PROXY_ADMIN_PORT: 'tcp://10.0.0.1:80',
      PROXY_ADMIN_PORT_80_TCP: 'tcp://10.0.0.1:80',
      PROXY_ADMIN_PORT_80_TCP_ADDR: '10.0.0.1',
      PROXY_LISTEN_PORT: 'tcp://10.0.0.2:1080',
    };
    const sources = { options: { config: file(FULL) }, directory };
    expect(loadConfig({ ...sources, environment: service })).toEqual(loadConfig({ ...sources, environment: {} }));
    const own = loadConfig({ ...sources, environment: { ...service, PROXY_ADMIN_PORT: '7000' } });
    expect(own.config.admin).toMatchObject({ port: 7000 });
    const referred = load('upstream: { host: "${PROXY_ADMIN_SERVICE_HOST}", port: 1 }', service);
    expect(referred.upstreams).toMatchObject([{ host: '10.0.0.1' }]);
    expect(() => load(FULL, { PROXY_ADMIN_PORT: '10.0.0.1:80' })).toThrow('PROXY_ADMIN_PORT: must be a whole number');
  });

  it('treats an empty variable as not set', () => {
    const empty = Object.fromEntries(PROXY_ENVIRONMENT.map(({ name }) => [name, '']));
    expect(load(FULL, empty)).toEqual(load(FULL));
  });

  it('finds its file by option, by variable, or by its usual name in the working directory', () => {
    const named = file('logLevel: error', 'named.yaml');
    expect(loadConfig({ options: {}, environment: { PROXY_CONFIG: named }, directory })).toMatchObject({
      config: { logLevel: 'error' },
      file: named,
    });
    expect(loadConfig({ options: {}, environment: {}, directory })).not.toHaveProperty('file');
    file('logLevel: warn', 'proxy-client.yaml');
    expect(loadConfig({ options: {}, environment: {}, directory })).toMatchObject({
      config: { logLevel: 'warn' },
      file: 'proxy-client.yaml',
    });
  });

  it.each([
    ['on', true],
    ['off', false],
    ['true', true],
    ['false', false],
  ])('reads via: %s', (text, via) => {
    expect(load(`via: ${text}`).via).toBe(via);
  });

  it.each([
    ['admin: off', undefined],
    ['admin: false', undefined],
    ['admin: {}', { host: '127.0.0.1', port: 9090 }],
    ['admin: {port: 0}', { host: '127.0.0.1', port: 0 }],
  ])('reads %s', (text, admin) => {
    const address = load(text).admin;
    expect(address && { host: address.host, port: address.port }).toEqual(admin);
  });

  it.each([
    ['', {}, 'the default port (--listen or PROXY_LISTEN_PORT changes it)'],
    ['', { PROXY_LISTEN_PORT: '1' }, 'PROXY_LISTEN_PORT'],
    [
      '',
      { PROXY_LISTEN_HOST: '::' },
      'PROXY_LISTEN_HOST and the default port (--listen or PROXY_LISTEN_PORT changes it)',
    ],
    ['listen: { port: 1 }', {}, 'listen.port in config.yaml'],
    ['listen: { host: h }', { PROXY_LISTEN_PORT: '1' }, 'listen.host in config.yaml and PROXY_LISTEN_PORT'],
    ['listen: { port: 1 }', { PROXY_LISTEN_PORT: '1' }, 'PROXY_LISTEN_PORT'],
  ])('detects which settings specify its address: %j, %j', (content, environment, setBy) => {
    const { listeners } = load(content === '' ? undefined : content, environment);
    expect(listeners[0]?.setBy?.replace(`${directory}/`, '')).toBe(setBy);
  });

  it.each([
    ['', {}, 'the default port (PROXY_ADMIN_PORT changes it)', 9099],
    ['', { PROXY_ADMIN_PORT: '9090' }, 'PROXY_ADMIN_PORT', undefined],
    ['admin: {}', {}, 'the default port (PROXY_ADMIN_PORT changes it)', undefined],
    ['admin: { port: 1 }', {}, 'admin.port in config.yaml', undefined],
    ['admin: off', { PROXY_ADMIN_PORT: '1' }, 'PROXY_ADMIN_PORT', undefined],
  ])(
    'lets the admin listener use another port only if none was specified: %j, %j',
    (content, environment, setBy, orUpTo) => {
      const { admin } = load(content === '' ? undefined : content, environment);
      expect([admin?.setBy?.replace(`${directory}/`, ''), admin?.orUpTo]).toEqual([setBy, orUpTo]);
    },
  );

  it('switches the admin listener by the environment', () => {
    expect(load('admin: {port: 1}', { PROXY_ADMIN_PORT: 'off' })).not.toHaveProperty('admin');
    expect(load(undefined, { PROXY_ADMIN_PORT: '0' }).admin).toMatchObject({ host: '127.0.0.1', port: 0 });
  });

  it.each([
    ['embedded', { kind: 'embedded' }],
    ['socks5://h:1', { host: 'h', port: 1 }],
    ['socks5h://h:1/', { host: 'h', port: 1 }],
    ['SOCKS5://127.1:65535', { host: '127.1', port: 65_535 }],
    ['socks5://[::1]:1080', { host: '::1', port: 1080 }],
    ['socks5://me:secret@h:1', { host: 'h', credentials: { username: 'me', password: 'secret' } }],
    ['socks5://me:p@ss/w:rd@h:1', { host: 'h', credentials: { username: 'me', password: 'p@ss/w:rd' } }],
    ['socks5://m%3Ae:%25%C3%A9@h:1', { credentials: { username: 'm:e', password: '%é' } }],
  ])('reads the upstream %s, from the file and from the environment', (url, upstream) => {
    expect(load(`upstream: "${url}"`).upstreams[0]).toMatchObject(upstream);
    expect(load(undefined, { PROXY_UPSTREAM: url }).upstreams[0]).toMatchObject(upstream);
  });

  const duration = 'must be a duration such as 30s, 1m30s or 0s, up to 596h';
  const url =
    'must be embedded, or a URL with a port such as socks5://host:port or https://username:password@host:port (socks5, socks5+tls, http or https)';
  it.each([
    ['mode: socks4', 'mode: must be one of http, socks5, mixed, tunnel'],
    ['mode:', 'mode: must be one of http, socks5, mixed, tunnel, but is empty'],
    ['logLevel: loud', 'logLevel: must be one of debug, info, warn, error'],
    ['logLevel: true', 'logLevel: must be one of debug, info, warn, error, but is true or false'],
    ['loglevel: info', 'unknown key "loglevel"; did you mean "logLevel"?'],
    [
      'proxy: {}',
      'unknown key "proxy"; known are mode, logLevel, listen, listeners, upstream, upstreams, rules, default, gate, timeouts, limits, pool, via, log, admin',
    ],
    ['listen: 8080', /^listen: must be a group of keys \(host, port, allowedHosts, /],
    ['listen: {host: ""}', 'listen.host: must be a host name or an IP address, but is empty'],
    ['listen: {host: "http://h"}', 'listen.host: must be a host name or an IP address'],
    ['listen: {port: "8080"}', 'listen.port: must be a whole number from 0 to 65535'],
    ['listen: {port: 65536}', 'listen.port: must be a whole number from 0 to 65535'],
    ['listen: {port: 80.5}', 'listen.port: must be a whole number from 0 to 65535'],
    ['listen: {port: [80]}', 'listen.port: must be a whole number from 0 to 65535, but is a list'],
    ['listen: {allowedHosts: proxy.lan}', 'listen.allowedHosts: must be a list'],
    ['listen: {allowedHosts: [a, 1]}', 'listen.allowedHosts[1]: must be a host name or an IP address'],
    ['upstream: {port: 1}', 'upstream.host: is missing'],
    ['upstream: {host: h}', 'upstream.port: is missing'],
    ['upstream: {host: h, port: 0}', 'upstream.port: must be a whole number from 1 to 65535'],
    [
      'upstream: {host: h, port: 1, username: u}',
      'upstream.password: is missing: username and password are required together',
    ],
    [
      'upstream: {host: h, port: 1, password: p}',
      'upstream.username: is missing: username and password are required together',
    ],
    ['upstream: {host: h, port: 1, username: u, password: 1234}', 'upstream.password: must be text: put it in quotes'],
    [
      `upstream: {host: h, port: 1, username: u, password: ${'é'.repeat(128)}}`,
      'upstream.password: must be text of 1 to 255 bytes',
    ],
    ['upstream: {host: h, port: 1, username: "", password: p}', 'upstream.username: must be text of 1 to 255 bytes'],
    ['upstream: {host: h, port: 1, pasword: p}', 'upstream: unknown key "pasword"; did you mean "password"?'],
    ['upstream: {host: h, port: 1, handshake: fast}', 'upstream.handshake: must be one of auto, stepwise, oneflight'],
    ['upstream: {host: h, port: 1, warm: -1}', 'upstream.warm: must be a whole number from 0 to 1000'],
    ['upstream:', /^upstream: must be a group of keys \(host, port, .+\), but is empty$/],
    ['upstream: socks4://h:1', `upstream: ${url}`],
    ['upstream: socks5://h', `upstream: ${url}`],
    ['upstream: socks5://me@h:1', `upstream: ${url}`],
    ['upstream: socks5://h:0', 'upstream.port: must be a whole number from 1 to 65535'],
    ['upstream: socks5://me:@h:1', 'upstream.password: must be text of 1 to 255 bytes'],
    [
      'upstream: socks5://me:100%@h:1',
      'upstream: username and password must be percent-encoded if they contain a % sign (%25)',
    ],
    ...['read', 'write', 'idle', 'connect', 'handshake', 'response', 'tunnelIdle', 'drain'].map((key) => [
      `timeouts: {${key}: 30}`,
      `timeouts.${key}: ${duration}`,
    ]),
    ['timeouts: {read: 30 seconds}', `timeouts.read: ${duration}`],
    ['timeouts: {total: 1s}', /^timeouts: unknown key "total"; known are read, write, /],
    [
      'limits: {headerBytes: big}',
      'limits.headerBytes: must be a size such as 65536, 64KiB or 1MiB, from 1024 to 16777216 bytes',
    ],
    [
      'limits: {headerBytes: 1023}',
      'limits.headerBytes: must be a size such as 65536, 64KiB or 1MiB, from 1024 to 16777216 bytes',
    ],
    ['limits: {connections: 0}', 'limits.connections: must be a whole number from 1 to 1000000'],
    ['pool: {idle: 5}', `pool.idle: ${duration}`],
    ['pool: {perTarget: 0}', 'pool.perTarget: must be a whole number from 1 to 1000000'],
    ['pool: {total: many}', 'pool.total: must be a whole number from 1 to 1000000'],
    ['via: maybe', 'via: must be on or off'],
    ['admin: on', 'admin: must be a group of keys (host, port, token)'],
    [
      'admin: {host: 0.0.0.0}',
      'admin.host: is not a loopback address: others could read whom the proxy serves; set admin.token',
    ],
    ['admin: {token: short}', 'admin.token: must be 16 to 256 printable ASCII characters without spaces'],
    ['admin: {port: 70000}', 'admin.port: must be a whole number from 0 to 65535'],
    ['- mode: http', /^must be a group of keys \(mode, .+\), but is a list$/],
    ['', 'is empty'],
    ['# nothing\n', 'is empty'],
    ['mode: http\nmode: http', 'mode: the key appears twice, line 2, column 1'],
    ['listen:\n  port: 1\n  port: 2', 'port: the key appears twice, line 3, column 3'],
    ['{"via": true, "via": false}', 'via: the key appears twice, line 1, column 15'],
    ['listen:\n\tport: 1', /^port: indent with spaces, not tabs, line 2, column 1$/],
    ['mode: http\n---\nmode: http', 'the file must be one document, line 2, column 1'],
    ['mode: !x http', /^mode: tags /],
    ['mode: *http', /^an alias /],
    [BOMB, 'aliases (words that start with *) may expand to at most 100 values in all; write the values out'],
    ['listen: &here { host: *here }', 'listen.host: must be a host name or an IP address, but is a group of keys'],
    ['{"mode": "http"', /wrong indentation, or a bracket or quote is not closed|something is missing/],
    ['1: 2', /^unknown key; known are /],
    ['__proto__: {}', /^unknown key; known are /],
    ['constructor: {}', /^unknown key "constructor"; known are /],
  ] as [string, string | RegExp][])('refuses %j with one line', (content, line) => {
    const found = faults(content);
    expect(found).toHaveLength(1);
    if (typeof line === 'string') expect(found[0]).toBe(`config.yaml: ${line}`);
    else expect(found[0]?.replace('config.yaml: ', '')).toMatch(line);
  });

  it('takes a time that is linear in the number of keys', () => {
    costOf(4000);
    // 16 times as long if each key is compared with all others.
    expect(costOf(16_000)).toBeLessThan(10 * costOf(4000));
  });

  it.each([
    ['PROXY_MODE', 'socks4', 'must be one of http, socks5, mixed, tunnel'],
    ['PROXY_LOG_LEVEL', 'INFO', 'must be one of debug, info, warn, error'],
    ['PROXY_LISTEN_HOST', 'a b', 'must be a host name or an IP address'],
    ['PROXY_LISTEN_PORT', '65536', 'must be a whole number from 0 to 65535'],
    ['PROXY_LISTEN_PORT', '0x50', 'must be a whole number from 0 to 65535'],
    ['PROXY_LISTEN_PORT', ' 80', 'must be a whole number from 0 to 65535'],
    ['PROXY_UPSTREAM', 'h:1', url],
    ['PROXY_UPSTREAM', 'socks5://u:p@h:70000', 'port: must be a whole number from 1 to 65535'],
    ['PROXY_ADMIN_PORT', 'on', 'must be a whole number from 0 to 65535'],
    ['PROXY_CONFIG', 'not-there.yaml', undefined],
  ])('refuses %s=%s with one line', (name, value, problem) => {
    const line = problem === undefined ? 'not-there.yaml: does not exist' : `${name}: ${problem}`;
    expect(faults(undefined, { [name]: value })).toEqual([line]);
  });

  it('lists every fault of environment and file at once', () => {
    expect(faults('mode: x\nvia: y\nlisten: {port: z, host: 1}', { PROXY_LOG_LEVEL: 'q' })).toHaveLength(5);
    expect(faults('mode: [', { PROXY_LOG_LEVEL: 'q' })).toHaveLength(2);
  });

  it.each([
    ['a directory', '.', /: is a directory$/],
    ['a file that is not there', 'none.yaml', /none\.yaml: does not exist$/],
    ['a file under a file', 'config.yaml/x', /: does not exist$/],
  ])('reports the error in %s', (_, name, line) => {
    file('mode: http');
    expect(() => loadConfig({ options: { config: join(directory, name) }, environment: {}, directory })).toThrow(line);
  });

  it('shows the first few faults of a file that is nested without end', () => {
    const lines = faults(`mode: ${'['.repeat(20_000)}`);
    expect(lines[0]).toMatch(/^config\.yaml: mode: nested too deeply, line 1, /);
    expect(lines.length).toBeLessThanOrEqual(5);
  });

  it('refuses a file that is much too large', () => {
    truncateSync(file(''), 17 * 1_048_576);
    const config = join(directory, 'config.yaml');
    expect(() => loadConfig({ options: { config }, environment: {}, directory })).toThrow(/: is larger than 16 MiB$/);
  });

  it('refuses the name of a file with a zero byte', () => {
    expect(faults('rules: [{ hosts: { file: "a\\0b" }, to: direct }]')).toEqual([
      'config.yaml: rules[0].hosts.file: is not the name of a file',
    ]);
  });

  it('refuses a file that is not UTF-8', () => {
    expect(faults(Uint8Array.of(0x6d, 0xff, 0xfe))).toEqual(['config.yaml: is not UTF-8 text']);
  });

  it.each([
    'upstream: {host: h, port: 1, username: u, password: [s3cret]}',
    'upstream: {host: h, port: 1, username: u, password: s3cret: x}',
    'upstream: {host: h, port: 1, username: u, password: @s3cret}',
    'upstream: {host: h, port: 1, username: u, password: "s3cret}',
    'upstream:\n  password: a\n  password: s3cret',
    'upstream: {host: h, port: 1, username: u, password: *s3cret}',
    'upstream: {host: h, port: 1, username: u, password: !s3cret x}',
    'upstream: {host: h, port: 1, username: u, {s3cret: 1}}',
    'upstream: socks5://u:s3cret@h:1:2',
    'upstream: socks5://u:s3cret%@h:1',
    'upstream: socks5://u:s3cret@h:99999',
    'listen: {host: "s3cret s3cret"}',
    'upstream: {"u:s3cret@h": 1}',
    '%YAML s3cret\n---\na: 1',
    's3cret\n\ts3cret',
  ])('never shows a value: %j', (content) => {
    const lines = faults(content);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('\n')).not.toContain('s3cret');
  });

  it('never shows a value of the environment', () => {
    expect(faults(undefined, { PROXY_UPSTREAM: 'http://u:s3cret@h:1' }).join('\n')).not.toContain('s3cret');
  });
});

describe('the example of the environment', () => {
  it('names every variable, sets none, and its values are the defaults', () => {
    expect(parseEnv(proxyEnvExample())).toEqual({});
    const uncommented = parseEnv(proxyEnvExample().replace(/^#PROXY/gm, 'PROXY'));
    expect(new Set(Object.keys(uncommented))).toEqual(new Set(PROXY_ENVIRONMENT.map(({ name }) => name)));
    const { listeners, admin, ...others } = load(undefined, uncommented);
    expect({ ...others, admin: { host: admin?.host, port: admin?.port } }).toEqual({
      ...DEFAULTS,
      listeners: undefined,
      admin: { host: '127.0.0.1', port: 9090 },
    });
    expect(listeners).toMatchObject([{ mode: 'http', host: '127.0.0.1', port: 8080 }]);
  });
});

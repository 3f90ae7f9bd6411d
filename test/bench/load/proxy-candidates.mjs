// What users pick now for an HTTP proxy in front of SOCKS5, and ours. Each is found on PATH or by the environment variable
// that is named with it; one that is not there is named as skipped. Logs are off where there is a switch.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync, spawn } from 'node:child_process';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { findProgram } from './processes.mjs';

const OURS = join(process.cwd(), 'dist/apps/proxy-client/bundle/lib/proxy-client.js');

function fromEnvironment(variable, ...names) {
  const path = process.env[variable];
  return path && existsSync(path) ? path : findProgram(...names);
}

function writeIn(directory, name, lines) {
  const path = join(directory, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

/** Writes a certificate that no client verifies. */
function certificateIn(directory) {
  const [certificate, key] = ['c.pem', 'k.pem'].map((name) => join(directory, name));
  const keyOptions = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key];
  execFileSync('openssl', ['req', '-x509', ...keyOptions, '-out', certificate, '-subj', '/CN=localhost'], {
    stdio: 'ignore',
  });
  return { certificate, key };
}

const ours = {
  find: () => (existsSync(OURS) ? process.execPath : undefined),
  hint: 'npm run build',
  command: ({ directory, port, origin, socks, options, lists = {}, mode = 'http', users, log, tls, admin = 'off' }) => {
    const config = {
      logLevel: 'error',
      admin: admin === 'off' ? admin : { port: admin },
      mode,
      ...(log && { log: { requests: join(directory, 'requests.log') } }),
      listen: {
        host: '127.0.0.1',
        port,
        ...(users && { users }),
        ...(tls && certificateIn(directory)),
        ...(mode === 'tunnel' && { to: `127.0.0.1:${origin}`, via: 'upstream' }),
      },
      upstream: { host: '127.0.0.1', port: socks, ...options },
      limits: { connections: 20000 },
      rules: Object.entries(lists).map(([key, lines]) => ({
        [key]: { file: writeIn(directory, key, lines()) },
        to: 'reject',
      })),
    };
    return [OURS, '--config', writeIn(directory, 'proxy.json', [JSON.stringify(config)])];
  },
};

const NAMES = { hosts: () => Array.from({ length: 100_000 }, (_, index) => `host${index}.ads${index % 977}.example`) };
const USER = { name: 'bench', password: 'of the benchmark' };
const BASIC = Buffer.from(`${USER.name}:${USER.password}`).toString('base64');

/**
 * Each: how it is found, and the command that makes it listen on `port` with the SOCKS5 server at `socks`; `only`: the
 * scenarios in which it takes part, if not in all; `via`: what clients speak to it, if not HTTP; `isDirect`: it goes to the origin without the SOCKS5 server; `fields`: what their requests
 * have in addition.
 */
export const CANDIDATES = [
  { ...ours, name: 'proxy-client' },
  // `upstream.warm`: connections that are opened and greeted ahead.
  { ...ours, name: 'proxy-client-warm', only: ['rtt'], options: { warm: 4 } },
  // Rules with that number of names, or networks, of which none matches.
  {
    ...ours,
    name: 'proxy-client-names',
    only: ['rate', 'http'],
    lists: NAMES,
  },
  // The same, with a user whose password every request has.
  {
    ...ours,
    name: 'proxy-client-names-users',
    only: ['rate', 'http'],
    lists: NAMES,
    users: [USER],
    fields: `Proxy-Authorization: Basic ${BASIC}\r\n`,
  },
  {
    ...ours,
    name: 'proxy-client-networks',
    only: ['rate', 'http'],
    lists: {
      networks: () => Array.from({ length: 10_000 }, (_, index) => `20.${index >> 6}.${(index & 63) * 4}.0/23`),
    },
  },
  // A line for each request, to a file.
  { ...ours, name: 'proxy-client-log', only: ['rate', 'http', 'down1'], log: true },
  { ...ours, name: 'proxy-client-socks5', only: ['socks5', 'down1', 'up1'], mode: 'socks5', via: 'socks5' },
  { ...ours, name: 'proxy-client-tunnel', only: ['down1', 'up1'], mode: 'tunnel', via: 'tunnel' },
  { ...ours, name: 'proxy-client-tls', only: ['tlsdown', 'tlsup'], mode: 'tunnel', tls: true },
  // The admin listener, which is off for all else.
  { ...ours, name: 'proxy-client-admin', only: ['start'], hasAdmin: true },
  {
    // Decrypts as proxy-client-tls does. It has no SOCKS5 upstream, which costs nothing for each byte.
    name: 'nginx',
    only: ['tlsdown', 'tlsup'],
    isDirect: true,
    find: () => fromEnvironment('NGINX', 'nginx'),
    hint: 'Debian: nginx and libnginx-mod-stream',
    command: ({ directory, port, origin }) => {
      const { certificate, key } = certificateIn(directory);
      return [
        '-c',
        writeIn(directory, 'nginx.conf', [
          'load_module /usr/lib/nginx/modules/ngx_stream_module.so;',
          `daemon off; pid ${directory}/nginx.pid; error_log /dev/null;`,
          'events {}',
          `stream { server { listen 127.0.0.1:${port} ssl; ssl_protocols TLSv1.2 TLSv1.3; proxy_pass 127.0.0.1:${origin};`,
          `ssl_certificate ${certificate}; ssl_certificate_key ${key}; } }`,
        ]),
      ];
    },
  },
  {
    name: 'dante',
    only: ['socks5'],
    via: 'socks5',
    find: () => fromEnvironment('DANTED', 'danted', 'sockd'),
    hint: 'Debian: dante-server',
    command: ({ directory, port, socks }) => {
      const all = 'from: 0.0.0.0/0 to: 0.0.0.0/0';
      const config = writeIn(directory, 'danted.conf', [
        `internal: 127.0.0.1 port = ${port}`,
        'external: lo',
        'logoutput: /dev/null',
        'clientmethod: none',
        'socksmethod: none',
        `user.privileged: ${userInfo().username}`,
        `user.unprivileged: ${userInfo().username}`,
        `client pass { ${all} }`,
        `socks pass { ${all} }`,
        `route { ${all} via: 127.0.0.1 port = ${socks} proxyprotocol: socks_v5 }`,
      ]);
      return ['-f', config, '-p', join(directory, 'danted.pid')];
    },
  },
  {
    name: 'gwproxy',
    // Not in http: it reads only the first request of a connection and relays the others to the same origin.
    only: ['down1', 'down8', 'up1', 'rate', 'rtt', 'start', 'idle', 'peak'],
    find: () => fromEnvironment('GWPROXY', 'gwproxy'),
    hint: 'of GNU/Weeb, built from source',
    command: ({ port, socks }) => [
      ...[`--bind=127.0.0.1:${port}`, '--as-http=1', '--acl-allow-all', '--log-level=0'],
      `--upstream-proxy=socks5h://127.0.0.1:${socks}`,
    ],
  },
  {
    // What Node itself needs for the same work.
    name: 'plain-node',
    only: ['rate', 'http'],
    find: () => process.execPath,
    hint: 'part of the benchmark',
    command: ({ port, socks }) => [join(import.meta.dirname, 'plain-node.mjs'), String(port), String(socks)],
  },
  {
    name: 'node-socks5',
    only: ['socks5'],
    via: 'socks5',
    find: () => (existsSync(process.env['NODE_SOCKS5'] ?? '') ? process.execPath : undefined),
    hint: 'NODE_SOCKS5=a script around a SOCKS5 server of npm: listens on port argv[2], goes through the SOCKS5 server on argv[3]',
    command: ({ port, socks }) => [process.env['NODE_SOCKS5'], String(port), String(socks)],
  },
  {
    name: 'tinyproxy',
    find: () => fromEnvironment('TINYPROXY', 'tinyproxy'),
    hint: 'Debian: tinyproxy',
    command: ({ directory, port, socks }) => {
      const upstream = `Upstream socks5 127.0.0.1:${socks}`;
      const lines = [`Port ${port}`, 'Listen 127.0.0.1', upstream, 'MaxClients 10000', 'LogLevel Critical'];
      return ['-d', '-c', writeIn(directory, 'tinyproxy.conf', lines)];
    },
  },
  {
    name: 'privoxy',
    find: () => fromEnvironment('PRIVOXY', 'privoxy'),
    hint: 'Debian: privoxy',
    command: ({ directory, port, socks }) => [
      '--no-daemon',
      writeIn(directory, 'privoxy.conf', [
        `listen-address 127.0.0.1:${port}`,
        `forward-socks5 / 127.0.0.1:${socks} .`,
        'toggle 0',
        'receive-buffer-size 65536',
        'connection-sharing 1',
        'keep-alive-timeout 300',
        'default-server-timeout 60',
        'socket-timeout 300',
        'max-client-connections 10000',
      ]),
    ],
  },
  {
    name: 'trafficserver',
    find: () => fromEnvironment('TRAFFIC_SERVER', 'traffic_server'),
    hint: 'Debian: trafficserver',
    command: ({ directory, port, socks }) => {
      for (const folder of ['etc', 'log', 'run', 'cache']) mkdirSync(join(directory, folder));
      const at = (folder) => join(directory, folder);
      const record = (name, type, value) => `CONFIG proxy.config.${name} ${type} ${value}`;
      writeIn(at('etc'), 'records.config', [
        record('http.server_ports', 'STRING', `${port}:ip-in=127.0.0.1`),
        record('http.connect_ports', 'STRING', '*'),
        record('http.cache.http', 'INT', 0),
        record('reverse_proxy.enabled', 'INT', 0),
        record('url_remap.remap_required', 'INT', 0),
        record('socks.socks_needed', 'INT', 1),
        record('socks.socks_version', 'INT', 5),
        record('socks.default_servers', 'STRING', `127.0.0.1:${socks}`),
        record('diags.output.status', 'STRING', ''),
        record('diags.output.note', 'STRING', ''),
        record('log.logging_enabled', 'INT', 0),
        record('net.connections_throttle', 'INT', 30000),
        record('admin.user_id', 'STRING', '#-1'),
      ]);
      // Without this file it connects directly to the origins, without a warning.
      writeIn(at('etc'), 'socks.config', ['']);
      writeIn(at('etc'), 'storage.config', [`${at('cache')} 16M`]);
      writeIn(at('etc'), 'ip_allow.yaml', [
        'ip_allow:',
        '  - { apply: in, ip_addrs: 127.0.0.1, action: allow, methods: ALL }',
      ]);
      const layout = { prefix: directory, sysconfdir: at('etc'), logdir: at('log'), runtimedir: at('run') };
      const runroot = { ...layout, localstatedir: at('run'), cachedir: at('cache') };
      const lines = Object.entries(runroot).map(([key, path]) => `${key}: ${path}`);
      return [`--run-root=${writeIn(directory, 'runroot.yaml', lines)}`];
    },
  },
  {
    name: 'socks-hub',
    find: () => fromEnvironment('SOCKS_HUB', 'socks-hub'),
    hint: 'cargo install socks-hub',
    command: ({ port, socks }) => [
      ...['--listen-proxy-role', `http://127.0.0.1:${port}`],
      ...['--remote-server', `socks5://127.0.0.1:${socks}`, '--verbosity', 'off'],
    ],
  },
  {
    name: 'sthp',
    find: () => fromEnvironment('STHP', 'sthp'),
    hint: 'cargo install sthp',
    command: ({ port, socks }) => ['--port', String(port), '--socks-address', `127.0.0.1:${socks}`],
  },
  {
    name: 'proxy-chain',
    find: () => (existsSync(process.env['PROXY_CHAIN'] ?? '') ? process.execPath : undefined),
    hint: 'PROXY_CHAIN=path of the npm package proxy-chain',
    command: ({ directory, port, socks }) => [
      writeIn(directory, 'proxy-chain.mjs', [
        `import { createRequire } from 'node:module';`,
        `const { Server } = createRequire(import.meta.url)(${JSON.stringify(process.env['PROXY_CHAIN'])});`,
        `const upstreamProxyUrl = 'socks5://127.0.0.1:${socks}';`,
        `await new Server({ port: ${port}, host: '127.0.0.1', prepareRequestFunction: () => ({ upstreamProxyUrl }) }).listen();`,
      ]),
    ],
  },
  {
    name: 'eggress',
    find: () => (existsSync(process.env['EGGRESS_PYTHON'] ?? '') ? process.env['EGGRESS_PYTHON'] : undefined),
    hint: 'EGGRESS_PYTHON=a Python that has eggress from PyPI',
    command: ({ directory, port, socks }) => [
      writeIn(directory, 'eggress_run.py', [
        'import eggress, signal',
        `handle = eggress.start_pproxy(["-l", "http://127.0.0.1:${port}", "-r", "socks5://127.0.0.1:${socks}"])`,
        'signal.pause()',
      ]),
    ],
  },
];

/** Starts a candidate with its own files in a temporary directory. */
export function startCandidate(candidate, places) {
  const directory = mkdtempSync(join(tmpdir(), `bench-${candidate.name}-`));
  const { options, lists, mode, users, log, tls } = candidate;
  const args = candidate.command({ ...places, directory, options, lists, mode, users, log, tls });
  const environment = { PATH: process.env['PATH'], HOME: directory, NODE_ENV: 'production', RUST_LOG: 'off' };
  const stdio = process.env['BENCH_DEBUG'] ? 'inherit' : 'ignore';
  const child = spawn(candidate.find(), args, { cwd: process.cwd(), env: environment, stdio });
  child.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return child;
}

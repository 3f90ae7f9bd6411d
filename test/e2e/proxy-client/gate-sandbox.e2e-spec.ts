import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, spawnSync, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Program, type Ended } from '../../support/program.js';

const MAIN = 'apps/proxy-client/bundle/lib/proxy-client.js';
const PROXY_CLIENT = join(process.cwd(), 'dist', MAIN);
const NODE = process.execPath;

let directory: string;
let origin: Server;
let port: number;
beforeAll(async () => {
  origin = createHttpServer((_request, answer) => answer.end('hello\n')).listen(0, '127.0.0.2');
  await once(origin, 'listening');
  port = (origin.address() as AddressInfo).port;
  directory = mkdtempSync(join(tmpdir(), 'gate-sandbox-'));
});
afterAll(() => {
  origin.close();
  origin.closeAllConnections();
  rmSync(directory, { recursive: true });
});

interface Options {
  readonly under?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function run(args: readonly string[], { under, cwd = project(), env }: Options = {}) {
  const program = new Program({
    ...{ main: MAIN, args, cwd, env: { HOME: '/nonexistent', PROXY_ADMIN_PORT: 'off', ...env } },
    ...(under && { under }),
  });
  const ended: Ended = await program.ended;
  return { ...ended, stdout: program.stdout, stderr: program.stderr };
}

/** Runs with the given standard streams, of which pipes are pairs of sockets; `output` is what comes back by them. */
async function withStreams(args: readonly string[], stdio: StdioOptions, input = '') {
  const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', PROXY_ADMIN_PORT: 'off' };
  const child = spawn(NODE, [PROXY_CLIENT, ...args], { cwd: project(), env, stdio });
  child.stdin?.end(input);
  const outputs = [child.stdout, child.stderr].map(async (stream) => (stream === null ? '' : text(stream)));
  const [[code], ...output] = await Promise.all([once(child, 'close') as Promise<[number]>, ...outputs]);
  return { code, output: output.join('') };
}

/** A daemon at a Unix socket, which records what it receives. */
async function listening(path: string, received: Buffer[]) {
  const sockets: Socket[] = [];
  const daemon = createServer((socket) => {
    sockets.push(socket);
    counts.connections += 1;
    socket.on('data', (bytes: Buffer) => received.push(bytes)).on('error', () => undefined);
  }).listen(path);
  const counts = {
    connections: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => daemon.close(resolve));
    },
  };
  await once(daemon, 'listening');
  return counts;
}

/** Creates an empty project. */
function project(): string {
  return mkdtempSync(join(directory, 'project-'));
}

/** Writes files, and returns the directory. */
function withFiles(files: Readonly<Record<string, string>>): string {
  const root = project();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

const bwrap = spawnSync('bwrap', ['--unshare-net', '--ro-bind', '/', '/', '--proc', '/proc', 'true']).status;
const inSandbox = bwrap === 0 ? describe : describe.skip;

inSandbox('the sandbox', () => {
  it('contains no descriptor that this program has inherited, also above a gap in the numbers', async () => {
    const open = `exec 3<>/dev/tcp/127.0.0.2/${port} 50<>/dev/tcp/127.0.0.2/${port} 200<>/dev/tcp/127.0.0.2/${port}; exec "$@"`;
    const script = 'for fd in /proc/self/fd/*; do readlink $fd; done | grep socket; echo GET >&50; echo done';
    const { stdout } = await run(['run', '--', 'bash', '-c', script], { under: ['bash', '-c', open, 'bash'] });
    // Those of standard input and output belong to this test.
    expect(stdout.split('\n').filter((line) => line !== '' && !line.startsWith('socket'))).toEqual(['done']);
    const count = (text: string): number => text.split('\n').filter((line) => line.startsWith('socket')).length;
    const plain = await run(['run', '--', 'bash', '-c', script]);
    expect(count(stdout)).toBe(count(plain.stdout));
  });

  it.each([
    ['a UDP socket as standard input', '<>/dev/udp/127.0.0.2/PORT', 'Standard input is a network socket'],
    ['a TCP connection as standard output', '1<>/dev/tcp/127.0.0.2/PORT', 'Standard output is a network socket'],
    ['a UDP socket as standard error', '2>/dev/null', undefined],
    ['a directory as standard input', '</', 'Standard input is a directory'],
    ['a namespace as standard input', '</proc/self/ns/net', 'Standard input is a namespace'],
  ])('is not created with %s', async (_, redirection, problem) => {
    const open = `exec ${redirection.replace('PORT', String(port))}; exec "$@"`;
    const { code, stdout, stderr } = await run(['run', '--', 'echo', 'ran'], { under: ['bash', '-c', open, 'bash'] });
    if (problem === undefined) expect([code, stdout]).toEqual([0, 'ran\n']);
    else {
      expect([code, stdout]).toEqual([125, '']);
      expect(stderr).toContain(`${problem}, by which the command could leave the sandbox.`);
    }
  });

  it.each(['a path', 'an abstract name'])('is not created with a connection to a daemon at %s', async (at) => {
    const name = join(directory, 'daemon.sock');
    const path = at === 'a path' ? name : `\0${name}`;
    const received: Buffer[] = [];
    await using daemon = await listening(path, received);
    for (const [descriptor, stream] of ['Standard input', 'Standard output', 'Standard error'].entries()) {
      const connection = connect(path);
      await once(connection, 'connect');
      const stdio: StdioOptions = ['pipe', 'pipe', 'pipe'];
      stdio[descriptor] = connection;
      const { code, output } = await withStreams(
        ['run', '--', 'sh', '-c', 'echo GET; echo GET >&0; echo GET >&2'],
        stdio,
      );
      connection.destroy();
      expect(code).toBe(125);
      const problem = `${stream} is a connection to another program (${path.replace('\0', '@')}), by which`;
      expect(output + Buffer.concat(received).toString()).toContain(problem);
    }
    expect(Buffer.concat(received).toString()).not.toContain('GET');
    expect(daemon.connections).toBe(3);
  });

  it('is created with sockets of pairs, by which agents and CI runners run commands', async () => {
    const { code, output } = await withStreams(['run', '--', 'cat'], ['pipe', 'pipe', 'pipe'], 'input');
    expect([code, output.startsWith('input')]).toEqual([0, true]);
  });

  it.each([
    ['the configuration', '<gate.yaml', 'Standard input'],
    ['the configuration for reading and writing', '0<>gate.yaml', 'Standard input'],
    ['the configuration by another name', '<other', 'Standard input'],
    ['a list of the configuration', '>>list.txt', 'Standard output'],
    ['the request log', '2>>log/requests.log', 'Standard error'],
    ['a token', '<run/proxy-client/admin-token', 'Standard input'],
    ['a copy of a list', '0<>cache/proxy-client/lists/ads', 'Standard input'],
  ])('is not created with %s as a standard stream', async (_, redirection, stream) => {
    const config =
      'upstream: embedded\nlog: { requests: log/requests.log }\nrules: [{ hosts: { file: list.txt }, to: reject }]\n';
    const files = { 'list.txt': 'ads.example\n', 'log/requests.log': '', 'run/proxy-client/admin-token': '' };
    const gate = withFiles({ 'gate.yaml': config, ...files, 'cache/proxy-client/lists/ads': '', 'free.txt': '' });
    linkSync(join(gate, 'gate.yaml'), join(gate, 'other'));
    const env = { XDG_CACHE_HOME: join(gate, 'cache'), XDG_RUNTIME_DIR: join(gate, 'run') };
    const args = ['run', '--config', join(gate, 'gate.yaml'), '--', 'sh', '-c', 'echo "default: direct" >&0; echo ran'];
    const ended = async (open: string) => {
      const script = `cd ${gate}; exec ${open} 3>stderr; cd - >&3; exec "$@"`;
      return run(args, { under: ['bash', '-c', script, 'bash'], env });
    };
    const { code, stderr } = await ended(redirection);
    expect(code).toBe(125);
    const log = readFileSync(join(gate, 'log/requests.log'), 'utf8');
    expect(stderr + log).toContain(`${stream} is a file of the gate`);
    expect(await ended('0<>free.txt')).toMatchObject({ code: 0 });
    expect(readFileSync(join(gate, 'gate.yaml'), 'utf8')).toBe(config);
  });

  it('contains settings of the system, and none of their secrets', async () => {
    const script = 'cat /etc/hosts /etc/nsswitch.conf >/dev/null && echo settings; cat /etc/shadow /etc/gshadow';
    const { stdout } = await run(['run', '--', 'sh', '-c', script]);
    expect(stdout).toBe('settings\n');
  });

  it('has no sockets but those of IP, netlink and Unix, no io_uring, and no keyrings of the user', async () => {
    if (spawnSync('python3', ['--version']).status !== 0) return;
    const attempts = `
import ctypes, socket
def attempt(call):
    try: call(); return 'ok'
    except PermissionError: return 'EPERM'
families = {'inet': 2, 'inet6': 10, 'netlink': 16, 'unix': 1, 'packet': 17, 'alg': 38, 'vsock': 40, 'bluetooth': 31, 'xdp': 44}
print(*(f'{name}:{attempt(lambda: socket.socket(family, socket.SOCK_RAW if family == 16 else socket.SOCK_STREAM))}' for name, family in families.items()))
libc = ctypes.CDLL(None, use_errno=True)
calls = {'x86_64': (248, 249, 250), 'aarch64': (217, 218, 219)}[__import__('platform').machine()]
print(*(libc.syscall(call, 0, -3, 0, 0, 0) == -1 and ctypes.get_errno() for call in (*calls, 425)))`;
    const { stdout } = await run(['run', '--', 'python3', '-c', attempts], {
      env: { PATH: process.env['PATH'] ?? '' },
    });
    const denied = ['packet', 'alg', 'vsock', 'bluetooth', 'xdp'].map((name) => `${name}:EPERM`).join(' ');
    expect(stdout).toBe(`inet:ok inet6:ok netlink:ok unix:ok ${denied}\n1 1 1 1\n`);
  });

  it('has no variable of the configuration, and a directory for temporary files', async () => {
    const cwd = withFiles({ 'gate.yaml': 'upstream: "${SECRET_UPSTREAM}"\n' });
    const env = { SECRET_UPSTREAM: 'embedded', PROXY_LOG_LEVEL: 'warn', TMPDIR: directory, OTHER: 'seen' };
    const script = 'echo "$SECRET_UPSTREAM$PROXY_LOG_LEVEL$OTHER"; touch "$TMPDIR/x" && echo written';
    const { stdout } = await run(['run', '--config', 'gate.yaml', '--', 'sh', '-c', script], { cwd, env });
    expect(stdout).toBe('seen\nwritten\n');
  });

  it('protects hooks, settings of git and of editors, and start files of shells', async () => {
    const git = { HEAD: 'ref: refs/heads/main\n', config: '[core]\n', 'objects/x': '', index: '' };
    const at = (folder: string) => Object.entries(git).map(([name, text]) => [`${folder}/${name}`, text] as const);
    const cwd = withFiles({
      ...Object.fromEntries([...at('.git'), ...at('deep/er/.git')]),
      ...{ '.git/hooks/pre-commit': '', '.vscode/tasks.json': '{}', 'deep/.bashrc': '', 'deep/other': '' },
      ...{ '.git/worktrees/tree/HEAD': '', '.git/worktrees/tree/commondir': '../..', 'sub/.git': 'gitdir: ../.git' },
    });
    const attacks = [
      ...[
        'echo x >> .git/config',
        'echo x > .git/hooks/pre-commit',
        'echo x > .git/hooks/pre-push',
        'rm -r .git/hooks',
      ],
      ...['mv .git .git2', 'mv .git/hooks .git/h', 'echo x > deep/er/.git/hooks/pre-commit', 'mv deep/er deep/er2'],
      ...['mv deep deep2', 'echo x > .vscode/tasks.json', 'mv .vscode v', 'echo x >> deep/.bashrc', 'rm deep/.bashrc'],
      ...['echo x >> deep/er/.git/config', 'ln -f deep/other deep/.bashrc', 'echo gitdir: ../deep > sub/.git'],
      ...['echo ../../../deep > .git/worktrees/tree/commondir', 'mv sub sub2', 'git config core.hooksPath deep'],
    ];
    const script = [
      ...attacks.map((attack) => `${attack} 2>/dev/null && echo done: '${attack}'`),
      'echo x > .git/index; echo x > deep/other; echo . > deep/er/.git/commondir',
      'echo "[core] hooksPath = x" > .git/worktrees/tree/config.worktree; echo end',
    ].join('\n');
    const { stdout, stderr } = await run(['run', '--', 'sh', '-c', script], { cwd });
    expect(stdout).toBe('end\n');
    expect(readFileSync(join(cwd, '.git/index'), 'utf8')).toBe('x\n');
    expect(stderr).toContain(`removed ${join(cwd, 'deep/er/.git/commondir')}`);
    for (const file of ['deep/er/.git/commondir', '.git/worktrees/tree/config.worktree']) {
      expect(existsSync(join(cwd, file))).toBe(false);
    }
    const open = ['run', '--mount', '.git:rw', '--', 'sh', '-c', 'echo x > .git/config'];
    expect(await run(open, { cwd })).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, '.git/config'), 'utf8')).toBe('x\n');
  });

  it.each(['garbage', 'null', '{"cmd":"NODE_HANDLE","type":"net.Server"}'])(
    'leaves no redirection of git when the command crashes proxy-client: %s',
    async (message) => {
      const attack = `
import ctypes, os, sys, time
libc = ctypes.CDLL(None)
pids = [int(name) for name in os.listdir('/proc') if name.isdigit()]
bridge = max(pid for pid in pids if b'command-bridge' in open(f'/proc/{pid}/cmdline', 'rb').read())
# pidfd_open and pidfd_getfd: the channel to proxy-client.
channel = libc.syscall(438, libc.syscall(434, bridge, 0), 3, 0)
if channel >= 0: os.write(channel, (sys.argv[1] + chr(10)).encode())
time.sleep(2)`;
      const cwd = withFiles({ '.git/HEAD': '', '.git/config': '', '.git/objects/x': '', 'attack.py': attack });
      const script = 'echo ../evil > .git/commondir; python3 attack.py "$1"';
      await run(['run', '--', 'sh', '-c', script, 'sh', message], { cwd, env: { PATH: process.env['PATH'] ?? '' } });
      expect(existsSync(join(cwd, '.git/commondir'))).toBe(false);
    },
  );

  const CONNECT = `
    const socket = require('node:net').connect(process.argv[1]);
    socket.on('connect', () => { console.log('connected'); process.exit(); }).on('error', ({ code }) => console.log(code));`;

  it('hides Unix sockets of the project, and forbids all on request', async () => {
    const cwd = project();
    const server = createServer((socket) => socket.destroy()).listen(join(cwd, 's'));
    await once(server, 'listening');
    const connect = [NODE, '-e', CONNECT];
    expect(await run(['run', '--', ...connect, 's'], { cwd })).toMatchObject({ stdout: 'ECONNREFUSED\n' });
    const named = ['run', '--mount', join(cwd, 's'), '--', ...connect, join(cwd, 's')];
    expect(await run(named)).toMatchObject({ stdout: 'connected\n' });
    server.close();
    const pairs = `
      import socket
      def attempt(*arguments):
          try:
              socket.socketpair(*arguments); return 'ok'
          except PermissionError: return 'EPERM'
      print(attempt(socket.AF_UNIX, socket.SOCK_STREAM), attempt(socket.AF_UNIX, socket.SOCK_DGRAM))`;
    const own = `
      const server = require('node:net').createServer();
      server.on('error', ({ code }) => console.log(code)).listen('/tmp/own', () => { console.log('listens'); process.exit(); });`;
    expect(await run(['run', '--', NODE, '-e', own])).toMatchObject({ stdout: 'listens\n' });
    expect(await run(['run', '--no-unix-sockets', '--', NODE, '-e', own])).toMatchObject({ stdout: 'EPERM\n' });
    const python = ['python3', '-c', pairs.replaceAll('\n      ', '\n')];
    if (spawnSync('python3', ['--version']).status === 0) {
      const forbidden = await run(['run', '--no-unix-sockets', '--', ...python], {
        env: { PATH: process.env['PATH'] ?? '' },
      });
      expect(forbidden.stdout).toBe('ok EPERM\n');
    }
  });

  it('names the cause when a proxy inside may not create its Unix socket, and needs none for itself', async () => {
    const cwd = withFiles({ 'inner.yaml': 'listen: { socket: /tmp/p.sock }\nadmin: off\n' });
    const inner = [NODE, PROXY_CLIENT, '--config', 'inner.yaml'];
    const args = ['run', '--no-unix-sockets', '--mount', process.cwd(), '--', ...inner];
    const { code, stderr } = await run(args, { cwd });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('Cannot listen on /tmp/p.sock: programs may not create Unix sockets here (EPERM)'),
    ]);
    const nested = ['--mount', process.cwd(), '--', 'true'];
    const { stderr: message } = await run(
      ['run', '--no-unix-sockets', ...nested.slice(0, 3), NODE, PROXY_CLIENT, 'run', '--', 'true'],
      { cwd },
    );
    expect(message).toMatch(/The sandbox could not be created: .*already runs in a sandbox/);
  });

  it('forbids user namespaces on request', async () => {
    const nested = ['bwrap', '--unshare-user', '--ro-bind', '/', '/', 'echo', 'nested'];
    const forbidden = await run(['run', '--no-user-namespaces', '--', ...nested]);
    expect(forbidden).toMatchObject({ code: 1, stdout: '' });
    expect(forbidden.stderr).toMatch(/namespace/);
  });

  it('finds no token of the admin pages, also in a directory that is mounted', async () => {
    const runtime = join(directory, 'runtime');
    mkdirSync(join(runtime, 'proxy-client'), { recursive: true, mode: 0o700 });
    writeFileSync(join(runtime, 'proxy-client/admin-9090.token'), 'secret');
    writeFileSync(join(runtime, 'other'), 'other');
    const script = `cat ${runtime}/other ${runtime}/proxy-client/admin-9090.token`;
    const { stdout } = await run(['run', '--mount', runtime, '--', 'sh', '-c', script], {
      env: { XDG_RUNTIME_DIR: runtime },
    });
    expect(stdout).toBe('other');
  });

  it('has a terminal in which job control and the size work, and passes the exit code on', () => {
    const inner = `tty >/dev/null && stty size; sleep 0 & fg %1 >/dev/null 2>&1 && echo jobs; exit 3`;
    const command = `stty rows 33 cols 99; ${NODE} ${PROXY_CLIENT} run -- bash -ic '${inner}'; echo code $?`;
    const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
      cwd: project(),
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', PROXY_ADMIN_PORT: 'off', TERM: 'dumb' },
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(stdout).toMatch(/33 99\r\n(?:.*\r\n)*jobs\r\n(?:.*\r\n)*code 3/);
  });
});

inSandbox('a request that waits for the answer of a person', () => {
  it('is announced on the terminal in words', () => {
    const config = { upstream: 'embedded', default: 'ask', admin: 'off', gate: { ask: { timeout: '1s' } } };
    const cwd = withFiles({ 'gate.yaml': JSON.stringify(config) });
    const inner = `fetch("http://a.example/").catch(() => undefined).then(() => console.log("done"))`;
    const command = `${NODE} ${PROXY_CLIENT} run --config gate.yaml -- ${NODE} -e '${inner}'`;
    const env = { PATH: process.env['PATH'], HOME: '/nonexistent' };
    const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
      cwd,
      env,
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(stdout).toContain(
      'proxy-client: a request for a.example:80 waits for an answer: proxy-client allow a.example:80 --for 1h',
    );
    expect(stdout).toContain('done');
    expect(stdout).not.toContain('"level"');
  });
});

inSandbox('proxy-client connect', () => {
  const gate = () =>
    withFiles({
      'gate.yaml': JSON.stringify({
        upstream: 'embedded',
        default: 'reject',
        rules: [{ networks: ['127.0.0.2'], ports: [port], to: 'direct' }],
      }),
    });
  const request = `printf 'GET / HTTP/1.0\\r\\n\\r\\n'`;

  it('connects standard input and output through the proxy of the environment', async () => {
    const self = `${NODE} ${PROXY_CLIENT}`;
    const script = `${request} | ${self} connect 127.0.0.2 ${port}; ${self} connect a.example 22; echo code $?`;
    const args = ['run', '--no-sandbox', '--config', 'gate.yaml', '--', 'sh', '-c', script];
    const { stdout, stderr } = await run(args, { cwd: gate() });
    expect(stdout).toMatch(/hello\ncode 1\n$/);
    expect(stderr).toMatch(/proxy-client: a\.example:22: Refused: .* proxy-client allow a\.example:22/);
  });

  it('lets ssh reach what the rules allow', async () => {
    const script = `ssh -o BatchMode=yes -p ${port} 127.0.0.2; ssh -o BatchMode=yes git@a.example`;
    const { stderr } = await run(['run', '--config', 'gate.yaml', '--', 'sh', '-c', script], { cwd: gate() });
    // The origin answers in HTTP.
    expect(stderr).toMatch(/banner|identification/);
    expect(stderr).toContain('a.example:22: Refused: no rule');
    expect(stderr).toContain('refused a.example:22; this rule would allow it');
  });

  it('serves a port for programs without a proxy setting', async () => {
    const script = `${NODE} ${PROXY_CLIENT} connect --listen 8099 127.0.0.2 ${port} & trap 'kill $!' EXIT
      until curl -sf http://127.0.0.1:8099/; do :; done`;
    const args = ['run', '--config', 'gate.yaml', '--mount', process.cwd(), '--', 'sh', '-c', script];
    expect(await run(args, { cwd: gate() })).toMatchObject({ code: 0, stdout: 'hello\n' });
  });
});

inSandbox('a sandbox that cannot be created', () => {
  const root = ['--ro-bind', '/', '/', '--dev', '/dev', '--bind', '/tmp', '/tmp'];
  const isRoot = process.getuid?.() === 0;

  it.each([
    [
      'no other /proc',
      ['bwrap', '--unshare-user', '--disable-userns', ...root, '--proc', '/proc', '--'],
      /\/proc is partly hidden/,
    ],
    [
      'no user namespaces',
      ['bwrap', '--unshare-user', '--uid', '1000', '--disable-userns', ...root, '--'],
      /too many namespaces|no user namespaces|may not create user namespaces/,
    ],
    ...(isRoot
      ? ([
          [
            'root without privileges',
            ['setpriv', '--bounding-set', '-all', '--inh-caps', '-all'],
            /root may not create namespaces/,
          ],
        ] as const)
      : []),
    [
      'another sandbox',
      [
        'bwrap',
        '--unshare-pid',
        ...root,
        '--proc',
        '/proc',
        '--ro-bind',
        '/proc/sys',
        '/proc/sys',
        '--cap-drop',
        'ALL',
        '--',
      ],
      /already runs in a sandbox/,
    ],
  ])('names its cause: %s', async (_, under, text) => {
    const failed = await run(['run', '--', 'echo', 'ran'], { under });
    expect(failed).toMatchObject({ code: 125, stdout: '' });
    expect(failed.stderr).toMatch(text);
  });

  (isRoot ? it : it.skip)('is created for root of a container, who may create user namespaces', async () => {
    const under = ['setpriv', '--bounding-set', '-sys_admin', '--inh-caps', '-sys_admin'];
    expect(await run(['run', '--', 'echo', 'ran'], { under })).toMatchObject({ code: 0, stdout: 'ran\n' });
  });

  (isRoot ? it : it.skip)('is created for another user, also without an account or a readable home', async () => {
    const cwd = project();
    chmodSync(directory, 0o755);
    chmodSync(cwd, 0o777);
    const under = ['setpriv', '--reuid', '4321', '--regid', '4321', '--clear-groups'];
    expect(await run(['run', '--', 'id', '-u'], { under, cwd })).toMatchObject({ code: 0, stdout: '4321\n' });
    const mapped = [...under, 'unshare', '--user', '--map-root-user'];
    expect(await run(['run', '--', 'id', '-u'], { under: mapped, cwd })).toMatchObject({ code: 0, stdout: '0\n' });
  });
});

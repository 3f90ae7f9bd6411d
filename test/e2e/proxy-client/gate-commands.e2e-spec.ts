import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSocketServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLOSED_PORT } from '../../support/closed-port.js';
import { NodeOrigin } from '../../support/node-origin.js';
import { Program, type Ended } from '../../support/program.js';
import { startPasswordSocks } from '../../support/proxy/password-socks.js';
import { until } from '../../support/until.js';

const MAIN = 'apps/proxy-client/bundle/lib/proxy-client.js';
const NODE = process.execPath;
/** Prints the status of each URL, through the proxy of the environment. */
const FETCH = `
  import { get } from 'node:http';
  for (const url of process.argv.slice(1)) {
    const status = await new Promise((resolve) => {
      get(url, (answer) => resolve(answer.resume().statusCode)).on('error', ({ code }) => resolve(code));
    });
    console.log(status);
  }
  process.exit();`;

let origin: Server;
let port: number;
let directory: string;
beforeAll(async () => {
  origin = createServer((_request, answer) => answer.end('hello')).listen(0, '127.0.0.2');
  await once(origin, 'listening');
  port = (origin.address() as AddressInfo).port;
  directory = mkdtempSync(join(tmpdir(), 'gate-commands-'));
});
afterAll(() => {
  origin.close();
  origin.closeAllConnections();
  rmSync(directory, { recursive: true });
});

interface Outcome extends Ended {
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = directory): Program {
  return new Program({
    main: MAIN,
    args,
    cwd,
    env: { HOME: '/nonexistent', PROXY_ADMIN_PORT: 'off', ...env },
  });
}

async function run(args: readonly string[], env?: Readonly<Record<string, string>>, cwd?: string): Promise<Outcome> {
  const program = start(args, env, cwd);
  const ended = await program.ended;
  return { ...ended, stdout: program.stdout, stderr: program.stderr };
}

function file(name: string, content: string): string {
  writeFileSync(join(directory, name), content);
  return name;
}

const fetching = (...urls: readonly string[]): readonly string[] => [NODE, '--input-type=module', '-e', FETCH, ...urls];
const allowedRule = () => ({ networks: ['127.0.0.2'], ports: [port], to: 'direct' });
const allowed = (): string => `http://127.0.0.2:${port}/`;

describe('proxy-client learn', () => {
  it('writes a configuration that allows what the command reached, and nothing else', async () => {
    const closed = `http://127.0.0.2:${CLOSED_PORT}/`;
    const learned = await run([
      'learn',
      '--upstream',
      'embedded',
      '--out',
      'learned.yaml',
      '--',
      ...fetching(allowed(), closed),
    ]);
    expect(learned).toMatchObject({ code: 0, stdout: '200\n502\n' });
    expect(readFileSync(join(directory, 'learned.yaml'), 'utf8')).toContain('default: reject');
    const explain = async (target: string) => (await run(['--config', 'learned.yaml', '--explain', target])).stdout;
    expect(await explain(`127.0.0.2:${port}`)).toContain('goes to upstream');
    expect(await explain(`127.0.0.2:${CLOSED_PORT}`)).toContain('refused');
    expect(await explain(`127.0.0.1:${port}`)).toContain('refused');
    const again = await run(['run', '--no-sandbox', '--config', 'learned.yaml', '--', ...fetching(allowed(), closed)]);
    expect(again).toMatchObject({ code: 0, stdout: '200\n403\n' });
    expect(again.stderr).toContain(`refused 127.0.0.2:${CLOSED_PORT}`);
  });

  it('adds rules to the present configuration, and keeps the rest of it as it is', async () => {
    const source =
      '# ours\nupstream: embedded\nlog: { requests: "${REQUESTS}" }\nrules:\n  - { hosts: [ads.example], to: reject } # no ads\n';
    file('ours.yaml', source);
    const env = { REQUESTS: '/dev/null' };
    const args = [
      'learn',
      '--config',
      'ours.yaml',
      '--out',
      'more.yaml',
      '--',
      ...fetching(allowed(), 'http://ads.example/'),
    ];
    expect(await run(args, env)).toMatchObject({ code: 0, stdout: '200\n403\n' });
    const written = readFileSync(join(directory, 'more.yaml'), 'utf8');
    for (const line of ['# ours', '${REQUESTS}', '# no ads', 'default: reject']) expect(written).toContain(line);
    const explained = await run(['--config', 'more.yaml', '--explain', `127.0.0.2:${port}`], env);
    expect(explained.stdout).toMatch(/rule 2 matches/);
  });

  it.each(['socks5', 'http'])('writes no password of an upstream: %s', async (scheme) => {
    await using http = await NodeOrigin.start((_request, answer) => answer.end('hello'));
    await using socks = await startPasswordSocks(Number(new URL(http.url).port));
    const upstream = scheme === 'http' ? http.authority : `127.0.0.1:${socks.port}`;
    const learned = await run([
      ...['learn', '--upstream', `${scheme}://me:secret@${upstream}`, '--out', `${scheme}.yaml`],
      ...['--', ...fetching('http://a.example/')],
    ]);
    expect([learned.code, learned.stderr]).toEqual([0, expect.stringContaining('password of the upstream is not')]);
    expect(readFileSync(join(directory, `${scheme}.yaml`), 'utf8')).not.toMatch(/secret|upstream:/);
  });

  it('writes paths that are relative to its own directory', async () => {
    const project = mkdtempSync(join(directory, 'project-'));
    for (const name of ['lists', 'gates/$new']) mkdirSync(join(project, name), { recursive: true });
    writeFileSync(join(project, 'lists/ads.txt'), 'ads.example\n');
    writeFileSync(
      join(project, 'gate.yaml'),
      'upstream: embedded\nlog: { requests: ./requests.log }\n' +
        'rules: [{ hosts: &ads { file: "${LISTS}/ads.txt" }, to: reject }, { hosts: *ads, to: reject }]\n',
    );
    const args = ['learn', '--config', 'gate.yaml', '--out', 'gates/$new/x.yaml', '--', ...fetching(allowed())];
    expect(await run(args, { LISTS: 'lists' }, project)).toMatchObject({ code: 0, stdout: '200\n' });
    const written = readFileSync(join(project, 'gates/$new/x.yaml'), 'utf8');
    expect(written).toContain('../.././requests.log');
    expect(written).toContain('../../${LISTS}/ads.txt');
    const explained = await run(
      ['--config', join(project, 'gates/$new/x.yaml'), '--explain', 'ads.example:1'],
      { LISTS: 'lists' },
      '/',
    );
    expect(explained.stdout).toContain('rule 1 matches');
    const again = ['learn', '--config', 'gates/$new/x.yaml', '--out', 'back.yaml', '--', ...fetching(allowed())];
    expect(await run(again, { LISTS: 'lists' }, project)).toMatchObject({ code: 0 });
    expect(readFileSync(join(project, 'back.yaml'), 'utf8')).toContain('gates/$$new/../../${LISTS}/ads.txt');
    expect(await run(['--config', 'back.yaml', '--explain', 'a.example:1'], { LISTS: 'lists' }, project)).toMatchObject(
      {
        code: 0,
      },
    );
  });

  it('writes no file when the command reached nothing', async () => {
    for (const urls of [[], [`http://127.0.0.2:${CLOSED_PORT}/`]]) {
      const learned = await run([
        'learn',
        '--upstream',
        'embedded',
        '--out',
        'nothing.yaml',
        '--',
        ...fetching(...urls),
      ]);
      expect([learned.code, learned.stderr]).toEqual([0, expect.stringContaining('the command reached no target')]);
      expect(existsSync(join(directory, 'nothing.yaml'))).toBe(false);
    }
  });

  it.each([
    ['a file that the command has created', 'cp /dev/null "$0"', 'EEXIST'],
    ['a directory that it has removed', 'rm -r "$(dirname "$0")"', 'ENOENT'],
  ])('prints the rules when the file cannot be written after the command: %s', async (_, script, code) => {
    const out = join(mkdtempSync(join(directory, 'later-')), 'out.yaml');
    const inner = ['sh', '-c', `"$@" && ${script}`, out, ...fetching(allowed())];
    const learned = await run(['learn', '--upstream', 'embedded', '--out', out, '--', ...inner]);
    expect([learned.code, learned.stderr]).toEqual([0, expect.stringContaining(`could not be written (${code})`)]);
    expect(learned.stderr).toContain(
      `default: reject\nrules:\n  - hosts:\n      - 127.0.0.2\n    ports:\n      - ${port}`,
    );
  });

  it('runs no command when the file cannot be written', async () => {
    const refused = await run(['learn', '--out', 'missing/learned.yaml', '--', 'echo', 'ran']);
    expect(refused).toMatchObject({ code: 125, stdout: '' });
    expect(refused.stderr).toContain('missing/learned.yaml cannot be created (ENOENT)');
  });

  it('overwrites no file', async () => {
    file('mine.yaml', 'default: reject\n');
    const refused = await run(['learn', '--out', 'mine.yaml', '--', 'true']);
    expect([refused.code, refused.stderr]).toEqual([125, expect.stringContaining('mine.yaml exists')]);
    expect(readFileSync(join(directory, 'mine.yaml'), 'utf8')).toBe('default: reject\n');
  });
});

const bwrap = spawnSync('bwrap', [
  '--unshare-net',
  '--unshare-pid',
  '--ro-bind',
  '/',
  '/',
  '--proc',
  '/proc',
  'true',
]).status;
const MODES =
  bwrap === 0
    ? [['a sandbox', []] as const, ['no sandbox', ['--no-sandbox']] as const]
    : [['no sandbox', ['--no-sandbox']] as const];

const withBwrap = bwrap === 0 ? it : it.skip;
withBwrap('learn prints the rules, and leaves no part of the file, when the disk is full', async () => {
  const disk = mkdtempSync(join(directory, 'disk-'));
  const out = join(disk, 'out.yaml');
  const fill = ['sh', '-c', '"$@"; cat /dev/zero > "$0"; exit 0', join(disk, 'fill'), ...fetching(allowed())];
  const program = new Program({
    main: MAIN,
    args: ['learn', '--upstream', 'embedded', '--out', out, '--', ...fill],
    cwd: directory,
    env: { HOME: '/nonexistent' },
    under: ['bwrap', '--dev-bind', '/', '/', '--size', '65536', '--tmpfs', disk, '--'],
  });
  expect(await program.ended).toMatchObject({ code: 0 });
  expect(program.stderr).toContain(`${out} could not be written (ENOSPC)`);
  expect(program.stderr).toContain('      - 127.0.0.2\n');
  // Before the command, too.
  const full = ['sh', '-c', 'cat /dev/zero > "$0"; shift; exec "$@"', join(disk, 'fill'), 'sh'];
  const late = new Program({
    main: MAIN,
    args: ['learn', '--out', out, '--', 'echo', 'ran'],
    cwd: directory,
    env: { HOME: '/nonexistent' },
    under: ['bwrap', '--dev-bind', '/', '/', '--size', '65536', '--tmpfs', disk, '--', ...full],
  });
  expect(await late.ended).toMatchObject({ code: 125 });
  expect([late.stdout, late.stderr]).toEqual(['', expect.stringContaining('out.yaml cannot be created (ENOSPC)')]);
});

describe.each(MODES)('proxy-client run in %s', (_, options) => {
  const confined = (...command: readonly string[]): readonly string[] => ['run', ...options, '--', ...command];

  it.each([1, 255])('passes the exit code %d on', async (code) => {
    expect(await run(confined('sh', '-c', `exit ${code}`))).toMatchObject({ code, signal: null });
  });

  it('passes output, input and arguments on', async () => {
    const result = await run(confined('sh', '-c', 'echo "$1"; echo err >&2', 'sh', 'a  b'));
    expect(result).toEqual({ code: 0, signal: null, stdout: 'a  b\n', stderr: expect.stringContaining('err\n') });
  });

  it('passes signals on to the command, and ends with it and not before', async () => {
    const program = start(
      confined(
        NODE,
        '-e',
        `for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1']) process.on(signal, () => console.log('got ' + signal));
        process.on('SIGUSR2', () => process.exit(7)); console.log('ready'); setInterval(() => {}, 1000)`,
      ),
    );
    await program.printed('ready');
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1'] as const) {
      program.process.kill(signal);
      await program.printed(`got ${signal}`);
    }
    expect(await program.end('SIGUSR2')).toEqual({ code: 7, signal: null });
    expect(program.stdout).toBe('ready\ngot SIGINT\ngot SIGTERM\ngot SIGHUP\ngot SIGUSR1\n');
  });

  it('ends by the signal that ended the command', async () => {
    const TMPDIR = mkdtempSync(join(tmpdir(), 'of-run-'));
    for (const signal of ['TERM', 'KILL'] as const) {
      const ended = await run(confined('sh', '-c', `kill -${signal} $$`), { TMPDIR });
      expect(ended).toMatchObject({ code: null, signal: `SIG${signal}` });
    }
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  it('reads nothing of its directory that is not specified, because a command may have written it', async () => {
    const project = mkdtempSync(join(directory, 'project-'));
    const gate = join(project, 'gate.yaml');
    writeFileSync(gate, JSON.stringify({ upstream: 'embedded', default: 'reject', rules: [allowedRule()] }));
    writeFileSync(join(project, '.env'), `PROXY_UPSTREAM=socks5://127.0.0.1:${CLOSED_PORT}\nLD_PRELOAD=/no/such.so\n`);
    const command = ['run', ...options, '--config', gate, '--', ...fetching(allowed())];
    const result = await run(command, {}, project);
    expect(result).toMatchObject({ code: 0, stdout: '200\n', stderr: '' });
    writeFileSync(join(project, 'proxy-client.yaml'), 'upstream: embedded\n');
    const refused = await run(confined('echo', 'ran'), {}, project);
    expect(refused).toMatchObject({ code: 125, stdout: '' });
    expect(refused.stderr).toContain('proxy-client.yaml: is in the directory that the command may change');
  });

  it('reports a command that does not exist', async () => {
    const result = await run(confined('no-such-command'));
    expect([result.code, result.stderr]).toEqual([127, expect.stringContaining('no-such-command is not found')]);
  });

  it('leaves no process running when it is killed, or when the command has exited', async () => {
    const mark = `mark-${process.pid}-${options.length}`;
    const isRunning = () => spawnSync('pgrep', ['-f', `${mark}$`]).status === 0;
    const program = start(confined('sh', '-c', `sleep 1000 & sh -c 'echo ready; while :; do sleep 1; done' ${mark}`));
    await program.printed('ready');
    expect(isRunning()).toBe(true);
    await program.end('SIGKILL');
    await until(() => !isRunning());
    await run(confined('sh', '-c', `sh -c 'while :; do sleep 1; done' ${mark} & exit 0`));
    await until(() => !isRunning());
  });

  it('reaches what the rules allow', async () => {
    const config = file(
      'allowed.yaml',
      JSON.stringify({
        upstream: 'embedded',
        default: 'reject',
        rules: [allowedRule()],
      }),
    );
    const args = [
      'run',
      ...options,
      '--config',
      config,
      '--',
      ...fetching(allowed(), `http://127.0.0.1:${port}/`, 'http://a.example/'),
    ];
    // The loopback is the command's own.
    expect(await run(args)).toMatchObject({ code: 0, stdout: '200\nECONNREFUSED\n403\n' });
  });
});

const inSandbox = bwrap === 0 ? describe : describe.skip;
inSandbox('the sandbox', () => {
  /** Connects without the proxy to TCP ports and unix sockets; prints the outcome of each. */
  const CONNECT = `
    import { connect } from 'node:net';
    for (const to of JSON.parse(process.argv[1])) {
      const outcome = await new Promise((resolve) => {
        const socket = connect(to);
        socket.on('connect', () => resolve('connected')).on('error', ({ code }) => resolve(code));
      });
      console.log(outcome);
    }
    process.exit();`;

  it('has no configuration that the command could read, change, move or replace', async () => {
    const project = mkdtempSync(join(directory, 'project-'));
    mkdirSync(join(project, 'lists/own'), { recursive: true });
    writeFileSync(join(project, 'lists/own/hosts.txt'), 'a.example\n');
    const gate = 'default: reject\nrules: [{ hosts: { file: lists/own/hosts.txt }, to: reject }]\n';
    writeFileSync(join(project, 'gate.yaml'), gate);
    const attacks = [
      'echo x >> gate.yaml',
      'rm -f gate.yaml',
      'mv gate.yaml other.yaml',
      'mv lists other',
      'echo x >> lists/own/hosts.txt',
      'mv lists/own lists/other',
      'ln gate.yaml hard.yaml',
    ].map((attack) => `${attack} 2>/dev/null && echo done: '${attack}'`);
    const script = `${attacks.join('; ')}; cat gate.yaml lists/own/hosts.txt; echo x > lists/new.txt`;
    const result = await run(['run', '--config', 'gate.yaml', '--', 'sh', '-c', script], {}, project);
    expect(result).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(join(project, 'gate.yaml'), 'utf8')).toBe(gate);
    expect(readdirSync(project, { recursive: true }).map(String).toSorted()).toEqual([
      ...['gate.yaml', 'lists', 'lists/new.txt', 'lists/own', 'lists/own/hosts.txt'],
    ]);
    symlinkSync('gate.yaml', join(project, 'link.yaml'));
    symlinkSync(project, `${project}-link`);
    linkSync(join(project, 'gate.yaml'), join(project, 'hard.yaml'));
    writeFileSync(join(project, 'log.yaml'), 'log: { requests: requests.log }\n');
    for (const [args, message] of [
      [['--config', 'link.yaml'], 'link.yaml is a symbolic link that the command could replace'],
      [['--config', 'gate.yaml'], 'gate.yaml is a hard link'],
      [['--config', 'log.yaml'], 'requests.log, is in a directory that the command may change'],
      [['--config', 'log.yaml', '--mount', `${project}-link:rw`], 'leads through a symbolic link'],
    ] as const) {
      const refused = await run(['run', ...args, '--', 'echo', 'ran'], {}, project);
      expect(refused).toMatchObject({ code: 125, stdout: '' });
      expect(refused.stderr).toContain(message);
    }
  });

  it('cannot change settings of the kernel, also as root', async () => {
    const script = ': >> /proc/sys/kernel/core_pattern && echo writable; : >> /proc/sysrq-trigger && echo writable';
    expect(await run(['run', '--', 'sh', '-c', script])).toMatchObject({ stdout: '' });
  });

  it('shows a mount below its directory as it was requested', async () => {
    const project = mkdtempSync(join(directory, 'project-'));
    for (const name of ['kept', 'open']) mkdirSync(join(project, name));
    const script = 'touch kept/x; touch open/x; touch x; ls -d kept/x open/x x 2>/dev/null';
    const result = await run(['run', '--mount', 'kept', '--mount', 'open:rw', '--', 'sh', '-c', script], {}, project);
    expect(result.stdout.trim().split('\n')).toEqual(['open/x', 'x']);
  });

  it('has no other way out: not by TCP, and not by other unix sockets', async () => {
    const places = [
      join(mkdtempSync('/tmp/other-socket-'), 's'),
      join(mkdtempSync(join(tmpdir(), 'another-')), 's'),
      ...(process.getuid?.() === 0 ? ['/run/other-program.sock'] : []),
      // An abstract one, which has no file.
      `\0proxy-client-test-${process.pid}`,
    ];
    const servers = await Promise.all(
      places.map(async (path) => {
        const server = createSocketServer((socket) => socket.destroy()).listen(path);
        await once(server, 'listening');
        return server;
      }),
    );
    const targets = [
      { host: '127.0.0.2', port },
      { host: '127.0.0.1', port },
      { host: '192.0.2.1', port: 443 },
      { host: '::1', port },
      ...places.map((path) => ({ path })),
    ];
    const args = ['run', '--', NODE, '--input-type=module', '-e', CONNECT, JSON.stringify(targets)];
    const { stdout } = await run(args);
    for (const server of servers) server.close();
    rmSync('/run/other-program.sock', { force: true });
    expect(stdout.trim().split('\n')).toHaveLength(targets.length);
    expect(stdout).not.toContain('connected');
  });

  it('contains the current directory, and no other files of users', async () => {
    file('here.txt', 'here');
    const secrets = mkdtempSync('/tmp/secret-');
    writeFileSync(join(secrets, 'token'), 'secret');
    const script = `cat here.txt; echo changed > changed.txt; cat ${secrets}/token; ls -d /root/.bashrc /root/.profile /home/* /var/lib; touch /usr/x /etc/x`;
    const { stdout } = await run(['run', '--', 'sh', '-c', script]);
    expect(stdout).toBe('here');
    expect(readFileSync(join(directory, 'changed.txt'), 'utf8')).toBe('changed\n');
    const mounted = await run([
      'run',
      '--mount',
      secrets,
      '--',
      'sh',
      '-c',
      `cat ${secrets}/token; echo x > ${secrets}/token`,
    ]);
    expect(mounted.stdout).toBe('secret');
    await run(['run', '--mount', `${secrets}:rw`, '--', 'sh', '-c', `echo x > ${secrets}/token`]);
    expect(readFileSync(join(secrets, 'token'), 'utf8')).toBe('x\n');
  });

  it('shows no processes of others', async () => {
    const { stdout } = await run(['run', '--', 'sh', '-c', `test -e /proc/${process.pid} && echo seen; echo done`]);
    expect(stdout).toBe('done\n');
  });
});

it('refuses to run without bwrap, and states that variables confine nothing', async () => {
  const bin = join(directory, 'bin');
  mkdirSync(bin, { recursive: true });
  const program = new Program({
    main: MAIN,
    args: ['run', '--', 'true'],
    cwd: directory,
    env: { PATH: bin, PROXY_ADMIN_PORT: 'off' },
  });
  expect(await program.ended).toMatchObject({ code: 125 });
  expect(program.stderr).toMatch(/bwrap is not installed.*--no-sandbox/s);
});

it('refuses to expose directories with sockets of other programs', async () => {
  const child = spawn(NODE, [join(process.cwd(), 'dist', MAIN), 'run', '--', 'true'], {
    cwd: '/tmp',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  await once(child, 'close');
  expect(stderr).toContain(bwrap === null ? 'bwrap is not installed' : 'contains /tmp');
});

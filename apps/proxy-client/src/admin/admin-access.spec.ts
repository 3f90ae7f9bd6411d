import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdminAccess, readOrCreateToken } from './admin-access.js';

const { RUNTIME_DIRECTORY, XDG_RUNTIME_DIR, TMPDIR } = process.env;
const LOG = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'admin-token-'));
  delete process.env['RUNTIME_DIRECTORY'];
  process.env['XDG_RUNTIME_DIR'] = directory;
});
afterEach(() => {
  rmSync(directory, { recursive: true });
  for (const [name, value] of Object.entries({ RUNTIME_DIRECTORY, XDG_RUNTIME_DIR, TMPDIR })) {
    if (value === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  }
});

describe('AdminAccess', () => {
  it.each([
    [['http'], true],
    [['socks5', 'mixed'], true],
    [['socks5', 'tunnel'], false],
  ])('serves /stats and /health with listeners of the modes %j: %s', (modes, hasMonitoring) => {
    const listeners = modes.map((mode) => ({ mode, host: '127.0.0.1', allowedHosts: [] }));
    expect(new AdminAccess(LOG).rulesOf({ listeners } as never)).toMatchObject({ hasMonitoring });
  });
});

describe('readOrCreateToken', () => {
  it('creates a file that only its user can read, and reads the token again after a restart', () => {
    const { token, file } = readOrCreateToken(9090);
    expect([file, readFileSync(file, 'utf8')]).toEqual([
      join(directory, 'proxy-client', 'admin-9090.token'),
      `${token}\n`,
    ]);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect([statSync(file).mode & 0o777, statSync(join(directory, 'proxy-client')).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
    expect(readOrCreateToken(9090)).toEqual({ token, file });
    expect(readOrCreateToken(9091).token).not.toBe(token);
  });

  it.each<[string, (file: string) => void]>([
    ['was deleted', rmSync],
    [
      'others could read',
      (file) => {
        chmodSync(file, 0o644);
      },
    ],
    [
      'contains something else',
      (file) => {
        writeFileSync(file, 'short\n');
      },
    ],
    [
      'is a directory',
      (file) => {
        rmSync(file);
        mkdirSync(file, { mode: 0o700 });
      },
    ],
  ])('replaces the token if its file %s', (_title, change) => {
    const { token, file } = readOrCreateToken(9090);
    change(file);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) {
      expect(() => readOrCreateToken(9090)).toThrow();
      return;
    }
    const next = readOrCreateToken(9090);
    expect(next.token).not.toBe(token);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([`${next.token}\n`, 0o600]);
  });

  it('follows no link, and uses no directory that is open to others', () => {
    mkdirSync(join(directory, 'proxy-client'), { mode: 0o700 });
    const foreign = join(directory, 'foreign');
    writeFileSync(foreign, `${'f'.repeat(43)}\n`, { mode: 0o600 });
    symlinkSync(foreign, join(directory, 'proxy-client', 'admin-1.token'));
    expect(readOrCreateToken(1).token).not.toBe('f'.repeat(43));
    expect(readFileSync(foreign, 'utf8')).toBe(`${'f'.repeat(43)}\n`);
    chmodSync(join(directory, 'proxy-client'), 0o777);
    expect(readOrCreateToken(1).file).toMatch(/\/proxy-client-\d+\/admin-1\.token$/);
  });

  it.each(['/nowhere', '/proc/1', '/dev/null'])(
    'uses the folder for temporary files if the session has %s',
    (session) => {
      process.env['XDG_RUNTIME_DIR'] = session;
      process.env['TMPDIR'] = directory;
      expect(readOrCreateToken(4).file).toMatch(/\/proxy-client-\d+\/admin-4\.token$/);
      expect(existsSync('/nowhere')).toBe(false);
    },
  );

  it('is in the directory of a service, or in an own one if there is no session', () => {
    delete process.env['XDG_RUNTIME_DIR'];
    process.env['TMPDIR'] = directory;
    expect(readOrCreateToken(2).file).toMatch(/\/proxy-client-\d+\/admin-2\.token$/);
    process.env['RUNTIME_DIRECTORY'] = `${directory}:/elsewhere`;
    expect(readOrCreateToken(3).file).toBe(join(directory, 'admin-3.token'));
    expect(existsSync('/elsewhere')).toBe(false);
  });
});

describe('the token of AdminAccess', () => {
  const configOf = (port: number) =>
    ({ admin: { port }, listeners: [{ host: '0.0.0.0', users: undefined, allowedHosts: [] }] }) as never;
  const start = (lines: object[] = [], configured = 9090) => {
    const config = configOf(configured);
    const listener = { bound: { address: '127.0.0.1', port: 9090 }, setAccess: () => undefined } as never;
    const access = new AdminAccess({ ...LOG, info: (fields) => void lines.push(fields) });
    const apply = () => {
      access.apply(listener, config);
      return access.generatedTokenOf(config);
    };
    return { apply, access };
  };

  it('is the same after a restart, and another one when the file was deleted before a reload', () => {
    const lines: { readonly file?: string }[] = [];
    const first = start(lines);
    const token = first.apply();
    expect([first.apply(), lines.length]).toEqual([token, 1]);
    expect(start().apply()).toBe(token);
    rmSync(String(lines[0]?.file));
    const next = first.apply();
    expect(next).not.toBe(token);
    expect([first.apply(), lines.length]).toEqual([next, 2]);
  });

  it('removes the file for a port that the system has chosen', () => {
    const files = ([port, lines]: [number, { readonly file?: string }[]]) => {
      const { apply, access } = start(lines, port);
      apply();
      const { file = '' } = lines[0] ?? {};
      const existed = existsSync(file);
      access.removeTemporaryFiles();
      return [existed, existsSync(file)];
    };
    expect(files([9090, []])).toEqual([true, true]);
    rmSync(readOrCreateToken(9090).file);
    expect(files([0, []])).toEqual([true, false]);
  });
});

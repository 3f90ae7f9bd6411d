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
import { AdminAccess, writeTokenFile } from './admin-access.js';

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

describe('writeTokenFile', () => {
  it('is readable by its user only, also in place of another file', () => {
    const file = writeTokenFile('first', 9090);
    chmodSync(file, 0o644);
    expect(writeTokenFile('second', 9090)).toBe(file);
    expect([file, readFileSync(file, 'utf8')]).toEqual([
      join(directory, 'proxy-client', 'admin-9090.token'),
      'second\n',
    ]);
    expect([statSync(file).mode & 0o777, statSync(join(directory, 'proxy-client')).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
  });

  it('follows no link, and uses no directory that is open to others', () => {
    mkdirSync(join(directory, 'proxy-client'), { mode: 0o700 });
    const foreign = join(directory, 'foreign');
    writeFileSync(foreign, 'untouched');
    symlinkSync(foreign, join(directory, 'proxy-client', 'admin-1.token'));
    writeTokenFile('token', 1);
    expect(readFileSync(foreign, 'utf8')).toBe('untouched');
    chmodSync(join(directory, 'proxy-client'), 0o777);
    expect(writeTokenFile('token', 1)).toMatch(/\/proxy-client-\d+\/admin-1\.token$/);
  });

  it.each(['/nowhere', '/proc/1', '/dev/null'])(
    'uses the folder for temporary files if the session has %s',
    (session) => {
      process.env['XDG_RUNTIME_DIR'] = session;
      expect(writeTokenFile('token', 4)).toMatch(/\/proxy-client-\d+\/admin-4\.token$/);
      expect(existsSync('/nowhere')).toBe(false);
    },
  );

  it('is in the directory of a service, or in an own one if there is no session', () => {
    delete process.env['XDG_RUNTIME_DIR'];
    process.env['TMPDIR'] = directory;
    expect(writeTokenFile('token', 2)).toMatch(/\/proxy-client-\d+\/admin-2\.token$/);
    process.env['RUNTIME_DIRECTORY'] = `${directory}:/elsewhere`;
    expect(writeTokenFile('token', 3)).toBe(join(directory, 'admin-3.token'));
    expect(existsSync('/elsewhere')).toBe(false);
  });

  it('generates another token for each program', () => {
    const config = { admin: undefined, listeners: [{ host: '0.0.0.0', users: undefined, allowedHosts: [] }] };
    const generate = () => new AdminAccess(LOG).generatedTokenOf(config as never);
    expect(generate()).toMatch(/^[\w-]{43}$/);
    expect(generate()).not.toBe(generate());
  });
});

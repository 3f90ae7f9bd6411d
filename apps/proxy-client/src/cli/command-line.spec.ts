import { parseCommandLine } from './command-line.js';

/** What the parser writes to standard error. */
let errors: string;
let write: typeof process.stderr.write;

beforeEach(() => {
  errors = '';
  write = process.stderr.write.bind(process.stderr);
  process.stderr.write = (text: string | Uint8Array) => {
    errors += String(text);
    return true;
  };
});

afterEach(() => {
  process.stderr.write = write;
});

/** The defaults of the commands that run a command. */
const SANDBOX = { mount: [], sandbox: true, unixSockets: true, userNamespaces: true };

describe('parseCommandLine', () => {
  it('returns the options of the proxy', () => {
    const argv = ['--mode', 'tunnel', '--listen', '5433', '--to', 'db:5432', '--via', 'work', '--watch'];
    expect(parseCommandLine(argv)).toEqual({ mode: 'tunnel', listen: '5433', to: 'db:5432', via: 'work', watch: true });
    expect(parseCommandLine([])).toEqual({});
  });

  it.each([
    [['--check'], { check: true }],
    [['--check', 'a.example:443'], { check: { host: 'a.example', port: 443 } }],
    [['--explain', '[::1]:22', '--user', 'ci'], { explain: { host: '::1', port: 22 }, user: 'ci' }],
  ])('parses the targets of %j', (argv, options) => {
    expect(parseCommandLine(argv)).toEqual(options);
  });

  it.each([
    [['allow', '*.example.com:443'], { name: 'allow', target: '*.example.com:443', for: '1h' }],
    [['allow', '--for', '30m', 'a.example:22'], { name: 'allow', target: 'a.example:22', for: '30m' }],
    [['learn', 'npm', 'ci'], { name: 'learn', command: ['npm', 'ci'], out: 'proxy-client.learned.yaml', ...SANDBOX }],
    [
      ['run', '--mount', '/a', '--mount', '/b:rw', '--', 'curl', '--proxy', 'x'],
      { name: 'run', command: ['curl', '--proxy', 'x'], ...SANDBOX, mount: ['/a', '/b:rw'] },
    ],
    [['run', '--no-sandbox', 'make'], { name: 'run', command: ['make'], ...SANDBOX, sandbox: false }],
    [
      ['run', '--no-unix-sockets', '--no-user-namespaces', 'make'],
      { name: 'run', command: ['make'], ...SANDBOX, unixSockets: false, userNamespaces: false },
    ],
    [['connect', 'a.example', '22'], { name: 'connect', host: 'a.example', port: 22 }],
    [
      ['connect', '--proxy', 'http://127.0.0.1:3128', '--listen', '5432', '::1', '5432'],
      { name: 'connect', host: '::1', port: 5432, proxy: 'http://127.0.0.1:3128', listen: 5432 },
    ],
  ])('parses the command %j', (argv, gate) => {
    expect(parseCommandLine(argv)).toEqual({ gate });
  });

  it('takes the configuration of a command from the command, not from the program that it runs', () => {
    const argv = ['run', '--config', 'gate.yaml', 'tool', '--config', 'tool.yaml', '--help'];
    expect(parseCommandLine(argv)).toMatchObject({
      config: 'gate.yaml',
      gate: { name: 'run', command: ['tool', '--config', 'tool.yaml', '--help'], mount: [], sandbox: true },
    });
  });

  it.each([
    [['--cofnig', 'x'], /unknown option '--cofnig'.*--config/],
    [['extra'], /too many arguments|unknown command/],
    [['--config', ''], /--config <file>.*must not be empty/],
    [['--mode', 'socks4'], /--mode <mode>.*invalid.*http, socks5, mixed, tunnel/],
    [['--mode'], /--mode <mode>.*argument missing/],
    [['--check', 'example.com'], /--check \[host:port\].*such as example\.com:443/],
    [['--check', 'example.com:0'], /--check/],
    [['--user', 'ci'], /--user <name>.*--explain/],
    [['allow'], /missing required argument/],
    [['allow', 'a.example'], /must be HOST:PORT/],
    [['allow', 'a.example:443', '--for', '25h'], /from 1s to 24h/],
    [['run'], /missing required argument/],
    [['connect', 'a.example', '0'], /a port from 1 to 65535/],
    [['connect', '--proxy', 'socks5://a:1', 'a.example', '22'], /http:\/\/host:port/],
  ])('refuses %j in one line that names the program', (argv, text) => {
    expect(parseCommandLine(argv)).toBe('invalid');
    expect(errors).toMatch(text);
    expect(errors).toMatch(/^proxy-client: [^\n]* See --help\.\n$/);
  });
});

import { once } from 'node:events';
import { mkdtempSync, openSync, closeSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgramLog, fileOutput, type ProgramLog } from '#logging';
import { exchange, lastAnswer } from '../../../../test/support/raw-http.js';
import { ConfigError } from '../config/config-faults.js';
import { loadConfig } from '../config/load-config.js';
import { ListenError } from '../listener/listen-error.js';
import { ProxyProgram } from './proxy-program.js';

let directory: string;
let descriptor: number;
let log: ProgramLog;
let program: ProxyProgram | undefined;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'proxy-program-'));
  descriptor = openSync(join(directory, 'log'), 'a');
  log = await createProgramLog('proxy-client', 'info', fileOutput(descriptor));
});

afterEach(async () => {
  await program?.close();
  program = undefined;
  closeSync(descriptor);
  rmSync(directory, { recursive: true });
});

/** Loads a configuration file; the admin listener, which needs the bundle, is off. */
function load(settings: object) {
  writeFileSync(join(directory, 'proxy-client.json'), JSON.stringify({ upstream: 'embedded', ...settings }));
  const options = { config: join(directory, 'proxy-client.json') };
  return loadConfig({ options, environment: { PROXY_ADMIN_PORT: 'off' }, directory }).config;
}

function start(settings: object): ProxyProgram {
  program = new ProxyProgram(load(settings), { logger: log.logger, log: log.destination });
  return program;
}

/** Returns the status of a response of the proxy itself; the code of the error if no connection is possible. */
async function statusOf(url: string): Promise<unknown> {
  try {
    return lastAnswer(await exchange(url, 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'))
      .status;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

/** Listens on a free port of the loopback. */
async function listening(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

async function freePort(): Promise<number> {
  const { server, port } = await listening();
  server.close();
  await once(server, 'close');
  return port;
}

describe('ProxyProgram', () => {
  it('serves at once, with another configuration after a reload, and not at all after its end', async () => {
    const firstHttp = await start({ listen: { port: 0 } }).listen();
    expect(firstHttp).toEqual({ proxy: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string });
    expect(await statusOf(firstHttp.proxy)).toBe(200);
    const second = await program!.reload(load({ listen: { port: await freePort() } }));
    expect([await statusOf(second.proxy), await statusOf(firstHttp.proxy)]).toEqual([200, 'ECONNREFUSED']);
    await program!.close();
    expect(await statusOf(second.proxy)).toBe('ECONNREFUSED');
  });

  it('closes the listeners that it has opened when it cannot open another one', async () => {
    const { server: occupied, port } = await listening();
    const free = await freePort();
    await expect(start({ listeners: [{ port: free }, { port }] }).listen()).rejects.toThrow(ListenError);
    expect(await statusOf(`http://127.0.0.1:${free}`)).toBe('ECONNREFUSED');
    occupied.close();
  });

  it('changes nothing when a reload fails: at a port in use, and at a request log that cannot be written', async () => {
    const { server: occupied, port } = await listening();
    const { proxy } = await start({ listen: { port: 0 } }).listen();
    const other = await freePort();
    await expect(program!.reload(load({ listeners: [{ port: other }, { port }] }))).rejects.toThrow(ListenError);
    const requests = join(directory, 'missing', 'requests.log');
    await expect(program!.reload(load({ listen: { port: other }, log: { requests } }))).rejects.toThrow(ConfigError);
    expect([await statusOf(proxy), await statusOf(`http://127.0.0.1:${other}`)]).toEqual([200, 'ECONNREFUSED']);
    occupied.close();
  });

  it('writes the request log, also what is in memory at its end, and into a new file after a rename', async () => {
    const requests = join(directory, 'requests.log');
    const { proxy } = await start({
      listen: { port: 0 },
      log: { requests },
      rules: [{ hosts: ['a.example'], to: 'reject' }],
    }).listen();
    const refused = 'GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n';
    await exchange(proxy, refused);
    program!.flushNow();
    expect(readFileSync(requests, 'utf8').trim().split('\n')).toHaveLength(1);
    rmSync(requests);
    await program!.reopenLogs();
    await exchange(proxy, refused);
    await program!.close();
    expect(readFileSync(requests, 'utf8').trim().split('\n')).toHaveLength(1);
  });

  it('lists the targets that its rules refused, for the report of `run`', async () => {
    const { proxy } = await start({ listen: { port: 0 }, default: 'reject' }).listen();
    await exchange(proxy, 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n');
    expect(program!.denials).toMatchObject([{ target: 'a.example:443', count: 1 }]);
    expect(program!.dashboardLink).toBeUndefined();
  });
});

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { until } from '../../../../../test/support/until.js';
import { HttpProxy } from '../../upstream/testing/chain-peers.js';
import { upstreamsOf } from '../../upstream/testing/upstreams-of.js';
import { HostNames } from '../rules/host-names.js';
import { HostList } from '../rules/host-list.js';
import type { FileSource } from '../rules/loaded-file.js';
import { HostLists } from './host-lists.js';
import { ListServer } from './testing/list-server.js';

let folder: string;
let server: ListServer;
let corp: HttpProxy;
let made: HostLists[];
let log: Record<string, unknown>[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lists-'));
  server = await ListServer.start();
  corp = await HttpProxy.start();
  made = [];
  log = [];
});

afterEach(async () => {
  for (const each of made) each.close();
  await server[Symbol.asyncDispose]();
  await corp[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const DAY = 86_400_000;

const copies = () => (existsSync(join(folder, 'copies')) ? readdirSync(join(folder, 'copies')) : []);

function listAt(source: FileSource): HostList {
  const name = 'url' in source ? source.url : source.file;
  return new HostList({ source, name, setBy: { source: 'proxy-client.yaml', key: 'rules[0].hosts' } });
}

const fromServer = (refresh = DAY, via = 'direct') => listAt({ url: server.url, refresh, via });

const rulesWith = (...lists: readonly HostList[]) => ({
  rules: [{ hosts: new HostNames([], lists), to: 'reject' }],
  upstreams: [],
});

function makeLists({ directory = join(folder, 'copies'), timeout = undefined as number | undefined } = {}): HostLists {
  const note = (fields: object, message: string): void => {
    log.push({ ...fields, message });
  };
  const logger = { debug: note, info: note, warn: note, error: note };
  const lists = new HostLists({ logger, copies: directory, timeout });
  made.push(lists);
  return lists;
}

const { upstreams } = upstreamsOf({
  upstreams: [{ name: 'corp', kind: 'http', host: '127.0.0.1', port: 1, plain: 'forward' }],
});
const find = (name: string | undefined) => upstreams.find(name);

/** Loads the lists as a start does. */
async function start(list: HostList, options: Parameters<typeof makeLists>[0] = {}): Promise<HostLists> {
  const lists = makeLists(options);
  await lists.load(rulesWith(list), find);
  lists.use(rulesWith(list), find);
  return lists;
}

describe('a list with a URL', () => {
  it('is loaded at the start and stored as a copy, with which the next start needs no server', async () => {
    const first = fromServer();
    await start(first);
    expect([first.has('ads.example'), server.requests.length]).toEqual([true, 1]);
    const second = fromServer();
    server.answer = (incoming) => incoming.socket.destroy();
    await start(second);
    expect(second.has('ads.example')).toBe(true);
    expect(second.checkedAt!.getTime()).toBeGreaterThanOrEqual(first.checkedAt!.getTime() - 1000);
    const [file = ''] = copies();
    expect(statSync(join(folder, 'copies', file)).mode & 0o777).toBe(0o600);
  });

  it('is requested again with its entity tag, and swapped as a whole when it has changed', async () => {
    const list = fromServer(20);
    await start(list);
    await until(() => server.requests.length >= 3);
    expect(new Set(server.requests.slice(1).map(({ condition }) => condition))).toEqual(new Set(['"1"']));
    server.body = gzipSync('tracker.example\n');
    server.etag = '"2"';
    await until(() => list.has('tracker.example'));
    expect(list.has('ads.example')).toBe(false);
    const again = fromServer();
    await makeLists().loadLocal(rulesWith(again));
    expect(again.has('tracker.example')).toBe(true);
  });

  it('is loaded once for all rules that refer to it', async () => {
    const [first, second] = [fromServer(20), fromServer(20)];
    const lists = makeLists();
    await lists.load(rulesWith(first, second), find);
    lists.use(rulesWith(first, second), find);
    expect([server.requests.length, second.has('ads.example'), second.content]).toEqual([1, true, first.content]);
    server.body = 'tracker.example\n';
    server.etag = '"2"';
    await until(() => first.has('tracker.example'));
    expect(second.content).toBe(first.content);
    server.answer = (_incoming, response) => response.writeHead(503).end();
    await until(() => second.lastError !== undefined);
    expect(second.failures).toBe(first.failures);
  });

  it('is requested with the time of its last change if it has no entity tag', async () => {
    const at = 'Sat, 28 Nov 2026 10:00:00 GMT';
    server.answer = (_incoming, response) => response.writeHead(200, { 'Last-Modified': at }).end('ads.example\n');
    await start(fromServer(20));
    await until(() => server.requests.length > 1);
    expect(server.requests[1]?.condition).toBe(at);
  });

  it.each<readonly [string, NonNullable<ListServer['answer']>, RegExp]>([
    ['an error', (_incoming, response) => response.writeHead(503).end(), /HTTP 503/],
    ['a login page', (_incoming, response) => response.end('<html>\n<form>\n'), /is an HTML page, not a list/],
    ['an empty file', (_incoming, response) => response.end(), /has no entries/],
    [
      'a cut transfer',
      (_incoming, response) => {
        response.writeHead(200, { 'Content-Length': 1000 }).write('other.example\n');
        setImmediate(() => response.destroy());
      },
      /the connection failed/,
    ],
    [
      'redirections without an end',
      (_incoming, response) => response.writeHead(302, { Location: '/x' }).end(),
      /more than 5/,
    ],
    [
      'a redirection to another scheme',
      (_incoming, response) => response.writeHead(302, { Location: 'ftp://a/' }).end(),
      /redirects to/,
    ],
    ['a closed connection', (incoming) => incoming.socket.destroy(), /the connection failed/],
  ])('keeps its content after %s, and reports it', async (_title, answer, reason) => {
    const list = fromServer(20);
    await start(list);
    const files = copies();
    server.answer = answer;
    await until(() => list.failures > 0);
    expect([list.has('ads.example'), list.has('other.example')]).toEqual([true, false]);
    expect(list.lastError?.message).toMatch(reason);
    expect(log.map(({ reason }) => String(reason)).join('\n')).toMatch(reason);
    expect(copies()).toEqual(files);
    server.answer = undefined;
    server.etag = '"3"';
    await until(() => list.lastError === undefined);
  });

  it.each<readonly [string, NonNullable<ListServer['answer']>]>([
    ['hangs', () => undefined],
    [
      'drips',
      (_incoming, response) => {
        const timer = setInterval(() => response.write('a'), 5);
        response.once('close', () => {
          clearInterval(timer);
        });
      },
    ],
  ])('is a fault at the start if its server %s and there is no copy', async (_title, answer) => {
    server.answer = answer;
    await expect(start(fromServer(), { timeout: 300 })).rejects.toThrow(
      `proxy-client.yaml: rules[0].hosts: ${server.url} cannot be loaded, and there is no copy of it: the server did not answer in time. To start without it, remove it from the configuration`,
    );
    expect(copies()).toEqual([]);
  });

  it('is a fault at the start if its server states that it has not changed and there is no copy: no name would be listed', async () => {
    server.answer = (_incoming, response) => response.writeHead(304).end();
    const list = fromServer();
    await expect(start(list)).rejects.toThrow('the server answered HTTP 304 to a request without a condition');
    expect([list.checkedAt, copies()]).toEqual([undefined, []]);
  });

  it('follows a redirection', async () => {
    server.answer = (incoming, response) => {
      if (incoming.url === '/new') response.end('moved.example\n');
      else response.writeHead(301, { Location: '/new' }).end();
    };
    const list = fromServer();
    await start(list);
    expect(list.has('moved.example')).toBe(true);
  });

  it('ends a transfer of more than 64 MiB', async () => {
    server.answer = (_incoming, response) => {
      const piece = Buffer.alloc(1_000_000, 'ads.example\n');
      const write = (): void => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    };
    await expect(start(fromServer())).rejects.toThrow('is larger than 64 MiB');
  });

  it('is loaded through an upstream', async () => {
    const through = upstreamsOf({
      upstreams: [{ name: 'corp', kind: 'http', host: '127.0.0.1', port: corp.port, plain: 'forward' }],
    }).upstreams;
    const list = fromServer(DAY, 'corp');
    await makeLists().load(rulesWith(list), (name) => through.find(name));
    expect([list.has('ads.example'), corp.requests]).toEqual([true, [`CONNECT 127.0.0.1:${server.port}`]]);
    const others = fromServer(DAY, undefined);
    corp.authorization = 'Basic x';
    await expect(
      makeLists({ directory: join(folder, 'none') }).load(rulesWith(others), () => through.find(undefined)),
    ).rejects.toThrow(/upstream_auth_required: The upstream server requires a user name and password/);
  });

  it('is used although no copy can be stored', async () => {
    writeFileSync(join(folder, 'file'), '');
    const list = fromServer();
    await start(list, { directory: join(folder, 'file', 'copies') });
    expect(list.has('ads.example')).toBe(true);
    expect(log.map(({ message }) => message)).toContain(
      'no copy of a list can be stored: the next start needs its server',
    );
  });

  it('is loaded again if its copy is damaged or of another list', async () => {
    await start(fromServer());
    const [file = ''] = copies();
    const path = join(folder, 'copies', file);
    const written = readFileSync(path, 'utf8');
    for (const damaged of [
      '',
      'x',
      '{}\nads.example',
      `${written.split('\n')[0]}\n`,
      `${JSON.stringify({ url: server.url })}\n<html>`,
    ]) {
      writeFileSync(path, damaged);
      const list = fromServer();
      await start(list);
      expect(list.has('ads.example')).toBe(true);
    }
    expect(server.requests).toHaveLength(6);
  });

  it('is not loaded again by a reload', async () => {
    const lists = await start(fromServer());
    const next = fromServer();
    await lists.load(rulesWith(next), find);
    expect([next.has('ads.example'), server.requests.length]).toEqual([true, 1]);
  });
});

describe('a list in a file', () => {
  it.each<readonly [string, (path: string) => void, RegExp]>([
    ['does not exist', () => undefined, /does not exist/],
    [
      'is another kind of text',
      (path) => {
        writeFileSync(path, '<a>\n');
      },
      /only 0 of 1 lines/,
    ],
  ])('is a fault at the start if it %s', async (_title, write, problem) => {
    const file = join(folder, 'ads.txt');
    write(file);
    await expect(start(listAt({ file, mark: '' }))).rejects.toThrow(problem);
  });

  it('is a fault if it is no file, which may never end', async () => {
    await expect(start(listAt({ file: '/dev/zero', mark: '' }))).rejects.toThrow('is not a file');
    await expect(start(listAt({ file: folder, mark: '' }))).rejects.toThrow('is not a file');
  });

  it('is read again by a reload if it was changed', async () => {
    const file = join(folder, 'ads.txt');
    writeFileSync(file, 'ads.example\n');
    const lists = await start(listAt({ file, mark: '1' }));
    writeFileSync(file, 'tracker.example\n');
    const [same, changed] = [listAt({ file, mark: '1' }), listAt({ file, mark: '2' })];
    await lists.load(rulesWith(same, changed), find);
    expect([same.has('ads.example'), changed.has('ads.example'), changed.has('tracker.example')]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

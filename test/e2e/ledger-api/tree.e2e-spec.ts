import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  isSignedByLog,
  leafHash,
  parseCheckpoint,
  parseEntryBundle,
  parseVerifierKey,
  rootOf,
  type Checkpoint,
} from '#tlog';
import { call, LedgerApi, type Answer } from '../../support/ledger-api.js';
import { ledgerTool } from '../../support/ledger-callers.js';
import { Program } from '../../support/program.js';
import { until } from '../../support/until.js';

const TREE = { LEDGER_TREE: 'on', LEDGER_TREE_ORIGIN: 'ledger.example.org/lisbon' };
const PREFIX = '/tree/mychannel';

/** The directories of the servers that run or have run here. */
let home: string;
let running: LedgerApi[] = [];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tree-'));
});
afterAll(async () => {
  await Promise.all(running.map((api) => api.program.end('SIGKILL')));
  await rm(home, { recursive: true });
});

async function start(name: string, env: Readonly<Record<string, string>> = {}): Promise<LedgerApi> {
  const api = await LedgerApi.start({ ...TREE, ...env }, join(home, name));
  running.push(api);
  return api;
}

async function kill(api: LedgerApi): Promise<void> {
  await api.program.end('SIGKILL');
  running = running.filter((each) => each !== api);
}

const get = (api: LedgerApi, path: string): Promise<Answer> => call(api.origin, 'GET', `${PREFIX}/${path}`);

/** Waits until a checkpoint covers that many blocks. */
async function signed(api: LedgerApi, size: number): Promise<Checkpoint> {
  let checkpoint: Checkpoint | undefined;
  await until(async () => {
    const { status, text } = await get(api, 'checkpoint');
    if (status === 200) checkpoint = parseCheckpoint(text);
    return checkpoint !== undefined && checkpoint.size >= size;
  });
  return checkpoint!;
}

async function leaves(api: LedgerApi, size: number): Promise<Uint8Array[]> {
  const bundle = await fetch(`${api.origin}${PREFIX}/tile/entries/000.p/${size}`);
  return parseEntryBundle(new Uint8Array(await bundle.arrayBuffer()))!.map(leafHash);
}

async function tool(name: string, ...args: readonly string[]): Promise<Program> {
  const main = 'apps/ledger-api/bundle/lib/ledger-tool.js';
  const program = new Program({ main, args: ['tree', ...args], env: { ...TREE, LEDGER_DATA_DIR: join(home, name) } });
  await program.ended;
  return program;
}

async function readiness(api: LedgerApi): Promise<object> {
  return (await call(api.origin, 'GET', '/readyz')).json as object;
}

describe('the tree of a ledger', () => {
  let api: LedgerApi;
  beforeAll(async () => {
    api = await start('main');
    for (const id of ['one', 'two', 'three']) await api.create(id);
  });

  it('is served as static files, which have the root of the signed checkpoint', async () => {
    const checkpoint = await signed(api, 4);
    const key = parseVerifierKey((await tool('main', 'key')).stdout.trim());
    expect(checkpoint.origin).toBe('ledger.example.org/mychannel/lisbon');
    expect(isSignedByLog(checkpoint, [key])).toBe(true);
    const hashes = await leaves(api, 4);
    expect(rootOf(hashes)).toEqual(Buffer.from(checkpoint.root));
    const tile = await fetch(`${api.origin}${PREFIX}/tile/0/000.p/4`);
    expect(Buffer.from(await tile.arrayBuffer())).toEqual(Buffer.concat(hashes));
    expect(tile.headers.get('content-type')).toBe('application/octet-stream');
    expect(tile.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const { headers } = await get(api, 'checkpoint');
    expect([headers['content-type'], headers['cache-control']]).toEqual(['text/plain; charset=utf-8', 'no-cache']);
  });

  it.each(['tile/0/000', 'tile/0/000.p/200', 'tile/1/000.p/1', 'tile/entries/001', 'tile/x/000', 'tile/0/..%2f000'])(
    'has no %s',
    async (path) => {
      const { status, headers } = await get(api, path);
      expect([status, headers['x-error-code'], headers['cache-control']]).toEqual([404, 'API.NOT_FOUND', undefined]);
    },
  );

  it('has no other channel', async () => {
    expect((await call(api.origin, 'GET', '/tree/other/checkpoint')).status).toBe(404);
  });

  it('proves each block under a signed checkpoint, a new one as soon as it is signed', async () => {
    await api.create('four');
    const { status, headers, text } = await api.api('GET', '/blocks/4/proof');
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    const [, index] = text.split('\n', 2);
    expect(index).toBe('index 4');
    expect(parseCheckpoint(text.slice(text.indexOf('\n\n') + 2)).size).toBeGreaterThanOrEqual(5);
    expect((await api.api('GET', '/channels/mychannel/blocks/0/proof')).status).toBe(200);
    expect((await api.api('GET', '/blocks/99/proof')).status).toBe(404);
    expect((await api.api('GET', '/blocks/x/proof')).status).toBe(400);
  });

  it('shows no two checkpoints that contradict each other over kills', async () => {
    const seen: Checkpoint[] = [];
    for (let round = 0; round < 2; round++) {
      const { size } = await signed(api, 1);
      const writes = [0, 1, 2].map((write) => api.create(`kill-${round}-${write}`));
      seen.push(await signed(api, size + 1));
      await Promise.allSettled(writes);
      await kill(api);
      // The tree is derived: one of the starts builds it again.
      if (round % 2 === 0) await rm(join(home, 'main/tree/mychannel/tree.db'));
      api = await start('main');
      seen.push(await signed(api, 1));
    }
    const hashes = await leaves(api, (await signed(api, seen.at(-1)!.size)).size);
    for (const { size, root } of seen) expect(Buffer.from(root)).toEqual(rootOf(hashes.slice(0, size)));
  });

  it('stops when a restored backup continues another way, until it is renewed', async () => {
    expect(await ledgerTool(api.dataDir, 'backup', join(home, 'backup'))).toMatchObject({ code: 0 });
    const { size } = await signed(api, 1);
    await api.create('original');
    const last = await signed(api, size + 1);
    await api.program.end();
    // The blocks of the backup come back, but what was signed is known.
    await rm(join(home, 'main/channels'), { recursive: true });
    await cp(join(home, 'backup/channels'), join(home, 'main/channels'), { recursive: true });
    api = await start('main');
    for (let write = 0; write < 3; write++) expect((await api.create(`other-${write}`)).status).toBe(201);
    await until(async () => 'trees' in (await readiness(api)));
    expect(await readiness(api)).toMatchObject({
      status: 'ready',
      trees: { mychannel: expect.stringMatching(/^forked: /) },
    });
    expect(await signed(api, last.size)).toMatchObject({ size: last.size });
    expect(await api.api('GET', '/blocks/1/proof')).toMatchObject({ status: 503 });
    await api.program.end();
    const renewed = await tool('main', 'renew');
    api = await start('main');
    const { origin } = await signed(api, last.size + 1);
    expect(origin).toBe('ledger.example.org/mychannel/lisbon.2');
    expect(renewed.stdout).toContain(`${origin}+`);
    expect(await readiness(api)).toEqual({ status: 'ready' });
  });

  it('is copied from another replica, and only as it is', async () => {
    const url = `${api.origin}${PREFIX}`;
    const key = (await tool('main', 'key')).stdout.trim();
    const copied = await tool('copy', 'import', url, '--log', key);
    expect(copied.stdout).toContain('entries imported');
    const other = (await tool('copy', 'renew')).stdout.trim();
    const refused = await tool('copy', 'import', url, '--log', other);
    expect([(await refused.ended).code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('not signed by that key'),
    ]);
  });
});

describe('access to a tree', () => {
  it('needs a key, unless it is open to readers without one', async () => {
    const closed = await start('closed', { LEDGER_AUTH: 'on' });
    expect((await get(closed, 'checkpoint')).status).toBe(401);
    expect((await closed.api('GET', '/blocks/0/proof')).status).toBe(401);
    await closed.program.end();
    const open = await start('closed', { LEDGER_AUTH: 'on', LEDGER_TREE_READERS: 'open' });
    expect((await signed(open, 1)).size).toBe(1);
    expect((await open.api('GET', '/blocks/0/proof')).status).toBe(200);
    expect((await open.api('GET', '/blocks/0')).status).toBe(401);
    await open.program.end();
  });
});

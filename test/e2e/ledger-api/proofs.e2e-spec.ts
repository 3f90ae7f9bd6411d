import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  generateKey,
  parseSignerKey,
  signCheckpoint,
  SignatureType,
  verifierKeyText,
  Witness,
  type SignerKey,
  type WitnessedLog,
} from '#tlog';
import { LedgerApi } from '../../support/ledger-api.js';
import { Program, type Ended } from '../../support/program.js';
import { until } from '../../support/until.js';

const ORIGIN = 'ledger.example.org/mychannel/lisbon';

/** A witness over HTTP, which begins to confirm when it knows the key of the log. */
class WitnessServer {
  readonly key: SignerKey;
  readonly state = new Map<string, WitnessedLog>();
  witness: Witness | undefined;
  url = '';
  readonly #server: Server;

  private constructor(name: string) {
    this.key = generateKey(`${name}.example.org`, SignatureType.COSIGNATURE);
    this.#server = createServer((request, response) => {
      void text(request).then((body) => {
        const { status, type, body: answer } = this.witness?.addCheckpoint(body) ?? { status: 503, type: '', body: '' };
        response.writeHead(status, { 'content-type': type }).end(answer);
      });
    });
  }

  static async start(name: string): Promise<WitnessServer> {
    const witness = new WitnessServer(name);
    witness.#server.listen(0, '127.0.0.1');
    await once(witness.#server, 'listening');
    witness.url = `http://127.0.0.1:${(witness.#server.address() as AddressInfo).port}`;
    return witness;
  }

  know(log: SignerKey): void {
    this.witness = new Witness(this.key, [log], this.state);
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** A directory of someone without the ledger. */
let files: string;
let witnesses: readonly WitnessServer[];
let api: LedgerApi;
let log: SignerKey;
let receipt: string;
let id: string;

const put = (name: string, content: string) => {
  writeFileSync(join(files, name), content);
  return join(files, name);
};
const policyOf = (threshold: string, log = '') =>
  [
    ...(log === '' ? [] : [`log ${log}`]),
    ...witnesses.map(({ key, url }, index) => `witness w${index} ${verifierKeyText(key)} ${url}`),
    `group all ${threshold} w0 w1 w2`,
    'quorum all\n',
  ].join('\n');

async function tool(...args: readonly string[]): Promise<Ended & Pick<Program, 'stderr' | 'stdout'>> {
  const program = new Program({ main: 'apps/ledger-api/bundle/lib/ledger-tool.js', args });
  const ended = await program.ended;
  return { ...ended, stdout: program.stdout, stderr: program.stderr };
}

beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'proofs-'));
  witnesses = await Promise.all(['a', 'b', 'c'].map((name) => WitnessServer.start(name)));
  api = await LedgerApi.start({
    LEDGER_TREE: 'on',
    LEDGER_TREE_ORIGIN: 'ledger.example.org/lisbon',
    LEDGER_WITNESS_POLICY: put('server.policy', policyOf('2')),
    LEDGER_WITNESS_INTERVAL_MS: '100',
  });
  log = parseSignerKey(readFileSync(join(api.dataDir, 'tree', 'keys'), 'utf8'));
  expect(log.name).toBe(ORIGIN);
  for (const witness of witnesses) witness.know(log);
  // One of three is down.
  witnesses[2]!.stop();
  put('policy', policyOf('2', verifierKeyText(log)));
  put('strict', policyOf('all', verifierKeyText(log)));
  id = String((await api.create('car-7')).headers['x-transaction-id']);
  const answer = await api.api('GET', `/transactions/${id}/receipt`);
  expect(answer.status).toBe(200);
  receipt = put('receipt.json', answer.text);
});

afterAll(async () => {
  await api.stop();
  for (const witness of witnesses) witness.stop();
  rmSync(files, { recursive: true });
});

describe('a receipt of a ledger with witnesses', () => {
  it('is confirmed while one of three is down, and verified by a policy alone', async () => {
    expect(JSON.parse(readFileSync(receipt, 'utf8'))).toMatchObject({ version: 2, transactionId: id });
    expect(readFileSync(receipt).length).toBeLessThan(8 * 1024);
    const { code, stdout } = await tool('verify-receipt', receipt, '--policy', join(files, 'policy'));
    expect([code, stdout]).toEqual([0, expect.stringContaining('if you trust the policy: transaction')]);
    expect(stdout).toContain('ok     WITNESSES: confirmed by "w0" at ');
    expect(stdout).toContain('-      CREATOR');
  });

  it('contains the block on request, whose orderers and signers are verified with roots', async () => {
    const path = `/transactions/${id}/receipt?block=true`;
    const complete = put('complete.json', (await api.api('GET', path)).text);
    const root = `Org1MSP=${join(api.dataDir, 'identities', 'ca.pem')}`;
    const { code, stdout } = await tool('verify-receipt', complete, '--policy', join(files, 'policy'), '--root', root);
    expect(code).toBe(0);
    for (const check of ['BLOCK', 'BLOCK_SIGNATURE', 'CREATOR', 'ENDORSEMENT'])
      expect(stdout).toContain(`ok     ${check}: `);
    const invalid = await api.api('GET', `/transactions/${id}/receipt?block=1`);
    expect([invalid.status, invalid.headers['x-error-code']]).toEqual([400, 'API.INVALID_REQUEST']);
  });

  it('ends the command with 4 when it is not witnessed yet, 1 when it was changed, and 2 without any trust', async () => {
    expect((await tool('verify-receipt', receipt, '--policy', join(files, 'strict'))).code).toBe(4);
    const changed = put('changed.json', readFileSync(receipt, 'utf8').replace('"position":0', '"position":1'));
    expect((await tool('verify-receipt', changed, '--policy', join(files, 'policy'))).code).toBe(1);
    expect((await tool('verify-receipt', receipt)).code).toBe(2);
    expect((await tool('verify-receipt', receipt, '--policy', put('bad', 'quorum none none'))).code).toBe(2);
  });
});

describe('the monitor', () => {
  const monitor = (...args: readonly string[]) => tool('monitor', `${api.origin}/tree/mychannel`, ...args);

  it('accepts a log that grows, and remembers it', async () => {
    const args = ['--policy', join(files, 'policy'), '--state', join(files, 'state')];
    expect((await monitor(...args)).code).toBe(0);
    const next = String((await api.create('car-8')).headers['x-transaction-id']);
    await api.api('GET', `/transactions/${next}/receipt`);
    const { code, stdout } = await monitor(...args);
    expect([code, stdout]).toEqual([0, expect.stringContaining(') continues ')]);
    expect((await monitor('--policy', join(files, 'strict'))).code).toBe(4);
    expect((await tool('monitor', witnesses[2]!.url, '--policy', join(files, 'policy'))).code).toBe(3);
  });

  it('finds a log that forgot what it had shown', async () => {
    const [, size = '', ...rest] = readFileSync(join(files, 'state'), 'utf8').split('\n');
    const root = Buffer.alloc(32, 7).toString('base64');
    const forged = put('forged', [ORIGIN, size, root, ...rest.slice(1)].join('\n'));
    const { code, stdout } = await monitor('--policy', join(files, 'policy'), '--state', forged);
    expect([code, stdout]).toEqual([1, expect.stringContaining('FORK')]);
  });

  it('defect: took a damaged tile for a fork', async () => {
    const checkpoint = await fetch(`${api.origin}/tree/mychannel/checkpoint`).then((answer) => answer.text());
    const damaging = createServer((request, response) => {
      if (request.url === '/checkpoint') response.end(checkpoint);
      else {
        void fetch(`${api.origin}/tree/mychannel${request.url ?? ''}`).then(async (answer) => {
          const tile = Buffer.from(await answer.arrayBuffer());
          tile[0]! ^= 1;
          response.end(tile);
        });
      }
    }).listen(0, '127.0.0.1');
    await once(damaging, 'listening');
    const url = `http://127.0.0.1:${(damaging.address() as AddressInfo).port}`;
    const last = checkpoint.split('\n').with(1, '1').with(2, Buffer.alloc(32, 7).toString('base64')).join('\n');
    const { code, stdout } = await tool('monitor', url, '--policy', join(files, 'policy'), '--state', put('one', last));
    expect([code, stdout]).toEqual([3, expect.stringContaining('its tiles are not those of its own checkpoint')]);
    expect(stdout).not.toContain('FORK');
    damaging.close();
    damaging.closeAllConnections();
  });

  it('defect: took an old copy of a log for a fork', async () => {
    const newer = readFileSync(join(files, 'state'), 'utf8').split('\n').with(1, '1000000').join('\n');
    const state = put('newer', newer);
    const { code, stdout } = await monitor('--policy', join(files, 'policy'), '--state', state);
    expect([code, stdout]).toEqual([3, expect.stringMatching(/UNAVAILABLE no log has the blocks of .*\(1000000\)/)]);
    expect(readFileSync(state, 'utf8')).toBe(newer);
  });

  it.each([
    ['an empty file', ''],
    ['text', 'checkpoint\n'],
    ['half a checkpoint', `${ORIGIN}\n12`],
  ])('refuses a state that is no checkpoint: %s', async (_what, content) => {
    const state = put('damaged', content);
    const { code, stdout, stderr } = await monitor('--policy', join(files, 'policy'), '--state', state);
    expect([code, stdout, stderr.trim().split('\n')]).toEqual([2, '', [expect.stringContaining(`--state ${state}: `)]]);
  });

  it('remembers no checkpoint that it could not compare with the last one', async () => {
    const checkpoint = await fetch(`${api.origin}/tree/mychannel/checkpoint`).then((answer) => answer.text());
    const hiding = createServer((request, response) => {
      if (request.url === '/checkpoint') response.end(checkpoint);
      else response.writeHead(500).end();
    }).listen(0, '127.0.0.1');
    await once(hiding, 'listening');
    const url = `http://127.0.0.1:${(hiding.address() as AddressInfo).port}`;
    const root = Buffer.alloc(32, 7).toString('base64');
    const last = checkpoint.split('\n').with(1, '1').with(2, root).join('\n');
    const state = put('last', last);
    expect((await tool('monitor', url, '--policy', join(files, 'policy'), '--state', state)).code).toBe(3);
    expect(readFileSync(state, 'utf8')).toBe(last);
    hiding.close();
    hiding.closeAllConnections();
  });
});

describe('the verification of a data directory with the checkpoint of the monitor', () => {
  const verify = (checkpoint: string, policy = join(files, 'policy')) =>
    tool('verify', '--data-dir', api.dataDir, '--policy', policy, '--checkpoint', checkpoint);

  it('accepts its blocks, and ends with 1 for other blocks or too few confirmations', async () => {
    const equal = await verify(join(files, 'state'));
    expect([equal.code, equal.stdout]).toEqual([
      0,
      expect.stringContaining(`are those that ${ORIGIN} signed and w0, w1`),
    ]);
    expect((await verify(join(files, 'state'), join(files, 'strict'))).code).toBe(1);
    const root = Buffer.alloc(32, 7);
    const own = put('own', `log ${verifierKeyText(log)}\nquorum none\n`);
    for (const [size, finding] of [
      [1, 'PIN: the chain: its first 1 blocks are not'],
      [1_000_000, 'PIN: the chain: it has '],
    ] as const) {
      const other = await verify(put('other', signCheckpoint(log, { size, root })), own);
      expect([other.code, other.stdout]).toEqual([1, expect.stringContaining(finding)]);
    }
    expect((await tool('verify', '--data-dir', api.dataDir, '--policy', own)).code).toBe(2);
  });
});

describe('a ledger whose witnesses have confirmed another history', () => {
  it('stops signing, reports it, and continues to serve', async () => {
    for (const { state } of witnesses) {
      const known = state.get(ORIGIN);
      if (known !== undefined) state.set(ORIGIN, { ...known, size: 1_000_000 });
    }
    await api.create('car-9');
    await until(async () => (await fetch(`${api.origin}/readyz`).then((answer) => answer.text())).includes('forked'));
    expect((await api.api('GET', '/assets/car-9')).status).toBe(200);
    expect((await api.create('car-10')).status).toBe(201);
  });
});

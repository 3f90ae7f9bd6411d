import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChaincodeFolder } from '../../support/chaincode-folders.js';
import { freePort } from '../../support/free-port.js';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { until } from '../../support/until.js';

const SERVER = join(process.cwd(), 'node_modules/.bin/fabric-chaincode-node');

describe('a chaincode that is served already', () => {
  let folder: ChaincodeFolder;
  let sockets: string;
  let chaincode: ChildProcess | undefined;
  let api: LedgerApi | undefined;
  beforeEach(() => {
    folder = ChaincodeFolder.node('assets-queries');
    sockets = mkdtempSync(join(tmpdir(), 'served-'));
  });
  afterEach(async () => {
    await api?.stop();
    if (chaincode?.kill() === true) await once(chaincode, 'exit');
    folder.remove();
    rmSync(sockets, { recursive: true });
  });

  /** Serves the chaincode in a process of its own, as for a debugger. */
  const serve = (address: string): void => {
    const args = [SERVER, 'server', '--chaincode-address', address, '--chaincode-id', 'assets:1'];
    chaincode = spawn(process.execPath, args, { cwd: folder.path, stdio: 'ignore' });
  };
  const start = async (source: string): Promise<void> => {
    const settings = { LEDGER_CHAINCODE_QUERIES: 'on', LEDGER_CHAINCODE_WATCH: 'on' };
    api = await LedgerApi.start({ LEDGER_CHAINCODES: `assets=${source}`, ...settings });
    await until(async () => (await call('evaluate', 'Count', '{"selector": {}}')).status === 200);
  };
  const call = (way: string, name: string, ...args: readonly string[]): Promise<Answer> =>
    api!.api('POST', `/contracts/assets/${way}`, { body: { function: name, arguments: args } });
  const putPrivate = (key: string, value: object): Promise<Answer> => {
    const transient = { value: Buffer.from(JSON.stringify(value)).toString('base64') };
    const body = { function: 'PutPrivate', arguments: ['secrets', key], transient };
    return api!.api('POST', '/contracts/assets/submit', { body });
  };
  const result = ({ json }: Answer): unknown => (json as { data: { result: unknown } }).data.result;
  const SORTED = '{"selector": {"docType": "asset"}, "sort": ["size"]}';
  const PRIVATE = '{"selector": {}, "sort": ["price"]}';

  it.each(['host and port', 'a Unix socket'])(
    'has the collections and indexes of its folder, whose chaincode.json has its address: %s',
    async (kind) => {
      const address = kind === 'host and port' ? `127.0.0.1:${await freePort()}` : `unix:${join(sockets, 'chaincode')}`;
      writeFileSync(folder.file('chaincode.json'), JSON.stringify({ address: `grpc://${address}` }));
      serve(address);
      await start(folder.path);
      for (const [key, size] of Object.entries({ a1: 7, a2: 3 })) {
        await call('submit', 'Put', key, JSON.stringify({ docType: 'asset', size }));
      }
      expect(result(await call('evaluate', 'QueryAssets', SORTED))).toEqual([
        ['a2', { docType: 'asset', size: 3 }],
        ['a1', { docType: 'asset', size: 7 }],
      ]);
      for (const [key, price] of Object.entries({ p1: 20, p2: 10 })) {
        expect(await putPrivate(key, { price })).toMatchObject({ status: 200 });
      }
      expect(result(await call('evaluate', 'QueryPrivate', 'secrets', PRIVATE))).toEqual([
        ['p2', { price: 10 }],
        ['p1', { price: 20 }],
      ]);
    },
  );

  it('has neither at an address alone', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    serve(address);
    await start(`grpc://${address}`);
    expect((await call('evaluate', 'QueryAssets', SORTED)).text).toContain('no_usable_index');
    expect((await putPrivate('p1', { price: 1 })).text).toMatch(/collection.*secrets.*could not be found/i);
  });
});

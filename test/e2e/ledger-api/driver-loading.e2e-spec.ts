import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const GATEWAY = pathToFileURL(join(process.cwd(), 'dist/test/ledgers.js')).href;

/** Runs a module that has `ledger` (the built front door) and `dataDir`, and returns the packages that it made Node load. */
async function packagesLoadedBy(code: string): Promise<readonly string[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'loading-'));
  const script = `
    import { createRequire } from 'node:module';
    const ledger = await import(${JSON.stringify(GATEWAY)});
    const dataDir = ${JSON.stringify(join(dataDir, 'ledger'))};
    {${code}}
    const files = Object.keys(createRequire(import.meta.url).cache);
    const names = files.map((file) => /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(file)?.[1]);
    console.log(JSON.stringify([...new Set(names)]));
  `;
  try {
    const file = join(dataDir, 'load.mjs');
    writeFileSync(file, script);
    const { stdout } = await promisify(execFile)(process.execPath, [file]);
    return JSON.parse(stdout) as string[];
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const SDKS = /^(@grpc\/|fabric-|@hyperledger\/|yaml$)/;

describe('what a driver loads', () => {
  it('is no gRPC and no SDK of Fabric for the embedded ledger, from its start to a write and a read', async () => {
    const names = await packagesLoadedBy(`
      const opened = await ledger.createEmbeddedLedger({ dataDir, channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' });
      const channel = opened;
      const { transactionId } = await channel.submit({ function: 'CreateAsset', arguments: ['a', 'b', 'c', 'd', 'e'] });
      ledger.describeTransaction(await channel.transactionById(transactionId));
      await opened.close();
    `);
    expect(names).toContain('@peculiar/x509');
    expect(names.filter((name) => SDKS.test(name))).toEqual([]);
  });

  it.each([
    ['createFabricGatewayLedger', '@hyperledger/fabric-gateway', 'fabric-network'],
    ['createFabricLedger', 'fabric-network', '@hyperledger/fabric-gateway'],
  ])('is for %s its own SDK and not the other', async (create, own, other) => {
    const names = await packagesLoadedBy(`
      const files = { connectionProfile: 'none', walletDir: 'none', identity: { certificate: 'none', privateKey: 'none' }, peers: [] };
      await ledger.${create}({ ...files, channel: 'c', chaincode: 'b', mspId: 'M' }).catch((error) => {
        if (error.code !== 'LEDGER.MISCONFIGURED') throw error;
      });
    `);
    expect(names).toContain(own);
    expect(names).not.toContain(other);
  });
});

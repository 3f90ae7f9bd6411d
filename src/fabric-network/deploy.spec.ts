import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commitChaincode, type NetworkContext } from './deploy.js';
import { recordsCollections } from './network-files.js';
import { chaincodesOf, layoutOf } from './network-plan.js';
import { examplePlan } from './testing/example-plan.js';

describe('the definition of a chaincode', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'fabric-deploy-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  /** Commits the chaincodes of a network, and returns the arguments of each call of `peer`. */
  async function committed(): Promise<readonly string[]> {
    const calls = join(directory, 'calls');
    const peer = join(directory, 'peer');
    writeFileSync(peer, `#!/bin/sh\necho "$@" >>${calls}\n`, { mode: 0o700 });
    const records = { name: 'records', version: '1.0', tls: false, probe: '' };
    const plan = examplePlan({ directory, records });
    const context: NetworkContext = {
      plan,
      layout: layoutOf(directory),
      release: {
        binaries: { peer, orderer: peer, configtxgen: peer, cryptogen: peer, osnadmin: peer },
        ...{ coreYaml: '', ordererYaml: '', ccaasBuilder: directory },
      },
      environment: { PATH: '/usr/bin:/bin' },
      signal: new AbortController().signal,
      progress: () => undefined,
    };
    for (const chaincode of chaincodesOf(plan)) await commitChaincode(context, chaincode, 'mychannel');
    return readFileSync(calls, 'utf8').trim().split('\n');
  }

  it('of records has the collection of documents in each approval and in its commit, and no other has', async () => {
    const calls = await committed();
    const file = join(directory, 'records', 'collections.json');
    expect(calls).toHaveLength(6);
    for (const call of calls) {
      expect(call.includes(`--collections-config ${file}`)).toBe(call.includes('--name records '));
    }
  });

  it('of records has a collection of both organizations, whose documents never expire', () => {
    expect(JSON.parse(recordsCollections())).toMatchObject([
      { name: 'documents', policy: "OR('Org1MSP.member', 'Org2MSP.member')", blockToLive: 0 },
    ]);
  });
});

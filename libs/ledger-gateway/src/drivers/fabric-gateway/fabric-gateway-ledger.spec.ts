import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ledger } from '../../ports/ledger.port.js';
import { FabricStandIn } from '../../testing/fabric-stand-in/fabric-stand-in.js';
import { createFabricGatewayLedger } from './create-fabric-gateway-ledger.js';

describe('the fabric-gateway driver', () => {
  let network: FabricStandIn;
  let ledger: Ledger;
  let directory: string;

  beforeEach(async () => {
    network = await FabricStandIn.start();
    directory = await mkdtemp(join(tmpdir(), 'identity-'));
    const certificate = join(directory, 'cert.pem');
    const privateKey = join(directory, 'key.pem');
    await writeFile(certificate, network.organisation.client.certificate);
    await writeFile(privateKey, network.organisation.client.privateKey);
    ledger = await createFabricGatewayLedger({
      channel: 'mychannel',
      chaincode: 'basic',
      mspId: 'Org1MSP',
      peers: network.peers.map(({ endpoint }) => ({ endpoint })),
      identity: { certificate, privateKey },
      limits: { evaluate: 5000, endorse: 5000, submit: 5000, commit: 5000 },
    });
  });

  afterEach(async () => {
    await ledger.close();
    network.stop();
    await rm(directory, { recursive: true });
  });

  it('writes and reads', async () => {
    const channel = ledger.channel();
    const written = await channel.submit({ function: 'CreateAsset', arguments: ['a', 'blue', '5', 'Tom', '100'] });
    expect(written.blockNumber).toBe(1);
    const read = await channel.evaluate({ function: 'ReadAsset', arguments: ['a'] });
    expect(Buffer.from(read).toString()).toBe(
      '{"ID":"a","appraisedValue":"100","color":"blue","owner":"Tom","size":"5"}',
    );
    expect((await channel.chainInfo()).height).toBe(2);
    const transaction = await channel.transactionById(written.transactionId);
    expect(transaction?.blockNumber).toBe(1);
  });
});

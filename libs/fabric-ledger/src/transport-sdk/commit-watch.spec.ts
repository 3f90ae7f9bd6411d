import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Gateway, type CommitListener, type X509Identity } from 'fabric-network';
import { networkOnStandIn } from '../testing/ledgers-on-stand-in.js';
import { stopListening } from './commit-watch.js';

describe('listening for a commit', () => {
  it('ends also when the stream of events has broken, and so does the session', async () => {
    const { directory, network: standIn, dispose } = await networkOnStandIn();
    const read = (name: string): object => JSON.parse(readFileSync(join(directory, name), 'utf8')) as object;
    const gateway = new Gateway();
    try {
      await gateway.connect(read('profile.json') as Record<string, unknown>, {
        identity: read('User1.id') as X509Identity,
        discovery: { enabled: true, asLocalhost: true },
      });
      const network = await gateway.getNetwork('mychannel');
      const broken = Promise.withResolvers<Error>();
      const listener: CommitListener = (error) => {
        if (error !== undefined) broken.resolve(error);
      };
      await network.addCommitListener(listener, network.getChannel().getEndorsers('Org1MSP'), 'f'.repeat(64));
      standIn.peers[0]!.stop();
      await broken.promise;
      expect(() => {
        network.removeCommitListener(listener);
      }).toThrow('eventListener not found');
      stopListening(network, listener);
    } finally {
      gateway.disconnect();
      await dispose();
    }
  });
});

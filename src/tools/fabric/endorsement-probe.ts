import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { credentials, Client } from '@grpc/grpc-js';
import { connect, hash, signers } from '@hyperledger/fabric-gateway';
import type { NetworkContext } from './deploy.js';
import { FabricNetworkError } from './fabric-network.error.js';
import { ADVERTISED_HOST, ORG1 } from './network-plan.js';
import { retry } from './run-command.js';

const READY_MS = 30_000;
const ATTEMPT_MS = 5000;

/**
 * Waits until the peers of both organizations endorse a call of the chaincode: discovery knows all peers then, the
 * chaincode responds, and a client's first transaction succeeds. Nothing is sent to the orderer.
 * @throws {@link FabricNetworkError} NOT_READY with the peers' last response
 */
export async function waitForEndorsement({ plan, layout, signal, progress }: NetworkContext): Promise<void> {
  const { chaincode, channel, ports } = plan;
  if (chaincode.probe === '') return;
  const roots = readFileSync(layout.tlsRoot(ORG1));
  const client = new Client(`${ADVERTISED_HOST}:${ports.peerOrg1}`, credentials.createSsl(roots), {
    'grpc.ssl_target_name_override': ORG1.peerHost,
  });
  const gateway = connect({
    client,
    hash: hash.sha256,
    identity: { mspId: ORG1.mspId, credentials: readFileSync(join(layout.pem, 'User1.cert.pem')) },
    signer: signers.newPrivateKeySigner(createPrivateKey(readFileSync(join(layout.pem, 'User1.key.pem')))),
    endorseOptions: () => ({ deadline: Date.now() + ATTEMPT_MS }),
  });
  try {
    const contract = gateway.getNetwork(channel).getContract(chaincode.name);
    const [name = '', ...args] = chaincode.probe.split(' ');
    await retry(
      () => contract.newProposal(name, { arguments: args }).endorse(),
      { timeoutMs: READY_MS, signal },
      (cause) =>
        new FabricNetworkError(
          'NOT_READY',
          `the peers do not endorse ${chaincode.probe} of ${chaincode.name} after ${READY_MS / 1000} s ` +
            `(${describe(cause)}): see ${layout.log('chaincode')}, or name a function that it has with --probe`,
          { cause },
        ),
    );
  } finally {
    gateway.close();
    client.close();
  }
  progress('both organisations endorse calls of the chaincode');
}

function describe(error: unknown): string {
  const { details = [], message } = error as Error & { details?: readonly { readonly message: string }[] };
  return details[0]?.message ?? message;
}

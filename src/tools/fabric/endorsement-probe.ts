import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { credentials, Client } from '@grpc/grpc-js';
import { connect, hash, signers } from '@hyperledger/fabric-gateway';
import { FabricNetworkError } from './fabric-network.error.js';
import type { NetworkLayout } from './network-layout.js';
import { ADVERTISED_HOST, ORG1, type NetworkPlan } from './network-plan.js';
import { waitUntil } from './run-command.js';

const READY_MS = 30_000;
const ATTEMPT_MS = 5000;

/** What is asked, and what ends the waiting. */
export interface ProbeOptions {
  readonly plan: NetworkPlan;
  readonly layout: NetworkLayout;
  readonly signal: AbortSignal;
}

/**
 * Waits until the peers of both organisations endorse a call of the chaincode: discovery knows all peers then, the
 * chaincode answers, and a client's first transaction succeeds. Nothing is sent to the orderer.
 * @throws {@link FabricNetworkError} FABRIC_NETWORK.NOT_READY with the peers' last answer
 */
export async function waitForEndorsement({ plan, layout, signal }: ProbeOptions): Promise<void> {
  const roots = readFileSync(layout.tlsRoot(ORG1));
  const client = new Client(`${ADVERTISED_HOST}:${plan.ports.peerOrg1}`, credentials.createSsl(roots), {
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
    const contract = gateway.getNetwork(plan.channel).getContract(plan.chaincode.name);
    const [name = '', ...args] = plan.chaincode.probe.split(' ');
    let last: unknown;
    const endorsed = await waitUntil(
      async () => {
        try {
          return await contract.newProposal(name, { arguments: args }).endorse();
        } catch (error) {
          last = error;
          return undefined;
        }
      },
      { timeoutMs: READY_MS, signal },
    );
    if (endorsed === undefined) throw notReady(plan, layout, last);
  } finally {
    gateway.close();
    client.close();
  }
}

function notReady({ chaincode }: NetworkPlan, layout: NetworkLayout, last: unknown): FabricNetworkError {
  return new FabricNetworkError(
    'FABRIC_NETWORK.NOT_READY',
    `the peers do not endorse ${chaincode.probe} of ${chaincode.name} after ${READY_MS / 1000} s ` +
      `(${describe(last)}): see ${layout.log('chaincode')}, or name a function that it has with --probe`,
    { cause: last },
  );
}

function describe(error: unknown): string {
  const { details = [], message } = error as Error & { details?: readonly { readonly message: string }[] };
  return details[0]?.message ?? message;
}

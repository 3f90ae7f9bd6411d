import { status, type UntypedServiceImplementation } from '@grpc/grpc-js';
import type { peer } from '@hyperledger/fabric-protos';
import { GrpcFailure, unaryMethod } from './stand-in-faults.js';
import type { PeerNode } from './stand-in-network.js';
import { ProposalRefusal } from './stand-in-proposal.js';

/** `protos.Endorser`, which fabric-network calls to evaluate and endorse. */
export function endorserService(node: PeerNode): UntypedServiceImplementation {
  return {
    processProposal: unaryMethod(node.faults, 'processProposal', async (signed: peer.SignedProposal) => {
      try {
        return await node.peer.processProposal(signed);
      } catch (error) {
        if (!(error instanceof ProposalRefusal)) throw error;
        throw new GrpcFailure({ code: status.UNKNOWN, message: error.message });
      }
    }),
  };
}

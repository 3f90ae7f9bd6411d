import { status, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { common, gateway, type peer } from '@hyperledger/fabric-protos';
import { encodePayload } from '#fabric-codec/encode';
import { GrpcFailure, unaryMethod } from './stand-in-faults.js';
import type { PeerNode } from './stand-in-network.js';
import { STAND_IN_MSP } from './stand-in-identities.js';
import { ProposalRefusal, readProposal, readTarget } from './stand-in-proposal.js';

type Failing = (message: string) => GrpcFailure;

/** `gateway.Gateway`, the service that fabric-gateway calls. */
export function gatewayService(node: PeerNode): UntypedServiceImplementation {
  const { faults } = node;
  return {
    evaluate: unaryMethod(faults, 'evaluate', (request: gateway.EvaluateRequest) => evaluate(node, request)),
    endorse: unaryMethod(faults, 'endorse', (request: gateway.EndorseRequest) => endorse(node, request)),
    submit: unaryMethod(faults, 'submit', (request: gateway.SubmitRequest) => submit(node, request)),
    commitStatus: unaryMethod(faults, 'commitStatus', (request: gateway.SignedCommitStatusRequest, ended) =>
      commitStatus(node, request, ended),
    ),
    chaincodeEvents: () => {
      // Neither contract sets events, so the stream stays open without a message, as a peer's does.
    },
  };
}

async function evaluate(node: PeerNode, request: gateway.EvaluateRequest): Promise<gateway.EvaluateResponse> {
  const { channel, chaincode, isKnown } = target(node, request.getProposedTransaction()!);
  if (!isKnown || isOfOthers(request.getTargetOrganizationsList())) {
    const message = `no peers available to evaluate chaincode ${chaincode} in channel ${channel}`;
    throw new GrpcFailure({ code: status.FAILED_PRECONDITION, message });
  }
  const refused: Failing = (message) =>
    failure(node, status.FAILED_PRECONDITION, 'evaluate call to endorser returned error', message);
  const response = await process(node, request.getProposedTransaction()!, {
    refused,
    ofPeer: (message) =>
      failure(node, status.ABORTED, 'failed to evaluate transaction, see attached details for more info', message),
    ofChaincode: (message) =>
      failure(node, status.UNKNOWN, `evaluate call to endorser returned error: ${message}`, message),
  });
  const evaluated = new gateway.EvaluateResponse();
  evaluated.setResult(response.getResponse());
  return evaluated;
}

async function endorse(node: PeerNode, request: gateway.EndorseRequest): Promise<gateway.EndorseResponse> {
  const signed = request.getProposedTransaction()!;
  if (!target(node, signed).isKnown) {
    const message =
      'no combination of peers can be derived which satisfy the endorsement policy: required chaincodes are missing';
    throw new GrpcFailure({ code: status.FAILED_PRECONDITION, message });
  }
  // Discovery has no plan without a definition: the client must name the endorsing organizations.
  if (
    readTarget(signed).chaincode !== node.network.chaincodeName &&
    request.getEndorsingOrganizationsList().length === 0
  ) {
    const message = 'failed to find any endorsing peers for org(s)';
    throw new GrpcFailure({ code: status.UNAVAILABLE, message });
  }
  if (isOfOthers(request.getEndorsingOrganizationsList())) {
    const message = 'failed to find any endorsing peers for org(s): Org9MSP';
    throw new GrpcFailure({ code: status.UNAVAILABLE, message });
  }
  const failed: Failing = (message) =>
    failure(node, status.ABORTED, 'failed to endorse transaction, see attached details for more info', message);
  const response = await process(node, signed, { refused: failed, ofPeer: failed, ofChaincode: failed });
  const { organisation } = node.network;
  const proposal = readProposal(signed, organisation);
  const endorsement = response.getEndorsement()!;
  const envelope = new common.Envelope();
  envelope.setPayload(
    encodePayload(proposal, response.getPayload_asU8(), [
      { endorser: endorsement.getEndorser_asU8(), signature: endorsement.getSignature_asU8() },
    ]),
  );
  const endorsed = new gateway.EndorseResponse();
  endorsed.setPreparedTransaction(envelope);
  return endorsed;
}

/** Whether a client asks for organizations without a peer here. */
function isOfOthers(organizations: readonly string[]): boolean {
  return organizations.some((mspId) => mspId !== STAND_IN_MSP);
}

/** The target of a proposal, and whether discovery knows peers with its chaincode. */
function target(
  { network }: PeerNode,
  signed: peer.SignedProposal,
): { readonly channel: string; readonly chaincode: string; readonly isKnown: boolean } {
  const { channel, chaincode } = readTarget(signed);
  return { channel, chaincode, isKnown: ['cscc', 'qscc', '_lifecycle', network.chaincodeName].includes(chaincode) };
}

async function submit(node: PeerNode, request: gateway.SubmitRequest): Promise<gateway.SubmitResponse> {
  const { orderer } = node.network;
  if (!orderer.isServing) {
    const reason =
      'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp: connect: connection refused"';
    throw new GrpcFailure({
      code: status.UNAVAILABLE,
      message: 'no orderers could successfully process transaction',
      details: [{ address: orderer.endpoint, message: reason }],
    });
  }
  const envelope = request.getPreparedTransaction()!.serializeBinary();
  const refusal = orderer.refusalOf(envelope);
  if (refusal !== undefined) {
    const message = `received unsuccessful response from orderer: status=BAD_REQUEST, info=${refusal}`;
    throw new GrpcFailure({ code: status.ABORTED, message });
  }
  orderer.order(envelope);
  return Promise.resolve(new gateway.SubmitResponse());
}

async function commitStatus(
  { network: { chains } }: PeerNode,
  signed: gateway.SignedCommitStatusRequest,
  ended: AbortSignal,
): Promise<gateway.CommitStatusResponse> {
  const request = gateway.CommitStatusRequest.deserializeBinary(signed.getRequest_asU8());
  const chain = chains.get(request.getChannelId())!;
  const transactionId = request.getTransactionId();
  let at = chain.recordedAt(transactionId);
  while (at === undefined && !ended.aborted) {
    await chain.grown;
    at = chain.recordedAt(transactionId);
  }
  const response = new gateway.CommitStatusResponse();
  response.setResult((at?.validationCode ?? 254) as peer.TxValidationCodeMap[keyof peer.TxValidationCodeMap]);
  response.setBlockNumber(at?.blockNumber ?? 0);
  return response;
}

interface Failings {
  /** The proposal was not executed. */
  readonly refused: Failing;
  /** The peer could not execute it. */
  readonly ofPeer: Failing;
  readonly ofChaincode: Failing;
}

async function process(
  node: PeerNode,
  signed: peer.SignedProposal,
  failings: Failings,
): Promise<peer.ProposalResponse> {
  let response: peer.ProposalResponse;
  try {
    response = await node.peer.processProposal(signed);
  } catch (error) {
    if (error instanceof ProposalRefusal) throw failings.refused(error.message);
    throw error;
  }
  const answer = response.getResponse()!;
  if (answer.getStatus() >= 200 && answer.getStatus() < 400) return response;
  if (response.getPayload_asU8().length === 0) throw failings.ofPeer(answer.getMessage());
  throw failings.ofChaincode(`chaincode response ${answer.getStatus()}, ${answer.getMessage()}`);
}

function failure(node: PeerNode, code: status, message: string, detail: string): GrpcFailure {
  return new GrpcFailure({ code, message, details: [{ address: node.endpoint, message: detail }] });
}

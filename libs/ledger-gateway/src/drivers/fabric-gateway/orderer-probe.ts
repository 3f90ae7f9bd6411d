import { Metadata, status, type CallOptions as GrpcCallOptions } from '@grpc/grpc-js';
import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import gateway from '@hyperledger/fabric-protos/lib/gateway/gateway_pb.js';
import { UnavailableError } from '../../errors/ledger.errors.js';
import type { PeerSession } from './peer-session.js';

/** The method by which the peer hands envelopes to the orderers (Fabric's gateway.proto). */
const SUBMIT = '/gateway.Gateway/Submit';

/** What the peer says when nobody took or refused the envelope; every other answer is an orderer's. */
const SILENCE: ReadonlySet<status> = new Set([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED]);

/**
 * Lets the peer hand the orderers something that every one of them refuses: an envelope of type CONFIG, which clients
 * may not send ("message is of type that cannot be processed directly"), without content or a signature. A refusal by
 * an orderer shows that one is there; nothing can come into the chain. The orderer writes a line into its log for it.
 * @throws {@link UnavailableError} when the peer found no orderer that answers
 */
export function probeOrderer(
  { client, endpoint }: PeerSession,
  channel: string,
  options: GrpcCallOptions,
): Promise<undefined> {
  const request = new gateway.SubmitRequest();
  request.setTransactionId('readiness');
  request.setChannelId(channel);
  request.setPreparedTransaction(refusedEnvelope(channel));
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  client.makeUnaryRequest(
    SUBMIT,
    (message: gateway.SubmitRequest) => Buffer.from(message.serializeBinary()),
    () => undefined,
    request,
    new Metadata(),
    options,
    (error) => {
      if (!SILENCE.has(error?.code ?? status.OK)) resolve(undefined);
      else
        reject(new UnavailableError(`No orderer answers the peer ${endpoint}: ${error?.details ?? ''}`, { endpoint }));
    },
  );
  return promise;
}

function refusedEnvelope(channel: string): common.Envelope {
  const channelHeader = new common.ChannelHeader();
  channelHeader.setType(common.HeaderType.CONFIG);
  channelHeader.setChannelId(channel);
  const header = new common.Header();
  header.setChannelHeader(channelHeader.serializeBinary());
  const payload = new common.Payload();
  payload.setHeader(header);
  const envelope = new common.Envelope();
  envelope.setPayload(payload.serializeBinary());
  // The peer asks for a signature and looks no further; this is nobody's.
  envelope.setSignature(Uint8Array.of(0));
  return envelope;
}

import { Metadata, status, type CallOptions as GrpcCallOptions, type Client, type ServiceError } from '@grpc/grpc-js';
import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import gateway from '@hyperledger/fabric-protos/lib/gateway/gateway_pb.js';
import { LedgerError } from '../../errors/ledger.errors.js';
import { decodeMessage, decoding } from '../../fabric-blocks/messages/decode-message.js';
import { ErrorDetail, RpcStatus } from '../../fabric-blocks/messages/fabric-messages.js';
import { peerFault } from '../../fabric-client/peer-texts.js';
import type { PeerSession } from './peer-pool.js';

/** The method by which the peer hands envelopes to the orderers (Fabric's gateway.proto). */
const SUBMIT = '/gateway.Gateway/Submit';

/** What the peer says when nobody took or refused the envelope; every other answer is an orderer's. */
const SILENCE: ReadonlySet<status> = new Set([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED]);

/**
 * Lets the peer hand the orderers something that every one of them refuses: an envelope of type CONFIG, which clients
 * may not send ("message is of type that cannot be processed directly"), without content or a signature. A refusal by
 * an orderer shows that one is there; nothing can come into the chain. The orderer writes a line into its log for it.
 * @throws `LEDGER.UNAVAILABLE` when the peer found no orderer that answers
 */
export async function probeOrderer(session: PeerSession, channel: string, options: GrpcCallOptions): Promise<void> {
  const error = await submitRefused(session.client, channel, options);
  if (error === null || isAnswered(error)) return;
  const { endpoint } = session;
  throw new LedgerError('LEDGER.UNAVAILABLE', `No orderer answers the peer ${endpoint}: ${error.details}`, {
    endpoint,
    cause: error,
  });
}

function submitRefused(client: Client, channel: string, options: GrpcCallOptions): Promise<ServiceError | null> {
  const request = new gateway.SubmitRequest();
  request.setTransactionId('readiness');
  request.setChannelId(channel);
  request.setPreparedTransaction(refusedEnvelope(channel));
  const { promise, resolve } = Promise.withResolvers<ServiceError | null>();
  client.makeUnaryRequest(
    SUBMIT,
    (message: gateway.SubmitRequest) => Buffer.from(message.serializeBinary()),
    () => undefined,
    request,
    new Metadata(),
    options,
    resolve,
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

/** On a BFT channel the peer calls several refusals a lack of orderers too; its details tell what each of them said. */
function isAnswered(error: ServiceError): boolean {
  return !SILENCE.has(error.code) || orderersSayings(error).some((text) => peerFault(text) !== 'not-reached');
}

function orderersSayings({ metadata }: ServiceError): readonly string[] {
  const [bytes] = metadata.get('grpc-status-details-bin');
  if (!Buffer.isBuffer(bytes)) return [];
  return decoding('error of a peer', () =>
    decodeMessage(RpcStatus, bytes).details.map(({ value }) => decodeMessage(ErrorDetail, value).message),
  );
}

/** For how long a transaction that an orderer took shows that there is one. */
const HOLDS_MS = 30_000;

/**
 * What is known of the orderers, which only the peer can reach. Asking costs them a line in their logs, so they are not
 * asked while transactions are taken, and not more often than twice a minute while nothing is written; after a
 * transaction that none took they are asked each time until one answers.
 */
export class OrdererWatch {
  #isKnownUntil = 0;

  /** An orderer took something, or answered. */
  answered(): void {
    this.#isKnownUntil = Date.now() + HOLDS_MS;
  }

  /** A transaction was not taken, or it is not known whether it was. */
  failed(): void {
    this.#isKnownUntil = 0;
  }

  /** Asks when nothing recent is known. */
  async require(ask: () => Promise<unknown>): Promise<void> {
    if (Date.now() < this.#isKnownUntil) return;
    await ask();
    this.answered();
  }
}

import { Metadata, status, type CallOptions as GrpcCallOptions, type Client, type ServiceError } from '@grpc/grpc-js';
import { LedgerError } from '../../errors/ledger.errors.js';
import { bytesField, integerField, join, messageField, stringField } from '../../fabric-blocks/encode/proto-fields.js';
import { encodeEnvelope } from '../../fabric-blocks/encode/transaction-encoder.js';
import { decodeMessage, decoding } from '../../fabric-blocks/messages/decode-message.js';
import { ErrorDetail, HeaderType, RpcStatus } from '../../fabric-blocks/messages/fabric-messages.js';
import { peerFault } from '../../fabric-client/call-errors.js';
import type { PeerSession } from './peer-pool.js';

/** The method that forwards an envelope to the orderers (Fabric's gateway.proto). */
const SUBMIT = '/gateway.Gateway/Submit';

/** The peer's codes when no orderer accepted or refused the envelope; all others mean that one responded. */
const NO_RESPONSE: ReadonlySet<status> = new Set([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED]);

/** How long a transaction that was accepted proves that an orderer is available. */
const CACHE_MS = 30_000;

/**
 * Checks that an orderer is reachable, by submitting an envelope that every orderer refuses: of type CONFIG, which clients
 * may not send ("message is of type that cannot be processed directly"), without content or signature. Nothing can be
 * committed by it. Each probe adds a line to the orderers' logs, so there is none while transactions are accepted, and at
 * most two a minute while nothing is written. After a failed transaction every check probes until one succeeds.
 */
export class OrdererProbe {
  /** By the names of the channels, which may have different orderers. */
  readonly #availableUntil = new Map<string, number>();

  /** Records that an orderer of a channel accepted a transaction or responded. */
  answered(channel: string): void {
    this.#availableUntil.set(channel, Date.now() + CACHE_MS);
  }

  /** Records that a transaction was not accepted, or may not have been. */
  failed(channel: string): void {
    this.#availableUntil.delete(channel);
  }

  /**
   * Probes unless an orderer was available recently.
   * @throws `LEDGER.UNAVAILABLE` when no orderer responds to the peer
   */
  async require({ client, endpoint }: PeerSession, channel: string, options: GrpcCallOptions): Promise<void> {
    if (Date.now() < (this.#availableUntil.get(channel) ?? 0)) return;
    const cause = await submitRefused(client, channel, options);
    if (cause !== null && !hasResponded(cause)) {
      const text = `No orderer responds to the peer ${endpoint}: ${cause.details}`;
      throw new LedgerError('LEDGER.UNAVAILABLE', text, { endpoint, cause });
    }
    this.answered(channel);
  }
}

function submitRefused(client: Client, channel: string, options: GrpcCallOptions): Promise<ServiceError | null> {
  const channelHeader = join([integerField(1, HeaderType.CONFIG), stringField(4, channel)]);
  const payload = messageField(1, bytesField(1, channelHeader));
  // The peer requires a signature but does not verify it.
  const envelope = encodeEnvelope(payload, Uint8Array.of(0));
  const request = join([stringField(1, 'readiness'), stringField(2, channel), bytesField(3, envelope)]);
  const { promise, resolve } = Promise.withResolvers<ServiceError | null>();
  client.makeUnaryRequest(
    SUBMIT,
    (bytes: Buffer) => bytes,
    () => undefined,
    request,
    new Metadata(),
    options,
    resolve,
  );
  return promise;
}

/** On a BFT channel the peer reports several refusals as missing orderers; the details contain each orderer's response. */
function hasResponded(error: ServiceError): boolean {
  return !NO_RESPONSE.has(error.code) || ordererMessages(error).some((text) => peerFault(text) !== 'not-reached');
}

function ordererMessages({ metadata }: ServiceError): readonly string[] {
  const [bytes] = metadata.get('grpc-status-details-bin');
  if (!Buffer.isBuffer(bytes)) return [];
  return decoding('error of a peer', () =>
    decodeMessage(RpcStatus, bytes).details.map(({ value }) => decodeMessage(ErrorDetail, value).message),
  );
}

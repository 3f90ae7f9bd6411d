import { Metadata, status, type CallOptions as GrpcCallOptions, type Client, type ServiceError } from '@grpc/grpc-js';
import { encodeEnvelope } from '#fabric-codec/encode';
import { bytesField, decodeMessage, decoding, ErrorDetail, join, RpcStatus, stringField } from '#fabric-codec/messages';
import { LedgerError } from '#ledger-gateway';
import { peerFault } from '../driver/call-errors.js';
import { ORDERER_CACHE_MS, REFUSED_SIGNATURE, refusedPayload } from '../driver/refused-envelope.js';
import type { PeerSession } from './peer-pool.js';

/** The method that forwards an envelope to the orderers (Fabric's gateway.proto). */
const SUBMIT = '/gateway.Gateway/Submit';

/** The peer's codes when no orderer accepted or refused the envelope; all others mean that one responded. */
const NO_RESPONSE: ReadonlySet<status> = new Set([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED]);

/**
 * Checks that an orderer serves a channel, by submitting an envelope that every orderer refuses. There is no probe while
 * transactions are accepted, and there are at most two a minute while nothing is written. After a failed transaction every
 * check probes until one succeeds.
 */
export class OrdererProbe {
  /** By the names of the channels, which may have different orderers. */
  readonly #availableUntil = new Map<string, number>();

  /** Records that an orderer of a channel accepted a transaction or responded. */
  answered(channel: string): void {
    this.#availableUntil.set(channel, Date.now() + ORDERER_CACHE_MS);
  }

  /** Records that a transaction was not accepted, or may not have been. */
  failed(channel: string): void {
    this.#availableUntil.delete(channel);
  }

  /**
   * Probes unless an orderer was available recently.
   * @throws `LEDGER.UNAVAILABLE` when no orderer responds to the peer, or none serves the channel
   */
  async require({ client, endpoint }: PeerSession, channel: string, options: GrpcCallOptions): Promise<void> {
    if (Date.now() < (this.#availableUntil.get(channel) ?? 0)) return;
    const cause = await submitRefused(client, channel, options);
    if (cause !== null) {
      const isUnserved = peerFault(cause.details) === 'channel-unserved';
      if (isUnserved || !hasResponded(cause)) {
        const what = isUnserved ? `No orderer serves the channel ${channel}` : 'No orderer responds';
        const text = `${what}, as the peer ${endpoint} reports: ${cause.details}`;
        throw new LedgerError('LEDGER.UNAVAILABLE', text, { endpoint, cause });
      }
    }
    this.answered(channel);
  }
}

function submitRefused(client: Client, channel: string, options: GrpcCallOptions): Promise<ServiceError | null> {
  const envelope = encodeEnvelope(refusedPayload(channel), REFUSED_SIGNATURE);
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

import { ChannelQueryResponse, decodeMessage, decoding } from '#fabric-codec/messages';
import { LedgerError } from '#ledger-gateway';
import { isFault } from './call-errors.js';
import type { FabricTransport } from './fabric-transport.js';

/** A channel other than the default one, which the peers need not have joined. */
export class ChannelMembership {
  readonly #channel: string;
  readonly #defaultChannel: string;
  readonly #transport: Pick<FabricTransport, 'evaluate'>;

  constructor(channel: string, defaultChannel: string, transport: Pick<FabricTransport, 'evaluate'>) {
    this.#channel = channel;
    this.#defaultChannel = defaultChannel;
    this.#transport = transport;
  }

  /**
   * Returns the error for a failed call.
   * @returns `LEDGER.CHANNEL_UNKNOWN` if the peer has not joined the channel, else the error as it is
   */
  async explain(error: unknown): Promise<unknown> {
    const isUnknown = isFault(error, 'channel-unknown') || (isAmbiguous(error) && (await this.#isJoined()) === false);
    if (!isUnknown) return error;
    const text = `No peer of this API has joined the channel ${this.#channel}.`;
    return new LedgerError('LEDGER.CHANNEL_UNKNOWN', text, { cause: error });
  }

  /** Queries the channels of a peer, through the default one. @returns undefined if it does not answer */
  async #isJoined(): Promise<boolean | undefined> {
    const call = { channel: this.#defaultChannel, chaincode: 'cscc', function: 'GetChannels', arguments: [] };
    try {
      const bytes = await this.#transport.evaluate(call);
      const { channels } = decoding('list of channels', () => decodeMessage(ChannelQueryResponse, bytes));
      return channels.some(({ channelId }) => channelId === this.#channel);
    } catch {
      return undefined;
    }
  }
}

/** Discovery denies access to a channel that it does not know, and finds no peers that endorse on it. */
function isAmbiguous(error: unknown): boolean {
  return isFault(error, 'access-denied') || isFault(error, 'endorsers-missing');
}

import { decodeBlock } from '#fabric-codec';
import { decodeMessage, decoding, MetadataIndex, OrdererBlockMetadata, SignedMetadata } from '#fabric-codec/messages';
import { ChannelTrust } from '#fabric-codec/verify';
import { LedgerError } from '#ledger-gateway';
import type { ChainReader } from './chain-reader.js';

/**
 * Returns the certificates of an organization's authorities in PEM, from the newest configuration of a channel.
 * @returns undefined when no organization of the channel has that MSP id
 * @throws `LEDGER.NOT_SUPPORTED` when the block with the configuration is unavailable
 */
export async function authoritiesOf(chain: ChainReader, mspId: string): Promise<string | undefined> {
  return (await newestConfiguration(chain)).authorities(mspId)?.map(String).join('');
}

/**
 * Reads the newest configuration of a channel.
 * @throws `LEDGER.NOT_SUPPORTED` when the block with the configuration is unavailable
 */
export async function newestConfiguration(chain: ChainReader): Promise<ChannelTrust> {
  const newest = await chain.block((await chain.height()) - 1);
  const block = newest && (await chain.block(lastConfiguration(newest.bytes)));
  if (block === undefined) {
    const text =
      "the peer does not have the block with the channel's configuration, because it was started from a snapshot";
    throw new LedgerError('LEDGER.NOT_SUPPORTED', text);
  }
  const [configuration = new Uint8Array()] = decodeBlock(block.bytes).envelopes;
  return ChannelTrust.fromEnvelope(configuration);
}

/** Returns the number of the last configuration block, which orderers sign with each block. */
function lastConfiguration(bytes: Uint8Array): number {
  const signatures = decodeBlock(bytes).metadata[MetadataIndex.SIGNATURES] ?? new Uint8Array();
  return decoding('metadata of a block', () => {
    const { value } = decodeMessage(SignedMetadata, signatures);
    return decodeMessage(OrdererBlockMetadata, value).lastConfig?.index ?? 0;
  });
}

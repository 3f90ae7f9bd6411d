import { bytesField, HeaderType, integerField, join, messageField, stringField } from '#fabric-codec/messages';

/** How long a response of an orderer proves that it is available: each probe adds a line to the orderers' logs. */
export const ORDERER_CACHE_MS = 30_000;

/** The signature of a {@link refusedPayload}: peers require one, and verify none. */
export const REFUSED_SIGNATURE = Uint8Array.of(0);

/**
 * Returns the payload of an envelope that every orderer refuses, which shows whether orderers serve a channel: of type CONFIG,
 * which clients may not send ("message is of type that cannot be processed directly"), and without content. Nothing can be
 * committed by it.
 */
export function refusedPayload(channel: string): Uint8Array {
  const channelHeader = join([integerField(1, HeaderType.CONFIG), stringField(4, channel)]);
  return messageField(1, bytesField(1, channelHeader));
}

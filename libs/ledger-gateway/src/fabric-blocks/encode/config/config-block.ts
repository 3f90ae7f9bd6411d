import { Buffer } from 'node:buffer';
import { draftBlock, encodeFirstBlock, type BlockDraft } from '../block-encoder.js';
import { transactionIdOf } from '../hashes.js';
import { bytesField, integerField, join, messageField, stringField } from '../proto-fields.js';
import { encodeEnvelope, timestampField } from '../transaction-encoder.js';
import { channelGroup, type ChannelDefinition } from './channel-config.js';
import { groupFields } from './config-group.js';

/** What makes one first block differ from another of the same channel. */
export interface FirstBlockInput {
  readonly definition: ChannelDefinition;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  /** 24 random bytes. */
  readonly nonce: Uint8Array;
}

/** Block 0 and its hashes. */
export interface FirstBlock {
  readonly draft: BlockDraft;
  /** Message `common.Block`. */
  readonly bytes: Buffer;
}

const HEADER_TYPE_CONFIG = 1;
const NO_CREATOR = Buffer.alloc(0);

/** Makes block 0: the channel's configuration in an envelope that nobody signs, as Fabric's configtxgen makes it. */
export function encodeConfigBlock({ definition, timestamp, nonce }: FirstBlockInput): FirstBlock {
  const channelHeader = [
    integerField(1, HEADER_TYPE_CONFIG),
    integerField(2, 1),
    timestampField(3, timestamp),
    stringField(4, definition.channel),
    stringField(5, transactionIdOf(nonce, NO_CREATOR)),
  ];
  const header = messageField(1, messageField(1, ...channelHeader), messageField(2, bytesField(2, nonce)));
  // ConfigEnvelope { config: Config { channel_group } }
  const config = messageField(1, messageField(2, ...groupFields(channelGroup(definition))));
  const envelope = encodeEnvelope(join([header, messageField(2, config)]), Buffer.alloc(0));
  const draft = draftBlock(0, Buffer.alloc(0), [envelope]);
  return { draft, bytes: encodeFirstBlock(draft) };
}

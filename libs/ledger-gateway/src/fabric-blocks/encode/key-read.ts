import { type Buffer } from 'node:buffer';
import { integerField, messageField, stringField } from './proto-fields.js';

/** Where a value was written: which block, and which transaction in it (from 0). */
export interface Version {
  readonly blockNumber: number;
  readonly transactionNumber: number;
}

/** A key that was read, with the version found; undefined when there was no such key. */
export interface KeyRead {
  readonly key: string;
  readonly version: Version | undefined;
}

/** Message `kvrwset.KVRead` as a field of another message. */
export function keyReadField(number: number, { key, version }: KeyRead): Buffer {
  if (version === undefined) return messageField(number, stringField(1, key));
  const { blockNumber, transactionNumber } = version;
  return messageField(
    number,
    stringField(1, key),
    messageField(2, integerField(1, blockNumber), integerField(2, transactionNumber)),
  );
}

import { DamagedError } from '../../errors/ledger.errors.js';

/**
 * Runs a decoder of protobuf messages, whose own errors say nothing about what was read.
 * @throws {@link DamagedError} naming the message that the bytes are not
 */
export function decoding<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw new DamagedError(`The bytes are not a ${what} of Hyperledger Fabric.`, { cause: error });
  }
}

/** What a decoder gives, or undefined where it throws: a verifier reports what it cannot read. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

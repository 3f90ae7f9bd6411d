import protobuf from 'google-protobuf';
import { LedgerError } from '../../errors/ledger.errors.js';

/** A generated message class. */
export interface MessageType<T> {
  new (): T;
  deserializeBinaryFromReader(message: T, reader: protobuf.BinaryReader): T;
}

const LENGTH_DELIMITED = 2;
const START_GROUP = 3;
const END_GROUP = 4;

/**
 * Decodes a message as its own `deserializeBinary` does, but safely: that one reads beyond the end of the bytes where a
 * length says so, up to 4 GiB of nothing, and so takes a minute for 90 bytes that any member of a channel may send.
 * @throws an error of the library when the bytes are not such a message
 */
export function readMessage<T>(type: MessageType<T>, bytes: Uint8Array): T {
  return type.deserializeBinaryFromReader(new type(), new GuardedReader(bytes));
}

/** Refuses fields that do not end within the bytes, and groups, of which Fabric has none. */
class GuardedReader extends protobuf.BinaryReader {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.#bytes = bytes;
  }

  override nextField(): boolean {
    if (!super.nextField()) return false;
    const wireType: number = this.getWireType();
    if (wireType === START_GROUP || wireType === END_GROUP) throw new RangeError('a group');
    if (wireType === LENGTH_DELIMITED && this.#contentEnd() > this.#bytes.length) {
      throw new RangeError('a field that is cut off');
    }
    return true;
  }

  #contentEnd(): number {
    let offset = this.getCursor();
    let length = 0;
    let factor = 1;
    let byte: number;
    do {
      byte = this.#bytes[offset++] ?? 0;
      length += (byte & 0x7f) * factor;
      factor *= 0x80;
    } while (byte >= 0x80);
    return offset + length;
  }
}

/**
 * Runs a decoder of protobuf messages, whose own errors say nothing about what was read.
 * @throws `LEDGER.DAMAGED` naming the message that the bytes are not
 */
export function decoding<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw new LedgerError('LEDGER.DAMAGED', `The bytes are not a ${what} of Hyperledger Fabric.`, { cause: error });
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

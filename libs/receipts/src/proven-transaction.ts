import { decodeCall, decodeEnvelope, encodedText } from '#fabric-codec';
import { placeFields, type Receipt, type RecordedPlace } from './receipt.js';
import type { TrustedRoots } from './trusted-roots.js';

type TextEncoding = ReturnType<typeof encodedText>['encoding'];

/** The proven facts of a transaction. */
export interface ProvenTransaction extends RecordedPlace {
  /** Common name of the submitter; empty when the transaction is not signed, or the peers refused its content. */
  readonly creator: string;
  /** By the submitter's clock, ISO 8601. */
  readonly timestamp: string;
  /** Empty for a transaction that is not a call of a chaincode. */
  readonly chaincode: string;
  readonly function: string;
  readonly functionEncoding: TextEncoding;
  /** Text where the bytes are UTF-8, otherwise base64; see `argumentEncodings`. */
  readonly arguments: readonly string[];
  readonly argumentEncodings: readonly TextEncoding[];
}

const NOTHING = new Uint8Array();

/** Returns the facts that a receipt proves. */
export function provenTransaction(receipt: Receipt, envelope: Uint8Array, roots: TrustedRoots): ProvenTransaction {
  const decoded = decodeEnvelope(envelope);
  const { answeredBy, arguments: called } = decodeCall(decoded);
  const [name = encodedText(NOTHING), ...args] = called.map(encodedText);
  const { idBytes } = decoded.creator;
  return {
    ...placeFields(receipt),
    creator: idBytes.length === 0 ? '' : roots.nameOf(idBytes),
    timestamp: decoded.timestamp,
    chaincode: answeredBy,
    function: name.text,
    functionEncoding: name.encoding,
    arguments: args.map(({ text }) => text),
    argumentEncodings: args.map(({ encoding }) => encoding),
  };
}

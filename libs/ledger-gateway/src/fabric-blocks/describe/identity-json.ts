import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import { readIdentity, type DecodedIdentity } from '../decode/decode-envelope.js';
import { base64, textOrBase64 } from '../decode/text-or-base64.js';
import type { JsonObject } from './transaction-description.js';
import { readMessage } from '../decode/read-message.js';

/** An identity with its certificate as PEM. */
export function identityJson({ mspId, idBytes }: DecodedIdentity): JsonObject {
  return { mspid: mspId, id_bytes: textOrBase64(idBytes) };
}

/** Message `common.SignatureHeader` with its creator decoded. */
export function signatureHeaderJson(bytes: Uint8Array): JsonObject {
  const header = readMessage(common.SignatureHeader, bytes);
  return {
    creator: identityJson(readIdentity(header.getCreator_asU8())),
    nonce: base64(header.getNonce_asU8()),
  };
}

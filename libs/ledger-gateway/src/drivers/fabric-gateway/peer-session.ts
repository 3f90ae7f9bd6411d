import type { Client } from '@grpc/grpc-js';
import { connect, hash, signers, type Gateway } from '@hyperledger/fabric-gateway';
import type { SigningIdentity } from '../../fabric-client/signing-identity.js';

/** One peer as one identity uses it; many share a connection. */
export interface PeerSession {
  readonly endpoint: string;
  readonly identity: SigningIdentity;
  /** The connection. */
  readonly client: Client;
  readonly gateway: Gateway;
}

/** Signs for an identity on a connection. The gateway holds no connection of its own. */
export function peerSession(endpoint: string, client: Client, identity: SigningIdentity): PeerSession {
  const gateway = connect({
    client,
    identity: { mspId: identity.mspId, credentials: Buffer.from(identity.certificate) },
    signer: signers.newPrivateKeySigner(identity.privateKey),
    hash: hashFor(identity),
  });
  return { endpoint, identity, client, gateway };
}

/** What is signed: a digest of the key's own strength for elliptic curves, the message itself for Ed25519. */
function hashFor({ privateKey }: SigningIdentity): (message: Uint8Array) => Uint8Array {
  if (privateKey.asymmetricKeyType === 'ed25519') return hash.none;
  return privateKey.asymmetricKeyDetails?.namedCurve === 'secp384r1' ? hash.sha384 : hash.sha256;
}

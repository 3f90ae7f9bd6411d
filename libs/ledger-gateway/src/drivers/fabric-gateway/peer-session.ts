import type { KeyObject } from 'node:crypto';
import type { Client } from '@grpc/grpc-js';
import { connect, hash, signers, type ConnectOptions, type Gateway } from '@hyperledger/fabric-gateway';
import { signNatively, signsNatively } from '../../fabric-client/native-signature.js';
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
    ...signing(identity.privateKey),
  });
  return { endpoint, identity, client, gateway };
}

/** How messages are signed: P-256 by OpenSSL, other keys as the library does it. */
function signing(privateKey: KeyObject): Pick<ConnectOptions, 'hash' | 'signer'> {
  if (signsNatively(privateKey)) {
    // The library signs digests; without a hash it hands over the message, which is what OpenSSL takes.
    return { hash: hash.none, signer: (message) => Promise.resolve(signNatively(message, privateKey)) };
  }
  return { hash: hashFor(privateKey), signer: signers.newPrivateKeySigner(privateKey) };
}

/** What is signed: a digest of the key's own strength for elliptic curves, the message itself for Ed25519. */
function hashFor({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): (message: Uint8Array) => Uint8Array {
  if (asymmetricKeyType === 'ed25519') return hash.none;
  return asymmetricKeyDetails?.namedCurve === 'secp384r1' ? hash.sha384 : hash.sha256;
}

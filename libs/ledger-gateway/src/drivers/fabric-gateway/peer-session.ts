import type { Client } from '@grpc/grpc-js';
import { connect, hash, type Gateway } from '@hyperledger/fabric-gateway';
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
    // The library signs digests; without a hash it hands over the message.
    hash: hash.none,
    signer: (message) => Promise.resolve(identity.sign(message)),
  });
  return { endpoint, identity, client, gateway };
}

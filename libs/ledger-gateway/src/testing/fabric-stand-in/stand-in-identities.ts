import { createPrivateKey, verify, X509Certificate } from 'node:crypto';
import { createRoot, issueLeaf, type IssuedIdentity } from '../../drivers/embedded/identities/certificate-authority.js';
import { serializeIdentity } from '../../fabric-blocks/encode/identity.js';
import { lowS, signLowS } from '../../fabric-blocks/encode/low-s.js';

export const STAND_IN_MSP = 'Org1MSP';
const DOMAIN = 'org1.example.com';

/** Somebody who signs. */
export interface StandInSigner extends IssuedIdentity {
  /** Message `msp.SerializedIdentity`. */
  readonly serialized: Buffer;
  sign(bytes: Uint8Array): Uint8Array;
}

/** The organisation whose peers and orderer the stand-in plays. */
export interface StandInOrganisation {
  readonly root: IssuedIdentity;
  readonly peer: StandInSigner;
  readonly orderer: StandInSigner;
  readonly client: StandInSigner;
  /** Issues one more client certificate of the organisation. */
  issueClient(commonName: string): Promise<StandInSigner>;
  /** TLS for the servers, whose certificate names `localhost`. */
  readonly tls: { readonly root: IssuedIdentity; readonly server: IssuedIdentity; readonly client: IssuedIdentity };
}

export async function createOrganisation(): Promise<StandInOrganisation> {
  const root = await createRoot(DOMAIN);
  const tlsRoot = await createRoot(`tls.${DOMAIN}`);
  const issue = async (commonName: string, role: 'peer' | 'orderer' | 'client'): Promise<StandInSigner> =>
    signer(await issueLeaf(root, { domain: DOMAIN, commonName, role }));
  return {
    root,
    peer: await issue(`peer0.${DOMAIN}`, 'peer'),
    orderer: await issue(`orderer.${DOMAIN}`, 'orderer'),
    client: await issue(`User1@${DOMAIN}`, 'client'),
    issueClient: (commonName) => issue(commonName, 'client'),
    tls: {
      root: tlsRoot,
      server: await issueLeaf(tlsRoot, { domain: DOMAIN, commonName: 'localhost', role: 'peer' }),
      client: await issueLeaf(tlsRoot, { domain: DOMAIN, commonName: 'client', role: 'client' }),
    },
  };
}

export function signer(issued: IssuedIdentity): StandInSigner {
  const key = createPrivateKey(issued.privateKey);
  return {
    ...issued,
    serialized: serializeIdentity(STAND_IN_MSP, Buffer.from(issued.certificate)),
    sign: (bytes) => signLowS(bytes, key),
  };
}

/** Whether the certificate was issued by the root and signed these bytes with low S, which is all that Fabric takes. */
export function isSignedByMember(
  root: string,
  {
    certificate,
    bytes,
    signature,
  }: { readonly certificate: Uint8Array; readonly bytes: Uint8Array; readonly signature: Uint8Array },
): boolean {
  const parsed = new X509Certificate(certificate);
  const isMember = parsed.verify(new X509Certificate(root).publicKey);
  const isLow = Buffer.compare(Buffer.from(lowS(signature)), Buffer.from(signature)) === 0;
  return isMember && isLow && verify('sha256', bytes, parsed.publicKey, signature);
}

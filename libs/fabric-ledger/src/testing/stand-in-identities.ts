import { createPrivateKey, verify, X509Certificate, type KeyObject, type KeyPairKeyObjectResult } from 'node:crypto';
import { createRoot, type IssuedIdentity, issueLeaf, makeCertificate, signLowS } from '#fabric-codec/certificates';
import { isLowS, serializeIdentity } from '#fabric-codec/encode';

export const STAND_IN_MSP = 'Org1MSP';
const DOMAIN = 'org1.example.com';
const DAY_MS = 86_400_000;

/** A signing identity. */
export interface StandInSigner extends IssuedIdentity {
  /** Message `msp.SerializedIdentity`. */
  readonly serialized: Buffer;
  sign(bytes: Uint8Array): Uint8Array;
}

/** The organization of the stand-in's peers and orderer. */
export interface StandInOrganisation {
  readonly root: IssuedIdentity;
  readonly peer: StandInSigner;
  readonly orderer: StandInSigner;
  readonly client: StandInSigner;
  /** Serial numbers of the client certificates on the channel's revocation list. */
  readonly revoked: Set<string>;
  /** Issues a client certificate; by default for a new P-256 key. */
  issueClient(commonName: string, keys?: KeyPairKeyObjectResult): Promise<StandInSigner>;
  /** TLS identities; the server's certificate is for `localhost`. */
  readonly tls: { readonly root: IssuedIdentity; readonly server: IssuedIdentity; readonly client: IssuedIdentity };
}

export async function createOrganisation(): Promise<StandInOrganisation> {
  const root = await createRoot(DOMAIN);
  const tlsRoot = await createRoot(`tls.${DOMAIN}`);
  const issue = async (commonName: string, role: 'peer' | 'orderer' | 'client'): Promise<StandInSigner> =>
    signer(await issueLeaf(root, { commonName, role }));
  return {
    root,
    peer: await issue(`peer0.${DOMAIN}`, 'peer'),
    orderer: await issue(`orderer.${DOMAIN}`, 'orderer'),
    client: await issue(`User1@${DOMAIN}`, 'client'),
    revoked: new Set(),
    issueClient: async (commonName, keys) =>
      keys === undefined ? issue(commonName, 'client') : signer(await issueForKey(root, commonName, keys)),
    tls: {
      root: tlsRoot,
      server: await issueLeaf(tlsRoot, { commonName: 'localhost', role: 'peer' }),
      client: await issueLeaf(tlsRoot, { commonName: 'client', role: 'client' }),
    },
  };
}

/** A certificate that was read before, with its key and the roots that issued it. */
interface ReadCertificate {
  readonly serialNumber: string;
  readonly publicKey: KeyObject;
  readonly isIssuedBy: (root: string) => boolean;
}

/** Certificates by their PEM: reading one and checking its issuer takes longer than the rest of a call. */
const certificates = new Map<string, ReadCertificate>();

function readCertificate(certificate: string | Uint8Array): ReadCertificate {
  const pem = typeof certificate === 'string' ? certificate : Buffer.from(certificate).toString('latin1');
  const known = certificates.get(pem);
  if (known !== undefined) return known;
  const parsed = new X509Certificate(certificate);
  const verdicts = new Map<string, boolean>();
  const read: ReadCertificate = {
    serialNumber: parsed.serialNumber,
    publicKey: parsed.publicKey,
    isIssuedBy: (root) => {
      const isIssued = verdicts.get(root) ?? parsed.verify(readCertificate(root).publicKey);
      verdicts.set(root, isIssued);
      return isIssued;
    },
  };
  certificates.set(pem, read);
  return read;
}

/** @param certificate PEM */
export function serialNumberOf(certificate: string | Uint8Array): string {
  return readCertificate(certificate).serialNumber;
}

export function signer(issued: IssuedIdentity): StandInSigner {
  const key = createPrivateKey(issued.privateKey);
  return {
    ...issued,
    serialized: serializeIdentity(STAND_IN_MSP, Buffer.from(issued.certificate)),
    sign: (bytes) => signLowS(bytes, key),
  };
}

/** Issues a client certificate for a key of any kind. */
export async function issueForKey(
  root: IssuedIdentity,
  commonName: string,
  keys: KeyPairKeyObjectResult,
): Promise<IssuedIdentity> {
  const now = Date.now();
  const [validFrom, validUntil] = [new Date(now - DAY_MS), new Date(now + DAY_MS)];
  return makeCertificate({ subject: `OU=client, CN=${commonName}`, use: 'signing', validFrom, validUntil, keys }, root);
}

/** The order of P-384. */
const P384_ORDER = BigInt(`0x${'ff'.repeat(24)}c7634d81f4372ddf581a0db248b0a77aecec196accc52973`);

/** Returns whether Fabric accepts the form of a signature: low S on elliptic curves. */
export function isTaken(signature: Uint8Array, { asymmetricKeyDetails, asymmetricKeyType }: KeyObject): boolean {
  if (asymmetricKeyType === 'ed25519') return true;
  if (asymmetricKeyDetails?.namedCurve !== 'secp384r1') return isLowS(signature);
  const lengthOfR = signature[3] ?? 0;
  const s = BigInt(`0x${Buffer.from(signature).toString('hex', 4 + lengthOfR + 2)}`);
  return s <= P384_ORDER / 2n;
}

/** Returns whether the certificate was issued by the root and its key signed these bytes with low S. */
export function isSignedByMember(
  root: string,
  {
    certificate,
    bytes,
    signature,
  }: { readonly certificate: Uint8Array; readonly bytes: Uint8Array; readonly signature: Uint8Array },
): boolean {
  const { publicKey, isIssuedBy } = readCertificate(certificate);
  const hash = publicKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  return isIssuedBy(root) && isTaken(signature, publicKey) && verify(hash, bytes, publicKey, signature);
}

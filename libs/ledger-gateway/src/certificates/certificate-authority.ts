import {
  createHash,
  createPrivateKey,
  generateKeyPair,
  randomBytes,
  X509Certificate,
  type KeyObject,
  type KeyPairKeyObjectResult,
} from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import ipaddr from 'ipaddr.js';
import { signLowS } from '../fabric-blocks/encode/sign-low-s.js';
import { bitString, contentsOf, der, directoryString, objectIdentifier, partsOf, TAG, time } from './der.js';

/** A certificate and its private key, both PEM. */
export interface IssuedIdentity {
  readonly certificate: string;
  readonly privateKey: string;
}

/** The attributes of a name that are used here, by their common abbreviations, with their object identifiers (RFC 4519). */
const NAME_ATTRIBUTES = {
  CN: '2.5.4.3',
  C: '2.5.4.6',
  L: '2.5.4.7',
  ST: '2.5.4.8',
  O: '2.5.4.10',
  OU: '2.5.4.11',
} as const;

/** A distinguished name: its relative names in order. Most have one attribute; each attribute has one or more values. */
export type DistinguishedName = readonly Readonly<Partial<Record<keyof typeof NAME_ATTRIBUTES, string | string[]>>>[];

/** The contents of a certificate. */
export interface CertificateRequest {
  readonly subject: DistinguishedName;
  readonly validFrom: Date;
  readonly validUntil: Date;
  /** Issues certificates, signs messages, or also authenticates a TLS server. */
  readonly use: 'authority' | 'signing' | 'server';
  /** DNS names and IP addresses of the server. */
  readonly hosts?: readonly string[];
  readonly attributes?: CertificateAttributes | undefined;
  /** A key pair for signatures; the default is a new one on P-256. */
  readonly keys?: KeyPairKeyObjectResult;
}

/** Texts by name that chaincode reads from the certificate of a caller, such as `role` for access control. */
export type CertificateAttributes = Readonly<Record<string, string>>;

/** The extension in which Fabric's CA stores attributes. Its value is JSON. */
const ATTRIBUTES_ID = '1.2.3.4.5.6.7.8.1';
const ATTRIBUTES_ID_DER = Buffer.from('06082a03040506070801', 'hex');

/** The roles of Fabric's node OUs. The value is the organizational unit in the certificate's subject. */
export type NodeRole = 'peer' | 'orderer' | 'client';

const ECDSA_WITH_SHA256 = der(TAG.sequence, objectIdentifier('1.2.840.10045.4.3.2'));
const SERVER_AUTHENTICATION = objectIdentifier('1.3.6.1.5.5.7.3.1');
const TRUE = der(TAG.boolean, Buffer.from([0xff]));
/** Bit strings of the extension keyUsage (RFC 5280, section 4.2.1.3). */
const DIGITAL_SIGNATURE = bitString(Buffer.from([0b1000_0000]), 7);
/** digitalSignature, keyEncipherment, keyCertSign and cRLSign. */
const AUTHORITY_USES = bitString(Buffer.from([0b1010_0110]), 1);
/** Context-specific tags. */
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const REQUEST_ATTRIBUTES = 0xa0;
const KEY_IDENTIFIER = 0x80;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

const newKeyPair = promisify(generateKeyPair);
const YEAR = 365.25 * 24 * 3600 * 1000;
/** Long enough for any ledger; leaves are re-issued under the same root (see identity-store.ts). */
const ROOT_LIFE = 40 * YEAR;
const LEAF_LIFE = 5 * YEAR;
/** Certificates are valid slightly before they are issued, for verifiers whose clocks are slow. */
const BACKDATE = 5 * 60 * 1000;

/** Creates a root certificate for an organization's domain, as Fabric's cryptogen does. */
export async function createRoot(domain: string): Promise<IssuedIdentity> {
  return makeCertificate({ ...validity(ROOT_LIFE), use: 'authority', subject: subject({ O: domain }, `ca.${domain}`) });
}

/** Issues a leaf certificate under a root, with a new key. */
export async function issueLeaf(
  root: IssuedIdentity,
  {
    commonName,
    role,
    attributes,
  }: Readonly<{ commonName: string; role: NodeRole; attributes?: CertificateAttributes }>,
): Promise<IssuedIdentity> {
  const contents = { use: 'signing', subject: subject({ OU: role }, commonName), attributes } as const;
  return makeCertificate({ ...validity(LEAF_LIFE), ...contents }, root);
}

/** Returns whether a certificate of {@link issueLeaf} has these attributes and no others. */
export function hasAttributes({ raw }: X509Certificate, attributes: CertificateAttributes): boolean {
  const text = attributesText(attributes);
  // The escapes of JSON exclude that the text of other attributes contains this one.
  return text === undefined ? !raw.includes(ATTRIBUTES_ID_DER) : raw.includes(text);
}

/** Returns the value of the extension as Fabric's CA writes it, with sorted names; undefined without attributes. */
function attributesText(attributes: CertificateAttributes = {}): string | undefined {
  const sorted = Object.entries(attributes).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted.length === 0 ? undefined : JSON.stringify({ attrs: Object.fromEntries(sorted) });
}

function validity(life: number): { readonly validFrom: Date; readonly validUntil: Date } {
  const now = Date.now();
  return { validFrom: new Date(now - BACKDATE), validUntil: new Date(now + life) };
}

/** Uses cryptogen's default subject names, which Fabric's samples and tools recognize. */
function subject(unit: DistinguishedName[number], commonName: string): DistinguishedName {
  return [{ C: 'US' }, { ST: 'California' }, { L: 'San Francisco' }, unit, { CN: commonName }];
}

/**
 * Creates an X.509 certificate (RFC 5280), signed by the issuer's P-256 key, or self-signed without an issuer. The
 * signature has a low S value, which Fabric requires.
 */
export async function makeCertificate(request: CertificateRequest, issuer?: IssuedIdentity): Promise<IssuedIdentity> {
  const { publicKey, privateKey } = request.keys ?? (await newKeyPair('ec', { namedCurve: 'P-256' }));
  const parent = issuer === undefined ? undefined : new X509Certificate(issuer.certificate);
  const name = encodeName(request.subject);
  const contents = der(
    TAG.sequence,
    der(VERSION, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, randomSerial()),
    ECDSA_WITH_SHA256,
    parent === undefined ? name : subjectOf(parent),
    der(TAG.sequence, time(request.validFrom), time(request.validUntil)),
    name,
    spkiOf(publicKey),
    der(EXTENSIONS, der(TAG.sequence, ...extensionsOf(request, publicKey, parent?.publicKey))),
  );
  const signingKey = issuer === undefined ? privateKey : createPrivateKey(issuer.privateKey);
  return {
    certificate: signed('CERTIFICATE', contents, signingKey),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Creates a certificate signing request (RFC 2986) for a P-256 key, in PEM. */
export function makeSigningRequest(name: DistinguishedName, { publicKey, privateKey }: KeyPairKeyObjectResult): string {
  const version = der(TAG.integer, Buffer.from([0]));
  const contents = der(TAG.sequence, version, encodeName(name), spkiOf(publicKey), der(REQUEST_ATTRIBUTES));
  return signed('CERTIFICATE REQUEST', contents, privateKey);
}

/** Returns the contents with their signature, in PEM. */
function signed(label: string, contents: Buffer, key: KeyObject): string {
  const bytes = der(TAG.sequence, contents, ECDSA_WITH_SHA256, bitString(signLowS(contents, key)));
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join('\n');
}

function encodeName(name: DistinguishedName): Buffer {
  return der(TAG.sequence, ...name.map((relative) => der(TAG.set, ...encodeRelativeName(relative))));
}

/** Returns the attributes sorted by their bytes, as in every SET OF. */
function encodeRelativeName(relative: DistinguishedName[number]): readonly Buffer[] {
  const attributes = Object.entries(relative).flatMap(([name, values]) => {
    const type = objectIdentifier(NAME_ATTRIBUTES[name as keyof typeof NAME_ATTRIBUTES]);
    return [values].flat().map((value) => der(TAG.sequence, type, directoryString(value)));
  });
  return attributes.toSorted((one, other) => Buffer.compare(one, other));
}

/** Returns the subject of a certificate byte for byte. */
function subjectOf({ raw }: X509Certificate): Buffer {
  const [contents = raw] = partsOf(raw);
  const fields = partsOf(contents).filter((field) => field[0] !== VERSION);
  // Serial number, algorithm, issuer, validity, subject.
  return fields[4] ?? Buffer.alloc(0);
}

function spkiOf(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

/** Returns the identifier of a key: the SHA-1 hash of its bits (RFC 5280, section 4.2.1.2). */
function keyIdentifier(key: KeyObject): Buffer {
  const [, bits = Buffer.alloc(0)] = partsOf(spkiOf(key));
  return createHash('sha1').update(contentsOf(bits).subarray(1)).digest();
}

function extensionsOf(
  { use, hosts = [], attributes }: CertificateRequest,
  own: KeyObject,
  parent: KeyObject | undefined,
): readonly Buffer[] {
  const isAuthority = use === 'authority';
  const names = hosts.map((host) =>
    isIP(host) === 0
      ? der(DNS_NAME, Buffer.from(host))
      : der(IP_ADDRESS, Buffer.from(ipaddr.parse(host).toByteArray())),
  );
  const text = attributesText(attributes);
  return [
    extension('2.5.29.15', isAuthority ? AUTHORITY_USES : DIGITAL_SIGNATURE, { isCritical: true }),
    extension('2.5.29.19', der(TAG.sequence, ...(isAuthority ? [TRUE] : [])), { isCritical: true }),
    extension('2.5.29.14', der(TAG.octetString, keyIdentifier(own))),
    parent && extension('2.5.29.35', der(TAG.sequence, der(KEY_IDENTIFIER, keyIdentifier(parent)))),
    use === 'server' && extension('2.5.29.37', der(TAG.sequence, SERVER_AUTHENTICATION)),
    names.length > 0 && extension('2.5.29.17', der(TAG.sequence, ...names)),
    text !== undefined && extension(ATTRIBUTES_ID, Buffer.from(text)),
  ].filter((each) => typeof each === 'object');
}

function extension(id: string, value: Buffer, { isCritical = false } = {}): Buffer {
  return der(TAG.sequence, objectIdentifier(id), ...(isCritical ? [TRUE] : []), der(TAG.octetString, value));
}

/** Returns a positive integer without a leading zero byte (RFC 5280, section 4.1.2.2). */
function randomSerial(): Buffer {
  const serial = randomBytes(16);
  serial.writeUInt8((serial.readUInt8() & 0x7f) | 0x40);
  return serial;
}

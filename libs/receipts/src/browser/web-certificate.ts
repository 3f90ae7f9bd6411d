import { Buffer } from 'node:buffer';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate as Asn1Certificate,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_keyUsage,
  id_ce_subjectKeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  type Name,
  type TBSCertificate,
} from '@peculiar/asn1-x509';
import { hex, pemCertificatesIn } from '#fabric-codec';
import { isLowS, p1363Of, sha256 } from '#fabric-codec/encode';
import { attempt } from '#fabric-codec/messages';
import type { Certificate } from '../trusted-roots.js';

const COMMON_NAME = '2.5.4.3';
const ORGANIZATIONAL_UNIT = '2.5.4.11';
const EC_PUBLIC_KEY = '1.2.840.10045.2.1';
const P256 = '06082a8648ce3d030107';
/** The curves of WebCrypto, by the object identifier in DER. */
const CURVES = new Map([
  [P256, { namedCurve: 'P-256', bytes: 32 }],
  ['06052b81040022', { namedCurve: 'P-384', bytes: 48 }],
  ['06052b81040023', { namedCurve: 'P-521', bytes: 66 }],
]);
/** The signature algorithms of certificates: ECDSA with these hashes (RFC 5758, 3.2). */
const HASHES = new Map([
  ['1.2.840.10045.4.3.2', 'SHA-256'],
  ['1.2.840.10045.4.3.3', 'SHA-384'],
  ['1.2.840.10045.4.3.4', 'SHA-512'],
]);
const BASE64 = /^[A-Za-z0-9+/=\s]+$/;

/** Reads a PEM or DER certificate for WebCrypto; returns undefined for other bytes. */
export function readWebCertificate(bytes: Uint8Array): Certificate | undefined {
  return attempt(() => {
    const pem = pemCertificatesIn(Buffer.from(bytes).toString('latin1')).find(({ base64 }) => BASE64.test(base64));
    return new WebCertificate(pem === undefined ? bytes : Buffer.from(pem.base64, 'base64'));
  });
}

/** A certificate whose signatures WebCrypto verifies. It accepts fewer kinds of keys and names than OpenSSL, and no others. */
class WebCertificate implements Certificate {
  readonly fingerprint: string;
  readonly commonName: string | undefined;
  readonly units: readonly string[];
  readonly ca: boolean;
  readonly #certificate: Asn1Certificate;
  #key: ReturnType<typeof crypto.subtle.importKey> | undefined;

  /** @throws when the bytes are not a certificate in DER */
  constructor(der: Uint8Array) {
    this.#certificate = AsnConvert.parse(der, Asn1Certificate);
    // The parser also accepts BER.
    if (!isSame(AsnConvert.serialize(this.#certificate), der)) throw new RangeError('not in its DER form');
    const { subject } = this.#certificate.tbsCertificate;
    this.fingerprint = hex(sha256(der))
      .toUpperCase()
      .replaceAll(/..(?=.)/g, '$&:');
    this.commonName = valuesIn(subject, COMMON_NAME).at(-1);
    this.units = valuesIn(subject, ORGANIZATIONAL_UNIT);
    this.ca = isAuthority(this.#certificate.tbsCertificate);
  }

  async isIssuedBy(issuer: Certificate): Promise<boolean> {
    if (!(issuer instanceof WebCertificate) || !issuer.ca) return false;
    const { tbsCertificate, tbsCertificateRaw, signatureAlgorithm, signatureValue } = this.#certificate;
    if (tbsCertificateRaw === undefined || !namesIssuer(tbsCertificate, issuer.#certificate.tbsCertificate))
      return false;
    const hash = HASHES.get(signatureAlgorithm.algorithm);
    if (hash === undefined) throw new RangeError('the algorithm of its signature is not supported');
    if (!isSame(AsnConvert.serialize(signatureAlgorithm), AsnConvert.serialize(tbsCertificate.signature))) return false;
    return issuer.#verify(hash, new Uint8Array(tbsCertificateRaw), new Uint8Array(signatureValue));
  }

  async hasSigned(content: Uint8Array, signature: Uint8Array): Promise<boolean> {
    if (this.#curve().namedCurve === 'P-256' && !isLowS(signature)) return false;
    return this.#verify('SHA-256', content, signature);
  }

  async loadKey(): Promise<unknown> {
    return this.#importedKey();
  }

  async #verify(hash: string, content: Uint8Array, signature: Uint8Array): Promise<boolean> {
    const numbers = p1363Of(signature, this.#curve().bytes);
    if (numbers === undefined) return false;
    const [given, signed] = [new Uint8Array(numbers), new Uint8Array(content)];
    return crypto.subtle.verify({ name: 'ECDSA', hash }, await this.#importedKey(), given, signed);
  }

  /** @throws for keys that WebCrypto does not know, such as RSA or secp256k1 */
  async #importedKey() {
    const { subjectPublicKeyInfo } = this.#certificate.tbsCertificate;
    const algorithm = { name: 'ECDSA', namedCurve: this.#curve().namedCurve };
    const importKey = () =>
      crypto.subtle.importKey('spki', AsnConvert.serialize(subjectPublicKeyInfo), algorithm, false, ['verify']);
    this.#key ??= importKey();
    return this.#key;
  }

  #curve() {
    const { algorithm, parameters } = this.#certificate.tbsCertificate.subjectPublicKeyInfo.algorithm;
    const curve = CURVES.get(hex(new Uint8Array(parameters ?? new ArrayBuffer(0))));
    if (algorithm !== EC_PUBLIC_KEY || curve === undefined) throw new RangeError('its key is not supported');
    return curve;
  }
}

function valuesIn(name: Name, attribute: string): string[] {
  return name.flatMap((relative) =>
    [...relative].filter(({ type }) => type === attribute).map(({ value }) => value.toString()),
  );
}

function extensionOf(tbs: TBSCertificate, id: string): ArrayBuffer | undefined {
  return tbs.extensions?.find(({ extnID }) => extnID === id)?.extnValue.buffer;
}

/** As OpenSSL's X509_check_ca: basic constraints of an authority, and a key that may sign certificates. */
function isAuthority(tbs: TBSCertificate): boolean {
  const constraints = extensionOf(tbs, id_ce_basicConstraints);
  const usage = extensionOf(tbs, id_ce_keyUsage);
  const maySign =
    usage === undefined || (AsnConvert.parse(usage, KeyUsage).toNumber() & KeyUsageFlags.keyCertSign) !== 0;
  return constraints !== undefined && AsnConvert.parse(constraints, BasicConstraints).cA && maySign;
}

/** As OpenSSL's X509_check_issued, with the bytes of names, as Go compares them: name and identifier of the key. */
function namesIssuer(tbs: TBSCertificate, issuer: TBSCertificate): boolean {
  if (!isSame(AsnConvert.serialize(tbs.issuer), AsnConvert.serialize(issuer.subject))) return false;
  const extension = extensionOf(tbs, id_ce_authorityKeyIdentifier);
  if (extension === undefined) return true;
  const {
    keyIdentifier,
    authorityCertIssuer,
    authorityCertSerialNumber: serial,
  } = AsnConvert.parse(extension, AuthorityKeyIdentifier);
  const own = extensionOf(issuer, id_ce_subjectKeyIdentifier);
  const isKey =
    keyIdentifier === undefined ||
    own === undefined ||
    isSame(keyIdentifier.buffer, AsnConvert.parse(own, OctetString).buffer);
  const isSerial = serial === undefined || isSame(serial, issuer.serialNumber);
  const isNamed = authorityCertIssuer?.every(
    ({ directoryName }) =>
      directoryName === undefined || isSame(AsnConvert.serialize(directoryName), AsnConvert.serialize(issuer.issuer)),
  );
  return isKey && isSerial && isNamed !== false;
}

function isSame(bytes: ArrayBuffer | Uint8Array, expected: ArrayBuffer | Uint8Array): boolean {
  return Buffer.compare(new Uint8Array(bytes), new Uint8Array(expected)) === 0;
}

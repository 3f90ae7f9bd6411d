import { X509Certificate } from 'node:crypto';
import { serializeIdentity } from '../fabric-blocks/encode/transaction-encoder.js';

/** A certificate that signed for somebody until another took its place. */
export interface FormerCertificate {
  /** PEM, in the form in which it stood in transactions. */
  readonly certificate: string;
  /** Milliseconds since the epoch; Infinity where nobody noted it. */
  readonly ended: number;
}

/** A certificate behind a line that says when it ended, which readers of PEM skip (RFC 7468, section 2: explanatory text). */
const CERTIFICATE = /(?:^Ended: (\S+)\n)?(-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----)/gm;

/** The certificates behind the first one in a text, newest first. */
export function formerCertificates(text: string): FormerCertificate[] {
  return certificatesIn(text).slice(1);
}

/**
 * A text in which a certificate comes first and those of an earlier text follow, of which the first one ends now.
 * @param key - PEM of its private key, where the text holds that too
 */
export function succeedingText(certificate: string, earlier: string, now: number, key?: string): string {
  const [last, ...rest] = certificatesIn(earlier);
  const former = [...(last === undefined ? [] : [{ ...last, ended: now }]), ...rest].filter(
    (it) => it.certificate !== normalised(certificate),
  );
  const entries = former.map(({ certificate: pem, ended }) => `Ended: ${timeText(ended)}\n${pem.trim()}`);
  return `${[certificate, ...(key === undefined ? [] : [key]), ...entries].map((part) => part.trim()).join('\n')}\n`;
}

/** The first certificate in a text; undefined when there is none. */
export function presentCertificate(text: string): string | undefined {
  return certificatesIn(text)[0]?.certificate;
}

/** Serialized identities (`msp.SerializedIdentity`) of certificates that ended after a moment, in their order. */
export function formerCreators(
  mspId: string,
  former: readonly FormerCertificate[],
  endedAfter: number,
): readonly Uint8Array[] {
  const recent = former.filter(({ ended }) => ended > endedAfter);
  return recent.map(({ certificate }) => serializeIdentity(mspId, Buffer.from(certificate)));
}

function certificatesIn(text: string): FormerCertificate[] {
  return Array.from(text.matchAll(CERTIFICATE), ([, ended, pem = '']) => ({
    certificate: normalised(pem),
    ended: timeOf(ended),
  }));
}

function normalised(pem: string): string {
  return new X509Certificate(pem).toString();
}

function timeOf(text = ''): number {
  const time = Date.parse(text);
  return Number.isNaN(time) ? Infinity : time;
}

function timeText(time: number): string {
  return Number.isFinite(time) ? new Date(time).toISOString() : 'unknown';
}

import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pemCertificatesIn } from '#fabric-codec';
import { serializeIdentity } from '#fabric-codec/encode';
import { writeFileDurably } from '#files';
import type { LedgerLogger } from '../ports/ledger.port.js';

/** A certificate that signs, or signed until it was replaced. */
export interface NotedCertificate {
  /** PEM, in the form in which transactions contain it. */
  readonly certificate: string;
  /** Milliseconds since the epoch; Infinity for the present one, and if the time was not recorded. */
  readonly ended: number;
}

/** The name under which the service's certificates are recorded; callers cannot have it. */
export const SERVICE = 'service';

/**
 * Records which certificates have signed for whom, and when each was replaced: `NAME.pem` with the present one first.
 * Wallets and PEM files of a network contain the present certificate only, and other programs may replace it. Replicas that
 * share the directory share the records.
 */
export class CertificateNotes {
  readonly #directory: string | undefined;
  readonly #logger: LedgerLogger | undefined;
  readonly #texts = new Map<string, string>();

  /** @param directory - without it the records are stored in memory only */
  constructor(directory: string | undefined, logger?: LedgerLogger) {
    this.#directory = directory;
    this.#logger = logger;
  }

  /** Records that a certificate signs from now on. */
  note(name: string, certificate: string): void {
    const known = this.textOf(name);
    const isNew = certificatesIn(known)[0]?.certificate !== certificate;
    const text = isNew ? succeedingText(certificate, known, Date.now()) : known;
    this.#texts.set(name, text);
    if (isNew) this.#write(name, text);
  }

  /** Returns whether certificates are recorded under a name. */
  has(name: string): boolean {
    const path = this.#path(name);
    return this.#texts.has(name) || (path !== undefined && existsSync(path));
  }

  /** Returns the recorded certificates, the present one first. */
  certificatesOf(name: string): readonly NotedCertificate[] {
    return certificatesIn(this.textOf(name));
  }

  /** Returns the text of a record; empty if there is none. */
  textOf(name: string): string {
    const path = this.#path(name);
    if (path === undefined || !existsSync(path)) return this.#texts.get(name) ?? '';
    try {
      const text = readFileSync(path, 'utf8');
      certificatesIn(text);
      return text;
    } catch (error) {
      this.#warn(error, name);
      return this.#texts.get(name) ?? '';
    }
  }

  #write(name: string, text: string): void {
    const path = this.#path(name);
    if (path === undefined) return;
    try {
      writeFileDurably(path, text);
    } catch (error) {
      this.#warn(error, name);
    }
  }

  #path(name: string): string | undefined {
    return this.#directory === undefined ? undefined : join(this.#directory, `${name}.pem`);
  }

  #warn(err: unknown, name: string): void {
    const text =
      `could not record the certificates of ${name}: a write that is repeated after they are renewed may be executed ` +
      'twice';
    this.#logger?.warn({ err, directory: this.#directory }, text);
  }
}

/** The line above a certificate that states its end. */
const ENDED = /^Ended: (\S+)$/;

/**
 * Parses the certificates of a text, the present one first, then the previous ones, newest first.
 * @throws an error of node:crypto if one is malformed
 */
export function certificatesIn(text: string): NotedCertificate[] {
  return pemCertificatesIn(text).map(({ pem, lineAbove = '' }) => ({
    certificate: normalized(pem),
    ended: timeOf(ENDED.exec(lineAbove)?.[1]),
  }));
}

/**
 * Returns a text with a new present certificate, followed by those of an earlier text, whose first one ends now.
 * @param key - PEM of the private key, if the text contains it too
 */
export function succeedingText(certificate: string, earlier: string, now: number, key?: string): string {
  const [last, ...rest] = certificatesIn(earlier);
  const previous = [...(last === undefined ? [] : [{ ...last, ended: now }]), ...rest].filter(
    (other) => other.certificate !== normalized(certificate),
  );
  const entries = previous.map(({ certificate: pem, ended }) => `Ended: ${timeText(ended)}\n${pem.trim()}`);
  return `${[certificate, ...(key === undefined ? [] : [key]), ...entries].map((part) => part.trim()).join('\n')}\n`;
}

const DAY_MS = 24 * 3600 * 1000;

/**
 * Returns the serialized identities (`msp.SerializedIdentity`) under which earlier copies of a keyed write may be recorded,
 * apart from the one that signs now. A transaction id is the hash of a nonce and one of them.
 * @param certificates - of the signer, and of the signer under the other value of `signAs`, so that a change of that
 * setting does not execute a write twice
 * @param idempotencyDays - certificates that were replaced longer ago are omitted
 */
export function earlierCreators(
  mspId: string,
  certificates: readonly NotedCertificate[],
  idempotencyDays = Infinity,
): readonly Uint8Array[] {
  const since = Date.now() - idempotencyDays * DAY_MS;
  return certificates
    .filter(({ ended }) => ended > since)
    .map(({ certificate }) => serializeIdentity(mspId, Buffer.from(certificate)));
}

function normalized(pem: string): string {
  return new X509Certificate(pem).toString();
}

function timeOf(text = ''): number {
  const time = Date.parse(text);
  return Number.isNaN(time) ? Infinity : time;
}

function timeText(time: number): string {
  return Number.isFinite(time) ? new Date(time).toISOString() : 'unknown';
}

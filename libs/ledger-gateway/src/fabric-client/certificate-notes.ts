import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileDurably } from '../files/durable-files.js';
import type { LedgerLogger } from '../ports/ledger-logger.js';
import {
  formerCertificates,
  presentCertificate,
  succeedingText,
  type FormerCertificate,
} from '../signers/former-certificates.js';
import type { FileTexts, RotatingFilesOptions } from './rotating-files.js';
import type { SigningIdentity } from './signing-identity.js';

/** An identity that signs, and the certificates that did before. */
export interface KeptIdentity extends SigningIdentity {
  readonly former: readonly FormerCertificate[];
}

/** Under this name the certificates of the service are noted; no caller can have it. */
export const SERVICE = 'service';

/** Which files hold an identity, and how it is read. */
type IdentityFiles<T> = Pick<RotatingFilesOptions<T>, 'paths' | 'parse'>;

/**
 * Notes which certificates have signed for whom, and when each ended: `NAME.pem` with the present one first. Wallets and
 * PEM files of a network hold the present one only, and whoever renews it need not be this program. Replicas that share
 * the directory know of each other's.
 */
export class CertificateNotes {
  readonly #directory: string | undefined;
  readonly #logger: LedgerLogger | undefined;
  readonly #texts = new Map<string, string>();

  constructor(directory: string | undefined, logger: LedgerLogger | undefined) {
    this.#directory = directory;
    this.#logger = logger;
  }

  /** The files of somebody's identity, read in a way that notes its certificate before anything is signed with it. */
  noting(name: string, { paths, parse }: IdentityFiles<SigningIdentity>): IdentityFiles<KeptIdentity> {
    return {
      paths,
      parse: (texts: readonly FileTexts[]) => {
        const identity = parse(texts);
        return { ...identity, former: formerCertificates(this.#note(name, identity.certificate)) };
      },
    };
  }

  #note(name: string, certificate: string): string {
    const known = this.#read(name);
    const isNew = presentCertificate(known) !== certificate;
    const text = isNew ? succeedingText(certificate, known, Date.now()) : known;
    this.#texts.set(name, text);
    if (isNew) this.#write(name, text);
    return text;
  }

  #read(name: string): string {
    if (this.#directory === undefined) return this.#texts.get(name) ?? '';
    try {
      const text = readFileSync(this.#file(this.#directory, name), 'utf8');
      formerCertificates(text);
      return text;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#warn(error, name);
      return this.#texts.get(name) ?? '';
    }
  }

  #write(name: string, text: string): void {
    if (this.#directory === undefined) return;
    try {
      writeFileDurably(this.#file(this.#directory, name), text);
    } catch (error) {
      this.#warn(error, name);
    }
  }

  #file(directory: string, name: string): string {
    return join(directory, `${name}.pem`);
  }

  #warn(err: unknown, name: string): void {
    const text = `the certificates of ${name} cannot be noted: a write repeated after they are renewed may be made twice`;
    this.#logger?.warn({ err, directory: this.#directory }, text);
  }
}

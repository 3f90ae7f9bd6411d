import { stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import { readIdentity, type TlsFiles, type TlsIdentity } from './tls-identity.js';

/** The polling interval of the files in milliseconds. */
const POLL_MS = 1000;

/** Options of a {@link CertificateWatch}. */
export interface CertificateWatchOptions {
  readonly files: TlsFiles;
  /** The certificate that is in use. */
  readonly current: TlsIdentity;
  /** Uses another one. */
  readonly use: (identity: TlsIdentity) => void;
  readonly logger: Logger;
  readonly pollMs?: number;
}

/**
 * Uses a certificate as soon as its files are replaced. They are polled, because certbot and Kubernetes replace links, which a
 * watch of the previous file does not report. After an error the previous certificate stays in use.
 */
export class CertificateWatch {
  readonly #options: CertificateWatchOptions;
  #current: TlsIdentity;
  /** Identifies the files that were read last; undefined before they are read the first time. */
  #version: string | undefined;
  #fault: string | undefined;
  #isFaultLogged = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: CertificateWatchOptions) {
    this.#options = options;
    this.#current = options.current;
    this.#schedule();
  }

  /** The certificate in use. */
  get current(): TlsIdentity {
    return this.#current;
  }

  /**
   * Reads the files and uses their certificate.
   * @returns the error because of which the previous one stays in use
   */
  async reload(): Promise<string | undefined> {
    const version = await this.#versionOfFiles();
    try {
      const identity = await readIdentity(this.#options.files);
      this.#version = version;
      this.#use(identity);
      this.#setFault(undefined);
    } catch (error) {
      this.#setFault((error as Error).message);
    }
    return this.#fault;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#poll(), this.#options.pollMs ?? POLL_MS).unref();
  }

  async #poll(): Promise<void> {
    const known = this.#fault;
    if (known !== undefined || (await this.#versionOfFiles()) !== this.#version) {
      const fault = await this.reload();
      // Certificate and key are two files, which are replaced one after the other: only a fault that remains is one.
      if (fault !== undefined && fault === known) this.#logFault(fault);
    }
    if (this.#timer !== undefined) this.#schedule();
  }

  #use(identity: TlsIdentity): void {
    const { fingerprint } = identity;
    if (fingerprint === this.#current.fingerprint && identity.cert === this.#current.cert) return;
    this.#options.use(identity);
    this.#current = identity;
    this.#options.logger.info({ fingerprint }, 'The certificate was replaced; new connections use the new one.');
  }

  #setFault(fault: string | undefined): void {
    if (fault !== this.#fault) this.#isFaultLogged = false;
    this.#fault = fault;
  }

  #logFault(fault: string): void {
    if (this.#isFaultLogged) return;
    this.#isFaultLogged = true;
    this.#options.logger.error(`${fault} The previous certificate stays in use.`);
  }

  /** A file that is missing is another version. */
  async #versionOfFiles(): Promise<string> {
    const { certificateFile, keyFile } = this.#options.files;
    const versions = [certificateFile, keyFile].map(async (file) => {
      const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
      return [dev, ino, size, mtimeNs, ctimeNs].join(':');
    });
    return Promise.all(versions).then(
      (each) => each.join(),
      () => '',
    );
  }
}

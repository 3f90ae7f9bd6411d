import { LedgerError } from '../../../errors/ledger.errors.js';
import { serializeIdentity } from '../../../fabric-blocks/encode/transaction-encoder.js';
import type { SigningOptions } from '../../../ports/ledger.port.js';
import { type CertificateNotes, earlierCreators, type NotedCertificate } from '../../../signers/certificate-notes.js';
import { SignerRegistry } from '../../../signers/signer-registry.js';
import type { Identity, IdentityStore } from '../store/identity-store.js';
import { SERVICE_SIGNER } from '../writer/messages.js';
import type { SignerPem } from '../writer/signing.js';

/** How often a caller's identity file is checked for a renewal, when the caller writes. */
const CHECK_INTERVAL_MS = 1000;

/** A signer that the writer thread knows by its number. */
export interface KnownSigner {
  readonly number: number;
  /** Its serialized identity. */
  readonly creator: Uint8Array;
  /** The certificates of the same signer, the present one first. */
  readonly certificates: readonly NotedCertificate[];
  readonly fingerprint: string;
  /** When the identity file is checked again, in milliseconds since the epoch. */
  checkAt: number;
}

/** Options of {@link CallerSigners}. */
export interface CallerSignersOptions extends Pick<SigningOptions, 'signAs' | 'idempotencyDays'> {
  readonly mspId: string;
  readonly store: IdentityStore;
  readonly service: Identity;
  readonly notes: CertificateNotes;
  /** Passes an identity to the writer thread and returns its number there. */
  readonly register: (signer: SignerPem) => number;
}

/** The identities that sign transactions: the service's, and one for each caller, issued when the caller first writes. */
export class CallerSigners {
  readonly #options: CallerSignersOptions;
  readonly #service: KnownSigner;
  readonly #registry: SignerRegistry<KnownSigner>;

  constructor(options: CallerSignersOptions) {
    const { service, store } = options;
    this.#options = options;
    this.#service = this.#known(SERVICE_SIGNER, service.certificate, store.former(undefined), '');
    this.#registry = new SignerRegistry(this.#service, (caller) => this.#load(caller));
    this.#noteAll();
  }

  /**
   * Returns the signer of a caller's transactions, without a promise if it is cached: waiting would cost each write a turn.
   * @throws `LEDGER.UNKNOWN_CALLER`, `LEDGER.DAMAGED`, `LEDGER.MISCONFIGURED`, as a rejection
   */
  signerOf(caller: string | undefined): KnownSigner | Promise<KnownSigner> {
    if (this.#options.signAs === 'service') return this.#service;
    const signer = this.#registry.signerOf(caller);
    if (caller === undefined || signer instanceof Promise || Date.now() < signer.checkAt) return signer;
    signer.checkAt = Date.now() + CHECK_INTERVAL_MS;
    if (this.#options.store.fingerprint(caller) === signer.fingerprint) return signer;
    this.#registry.forget(caller);
    return this.#registry.signerOf(caller);
  }

  /** Returns the identities other than the signer's own under which a caller's keyed write may be recorded. */
  earlierCreators(signer: KnownSigner, caller: string | undefined): readonly Uint8Array[] {
    const { mspId, idempotencyDays } = this.#options;
    // A change of `signAs` must not execute a repeated write twice, so the other possible signer is searched too.
    const others = signer === this.#service ? this.#certificatesOf(caller) : this.#service.certificates;
    return earlierCreators(mspId, [...signer.certificates.slice(1), ...others], idempotencyDays);
  }

  #certificatesOf(caller: string | undefined): readonly NotedCertificate[] {
    if (caller === undefined) return [];
    const { store, notes } = this.#options;
    return store.hasCaller(caller) ? store.certificatesOf(caller) : notes.certificatesOf(caller);
  }

  async #load(caller: string): Promise<KnownSigner> {
    const { store, notes, register } = this.#options;
    if (!store.hasCaller(caller) && notes.has(caller)) throw this.#lost(caller);
    // Read before the file: a file that is replaced meanwhile has another fingerprint and is read again.
    const before = store.fingerprint(caller);
    const identity = await store.caller(caller);
    notes.note(caller, identity.certificate);
    const fingerprint = before === '' ? store.fingerprint(caller) : before;
    return this.#known(register(identity), identity.certificate, store.former(caller), fingerprint);
  }

  #known(number: number, certificate: string, former: readonly NotedCertificate[], fingerprint: string): KnownSigner {
    return {
      number,
      creator: serializeIdentity(this.#options.mspId, Buffer.from(certificate)),
      certificates: [{ certificate, ended: Infinity }, ...former],
      fingerprint,
      checkAt: Date.now() + CHECK_INTERVAL_MS,
    };
  }

  /** Records the callers' certificates of a directory that was written by an older version. */
  #noteAll(): void {
    const { store, notes } = this.#options;
    for (const caller of store.callerNames()) {
      const [present] = notes.has(caller) ? [] : store.certificatesOf(caller);
      if (present !== undefined) notes.note(caller, present.certificate);
    }
  }

  /** A new identity would change the ids of the caller's keyed writes, so that repeated ones would be executed twice. */
  #lost(caller: string): LedgerError {
    return new LedgerError(
      'LEDGER.DAMAGED',
      `The identity file of the caller "${caller}" is missing, although the caller has signed before: restore the ` +
        `identities directory from a backup, or issue a new identity with "callers renew ${caller}".`,
    );
  }
}

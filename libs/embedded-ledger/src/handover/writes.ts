import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CertificateAttributes } from '#fabric-codec/certificates';
import { NONCE_BYTES, serializeIdentity, transactionIdOf } from '#fabric-codec/encode';
import { type CallOptions, damaged, type LedgerCall, type LedgerTransaction, type SubmitResult } from '#ledger-gateway';
import {
  type IdempotencyKey,
  type SigningOptions,
  attemptNonce,
  type CertificateNotes,
  earlierCreators,
  KeyedCalls,
  keyOf,
  type NotedCertificate,
  readAttempt,
  SignerRegistry,
  withoutTransient,
} from '#ledger-gateway/driver';
import type { CallSigner, ChaincodeCalls } from '../chaincode/chaincode-calls.js';
import type { LedgerNames } from '../store/data-directory.js';
import { ownContract } from '../store/own-contracts.js';
import type { IdentityStore } from '../store/identity-store.js';
import { SERVICE_SIGNER, Signer, type SignerPem } from '../writer/signing.js';
import type { WriterClient } from '../writer/writer-client.js';

/** Nonces per call of `randomBytes`, because each call has a fixed cost of 3 µs. */
const NONCES_PER_DRAW = 256;
/** How often a caller's identity file is checked for a renewal, when the caller writes. */
const CHECK_INTERVAL_MS = 1000;

/** Returns the attributes that the certificate of a caller must have now. */
export type AttributesOf = (caller: string) => CertificateAttributes;

/** Options of {@link Writes}. */
export interface WritesOptions extends LedgerNames, Pick<SigningOptions, 'signAs' | 'idempotencyDays'> {
  readonly writer: WriterClient;
  /** The service's identity. */
  readonly service: SignerPem;
  /** Undefined when no chaincode is configured. */
  readonly chaincodes: ChaincodeCalls | undefined;
  readonly store: IdentityStore;
  readonly notes: CertificateNotes;
  readonly attributesOf?: AttributesOf | undefined;
  /** Returns a recorded transaction, up to the newest commit that was reported. */
  readonly lookUp: (transactionId: string) => LedgerTransaction | undefined;
}

/** A signer that the writer thread knows by its number. */
interface KnownSigner extends CallSigner {
  readonly number: number;
  /** The certificates of the same signer, the present one first. */
  readonly certificates: readonly NotedCertificate[];
  readonly fingerprint: string;
  readonly attributes: CertificateAttributes;
  /** When the identity file is checked again, in milliseconds since the epoch. */
  checkAt: number;
}

/** A nonce and the id that is the hash of nonce and creator, both hexadecimal. */
interface TransactionId {
  readonly nonce: string;
  readonly transactionId: string;
}

/**
 * Signs and submits writes, by the service's identity or by one per caller, issued when the caller first writes. A keyed
 * write is looked up before it is submitted. One process owns the ledger, so a write that is neither running here nor
 * recorded was never executed.
 */
export class Writes {
  readonly #options: WritesOptions;
  readonly #keyed = new KeyedCalls();
  readonly #service: KnownSigner;
  readonly #registry: SignerRegistry<KnownSigner>;
  /** Random bytes that no nonce has used yet. */
  #random = Buffer.alloc(0);

  constructor(options: WritesOptions) {
    const { store, notes } = options;
    this.#options = options;
    const [, ...earlier] = store.certificatesOf(undefined);
    this.#service = this.#known(SERVICE_SIGNER, options.service, earlier, { fingerprint: '', attributes: {} });
    this.#registry = new SignerRegistry(this.#service, (caller) => this.#load(caller));
    // The callers of a directory that was written by an older version are not recorded yet.
    for (const caller of store.callerNames()) {
      const [present] = notes.has(caller) ? [] : store.certificatesOf(caller);
      if (present !== undefined) notes.note(caller, present.certificate);
    }
  }

  /** Submits a transaction; the contract is that of `Ledger.submit`. */
  submit(call: LedgerCall, options: CallOptions): Promise<SubmitResult> {
    const { caller, onStage } = options;
    const key = keyOf(options);
    if (key !== undefined) {
      return this.#keyed.submit(call, key, async () =>
        this.#submitKeyed(call, key, await this.#signerOf(caller), onStage),
      );
    }
    const signer = this.#signerOf(caller);
    return signer instanceof Promise
      ? signer.then((found) => this.#submit(call, found, onStage))
      : this.#submit(call, signer, onStage);
  }

  /** Evaluates a call of a chaincode, which reads the caller's identity. */
  async evaluate(call: LedgerCall, caller: string | undefined): Promise<Uint8Array> {
    const signer = await this.#signerOf(caller);
    return this.#chaincodes().evaluate(call, signer, this.#nextId(signer));
  }

  #submit(call: LedgerCall, signer: KnownSigner, onStage: CallOptions['onStage']): Promise<SubmitResult> {
    return this.#execute(call, signer, this.#nextId(signer), onStage);
  }

  /** Executes a write under an id that is not recorded. */
  #execute(
    call: LedgerCall,
    signer: KnownSigner,
    { nonce, transactionId }: TransactionId,
    onStage: CallOptions['onStage'],
  ): Promise<SubmitResult> {
    const id = { signer: signer.number, nonce, transactionId };
    const chaincode = this.#chaincodeOf(call);
    const isReplaced = this.#options.chaincodes?.names.includes(chaincode) === true;
    const own = isReplaced ? undefined : ownContract(chaincode, this.#options.chaincode);
    if (own === undefined) {
      return this.#chaincodes().submit(call, signer, id, onStage);
    }
    onStage?.('commit', transactionId);
    const named = { ...call, chaincode };
    const submitted = this.#options.writer.submit(named, id);
    const { transient } = call;
    if (transient === undefined) return submitted;
    return submitted.catch((error: unknown) => {
      throw withoutTransient(error, transient);
    });
  }

  #chaincodeOf(call: LedgerCall): string {
    return call.chaincode ?? this.#options.chaincode;
  }

  /** The ledger refuses calls of other chaincodes when none is configured. */
  #chaincodes(): ChaincodeCalls {
    const { chaincodes } = this.#options;
    if (chaincodes === undefined) throw new TypeError('no chaincode is configured');
    return chaincodes;
  }

  #nextId({ creator }: KnownSigner): TransactionId {
    const nonce = this.#nextNonce();
    return { nonce: nonce.toString('hex'), transactionId: transactionIdOf(nonce, creator) };
  }

  #nextNonce(): Buffer {
    if (this.#random.length === 0) this.#random = randomBytes(NONCE_BYTES * NONCES_PER_DRAW);
    const nonce = this.#random.subarray(0, NONCE_BYTES);
    this.#random = this.#random.subarray(NONCE_BYTES);
    return nonce;
  }

  async #submitKeyed(
    call: LedgerCall,
    key: IdempotencyKey,
    signer: KnownSigner,
    onStage: CallOptions['onStage'],
  ): Promise<SubmitResult> {
    for (const creator of this.#earlierCreators(signer, key.owner)) {
      const found = this.#find(call, key, creator);
      if ('result' in found) return found;
    }
    const found = this.#find(call, key, signer.creator);
    if ('result' in found) return found;
    return this.#execute(call, signer, found, onStage);
  }

  /** Returns the recorded result of a keyed write under one creator, or the id of its first attempt without a record. */
  #find(call: LedgerCall, key: IdempotencyKey, creator: Uint8Array): SubmitResult | TransactionId {
    const { channel, lookUp } = this.#options;
    const chaincode = this.#chaincodeOf(call);
    for (let attempt = 0; ; attempt++) {
      const nonce = attemptNonce(channel, key, attempt);
      const transactionId = transactionIdOf(nonce, creator);
      const transaction = lookUp(transactionId);
      if (transaction === undefined) return { nonce: nonce.toString('hex'), transactionId };
      const recorded = readAttempt({ ...call, chaincode }, transaction);
      // An attempt that an imported chain records as a conflict is followed by the next one, as on a network.
      if (recorded === undefined) continue;
      const { blockNumber } = transaction;
      return { transactionId, blockNumber, result: recorded.payload, isReplay: true };
    }
  }

  /**
   * Returns the signer of a caller's transactions, without a promise if it is cached: waiting would cost each write a turn.
   * @throws `LEDGER.UNKNOWN_CALLER`, `LEDGER.DAMAGED`, `LEDGER.MISCONFIGURED`, as a rejection
   */
  #signerOf(caller: string | undefined): KnownSigner | Promise<KnownSigner> {
    if (this.#options.signAs === 'service') return this.#service;
    const signer = this.#registry.signerOf(caller);
    if (caller === undefined || signer instanceof Promise || Date.now() < signer.checkAt) return signer;
    signer.checkAt = Date.now() + CHECK_INTERVAL_MS;
    const isSame = isDeepStrictEqual(this.#attributesOf(caller), signer.attributes);
    if (isSame && this.#options.store.fingerprint(caller) === signer.fingerprint) return signer;
    this.#registry.forget(caller);
    return this.#registry.signerOf(caller);
  }

  /** Returns the identities other than the signer's own under which a caller's keyed write may be recorded. */
  #earlierCreators(signer: KnownSigner, caller: string | undefined): readonly Uint8Array[] {
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
    const { store, notes, writer } = this.#options;
    // A new identity would change the ids of the caller's keyed writes, so that repeated ones would be executed twice.
    if (!store.hasCaller(caller) && notes.has(caller)) {
      const advice = `restore the identities directory from a backup, or issue a new identity with "callers renew ${caller}".`;
      const lost = `The identity file of the caller "${caller}" is missing, although the caller has signed before`;
      throw damaged(`${lost}: ${advice}`);
    }
    // Read before the file: a file that is replaced meanwhile has another fingerprint and is read again.
    const before = store.fingerprint(caller);
    const attributes = this.#attributesOf(caller);
    const identity = await store.caller(caller, attributes);
    notes.note(caller, identity.certificate);
    const fingerprint = before === '' ? store.fingerprint(caller) : before;
    const [, ...earlier] = store.certificatesOf(caller);
    return this.#known(writer.addSigner(identity), identity, earlier, { fingerprint, attributes });
  }

  #attributesOf(caller: string): CertificateAttributes {
    return this.#options.attributesOf?.(caller) ?? {};
  }

  #known(
    number: number,
    identity: SignerPem,
    earlier: readonly NotedCertificate[],
    checked: Pick<KnownSigner, 'fingerprint' | 'attributes'>,
  ): KnownSigner {
    const { mspId } = this.#options;
    const { certificate } = identity;
    let signer: Signer | undefined;
    return {
      ...checked,
      number,
      creator: serializeIdentity(mspId, Buffer.from(certificate)),
      // The key is parsed when a chaincode is called; other transactions are signed on the writer's threads.
      sign: (bytes) => (signer ??= new Signer(mspId, identity)).sign(bytes),
      certificates: [{ certificate, ended: Infinity }, ...earlier],
      checkAt: Date.now() + CHECK_INTERVAL_MS,
    };
  }
}

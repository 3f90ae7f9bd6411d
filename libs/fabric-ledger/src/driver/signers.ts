import { join } from 'node:path';
import { serializeIdentity } from '#fabric-codec/encode';
import { toolCommand } from '#files';
import { LedgerError, type LedgerLogger, misconfigured } from '#ledger-gateway';
import {
  type IdempotencyKey,
  CertificateNotes,
  earlierCreators,
  SERVICE,
  SignerRegistry,
} from '#ledger-gateway/driver';
import { isMissing, RotatingFiles, type RotatingFilesOptions } from './rotating-files.js';
import { signingIdentity, type SigningIdentity } from './signing-identity.js';

/** Which files hold an identity, and how to parse them. */
export type IdentityFiles = Pick<RotatingFilesOptions<SigningIdentity>, 'paths' | 'parse'>;

/** Settings for callers that sign with their own identity. */
export interface CallerOptions {
  /** Directory of a file-system wallet as of fabric-network: `NAME.id` is the identity of the caller NAME. */
  readonly walletDir?: string | undefined;
  /** Returns whether a name may be looked up in the wallet, which may hold other identities too; without it none may. */
  readonly isCaller?: ((name: string) => boolean) | undefined;
}

/** Options of {@link Signers.open}. */
export interface SignersOptions extends CallerOptions {
  /** Directory where the certificates of all signers are recorded; see {@link CertificateNotes}. */
  readonly certificatesDir?: string | undefined;
  /** The identity for calls without a caller. Callers' identities must belong to the same organization. */
  readonly service: IdentityFiles;
  /** Name of the service's identity if it is in the wallet: no caller may sign with it. */
  readonly serviceName?: string | undefined;
  /** Throws when a driver cannot use a caller's identity. */
  readonly check?: CheckIdentity | undefined;
  readonly logger?: LedgerLogger | undefined;
}

/** @throws `LEDGER.MISCONFIGURED` when the identity in that file cannot be used */
export type CheckIdentity = (identity: SigningIdentity, file: string) => void;

/** The identities that sign on a network: the service's, and those of callers in a wallet. Changed files are reloaded. */
export class Signers {
  readonly #options: SignersOptions;
  readonly #notes: CertificateNotes;
  readonly #service: RotatingFiles<SigningIdentity>;
  readonly #registry: SignerRegistry<RotatingFiles<SigningIdentity>>;

  private constructor(options: SignersOptions, notes: CertificateNotes, service: RotatingFiles<SigningIdentity>) {
    this.#options = options;
    this.#notes = notes;
    this.#service = service;
    this.#registry = new SignerRegistry(service, (caller) => this.#openCaller(caller));
  }

  /** @throws `LEDGER.MISCONFIGURED` when the service's identity cannot be used */
  static async open(options: SignersOptions): Promise<Signers> {
    const notes = new CertificateNotes(options.certificatesDir, options.logger);
    return new Signers(options, notes, await openIdentity(SERVICE, options.service, notes, options));
  }

  /** Returns the identity that signs for a caller now. @throws `LEDGER.UNKNOWN_CALLER` */
  async identityOf(caller: string | undefined): Promise<SigningIdentity> {
    const files = await this.#registry.signerOf(caller);
    const identity = await files.current();
    if (caller === undefined || !files.isMissing) return identity;
    throw new LedgerError('LEDGER.UNKNOWN_CALLER', `The identity of ${caller} was removed from the wallet.`);
  }

  /**
   * Returns the serialized identities (`msp.SerializedIdentity`) under which a keyed write may be recorded, the one that signs
   * now first. Both the owner of the key and the service may have signed it, because `signAs` may have changed.
   */
  async creatorsOfKey(
    caller: string | undefined,
    { owner }: IdempotencyKey,
    idempotencyDays: number | undefined,
  ): Promise<readonly [Uint8Array, ...Uint8Array[]]> {
    const { mspId, certificate } = await this.identityOf(caller);
    const noted = [...new Set([owner ?? SERVICE, SERVICE])].flatMap((name) => this.#notes.certificatesOf(name));
    const earlier = noted.filter((other) => other.certificate !== certificate);
    return [serializeIdentity(mspId, Buffer.from(certificate)), ...earlierCreators(mspId, earlier, idempotencyDays)];
  }

  async #openCaller(caller: string): Promise<RotatingFiles<SigningIdentity> | undefined> {
    const { serviceName, walletDir, isCaller, check } = this.#options;
    // In lower case: a file system that ignores case has one file for both names.
    const isService = caller === serviceName?.toLowerCase();
    if (walletDir === undefined || isService || isCaller?.(caller) !== true) return undefined;
    const { mspId } = await this.#service.current();
    const files = walletIdentity(walletDir, caller, (identity, file) => {
      requireMsp(identity, file, mspId);
      check?.(identity, file);
    });
    try {
      return await openIdentity(caller, files, this.#notes, this.#options);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}

/** Reads the files of an identity, and records each certificate before it signs anything. */
function openIdentity(
  name: string,
  { paths, parse }: IdentityFiles,
  notes: CertificateNotes,
  { logger }: SignersOptions,
): Promise<RotatingFiles<SigningIdentity>> {
  return RotatingFiles.open({
    paths,
    parse: (texts) => {
      const identity = parse(texts);
      notes.note(name, identity.certificate);
      return identity;
    },
    what: name === SERVICE ? 'identity' : `identity of ${name}`,
    logger,
  });
}

/** Returns the file of an identity in a file-system wallet, and how to parse it. */
export function walletIdentity(walletDir: string, name: string, check?: CheckIdentity): IdentityFiles {
  const file = join(walletDir, `${name}.id`);
  return {
    paths: [file],
    parse: ([texts = []]) => {
      const identity = parseIdentity(texts.join(''), file);
      check?.(identity, file);
      return identity;
    },
  };
}

/** @throws `LEDGER.MISCONFIGURED` when the identity belongs to another organization */
export function requireMsp(identity: SigningIdentity, file: string, mspId: string): void {
  if (identity.mspId === mspId) return;
  const text = `The identity in ${file} belongs to ${identity.mspId}, but ${mspId} is required`;
  throw misconfigured(`${text}: use another identity, or correct LEDGER_MSP_ID.`);
}

/** The form of an X.509 identity in a wallet. */
interface WalletIdentity {
  readonly type?: unknown;
  readonly mspId?: unknown;
  readonly credentials?: { readonly certificate?: unknown; readonly privateKey?: unknown } | null;
}

function parseIdentity(text: string, file: string): SigningIdentity {
  const { type, mspId, credentials } = parseJson(text, file);
  const { certificate, privateKey } = credentials ?? {};
  const isComplete = [mspId, certificate, privateKey].every((value) => typeof value === 'string');
  if (type !== 'X.509' || !isComplete) {
    throw misconfigured(`${file} is not an X.509 identity of a wallet: create it with "${toolCommand('identity')}".`);
  }
  return signingIdentity({
    mspId: mspId as string,
    certificates: [certificate as string],
    privateKeys: [privateKey as string],
    origin: file,
  });
}

function parseJson(text: string, file: string): WalletIdentity {
  try {
    return (JSON.parse(text) ?? {}) as WalletIdentity;
  } catch (cause) {
    throw misconfigured(`${file} is not valid JSON.`, cause);
  }
}

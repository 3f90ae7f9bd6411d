import { join } from 'node:path';
import { LedgerError } from '../errors/ledger.errors.js';
import type { LedgerLogger } from '../ports/ledger.port.js';
import { SignerRegistry } from '../signers/signer-registry.js';
import type { CertificateNotes, NotedCertificate } from '../signers/certificate-notes.js';
import { isMissing, RotatingFiles, tellRotation, type FileTexts, type RotatingFilesOptions } from './rotating-files.js';
import { signingIdentity, type SigningIdentity } from './signing-identity.js';

/** An identity that signs, and the certificates that signed before it. */
export type KeptIdentity = SigningIdentity & { readonly former: readonly NotedCertificate[] };

/** Who signs for whom, each read again when its files change. */
export type Signers = SignerRegistry<RotatingFiles<KeptIdentity>>;

/** Settings of callers that sign for themselves. */
export interface CallerOptions {
  /** Directory of a file-system wallet as fabric-network keeps it: a caller's identity is the one of its name. */
  readonly walletDir?: string | undefined;
  /** The names that may be looked up in the wallet, which may hold other identities too; without it none may. */
  readonly isCaller?: ((name: string) => boolean) | undefined;
}

/** What the signers of one ledger are made of. */
export interface SignersOptions extends CallerOptions {
  /** Signs for nobody in particular; a caller's identity belongs to the same organisation. */
  readonly service: RotatingFiles<KeptIdentity>;
  /** What the service's identity is called in the wallet, if it stands there: never a caller's. */
  readonly serviceName?: string | undefined;
  readonly certificates: CertificateNotes;
  /** Throws when a driver cannot use a caller's identity. */
  readonly check?: CheckIdentity | undefined;
  /** See {@link RotatingFilesOptions}. */
  readonly lookAgainAfter: number;
  readonly logger?: LedgerLogger | undefined;
}

/** @throws `LEDGER.MISCONFIGURED` when the identity in that file cannot be used */
export type CheckIdentity = (identity: SigningIdentity, file: string) => void;

/** The identities of a wallet by name, beside the service's own. */
export function openSigners(options: SignersOptions): Signers {
  const { service, serviceName, walletDir, isCaller, check, certificates } = options;
  return new SignerRegistry(service, async (caller) => {
    // In lower case: on some systems one file has the names of both.
    const isService = caller === serviceName?.toLowerCase();
    if (walletDir === undefined || isService || isCaller?.(caller) !== true) return undefined;
    const { mspId } = await service.current();
    const checkCaller: CheckIdentity = (identity, file) => {
      requireMsp(identity, file, mspId);
      check?.(identity, file);
    };
    try {
      return await RotatingFiles.open({
        ...certificates.noting(caller, walletIdentityFile(walletDir, caller, checkCaller)),
        lookAgainAfter: options.lookAgainAfter,
        onChange: tellRotation(options.logger, `identity of ${caller}`),
        goneError: () =>
          new LedgerError('LEDGER.UNKNOWN_CALLER', `The identity of ${caller} has gone from the wallet.`),
      });
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  });
}

/** The file of an identity in a file-system wallet, and how it is read. */
export function walletIdentityFile(
  walletDir: string,
  name: string,
  check?: CheckIdentity,
): Pick<RotatingFilesOptions<SigningIdentity>, 'paths' | 'parse'> {
  const file = join(walletDir, `${name}.id`);
  return {
    paths: [file],
    parse: ([texts = []]: readonly FileTexts[]) => {
      const identity = parseIdentity(texts.join(''), file);
      check?.(identity, file);
      return identity;
    },
  };
}

/** @throws `LEDGER.MISCONFIGURED` when the identity belongs to another organisation */
export function requireMsp(identity: SigningIdentity, file: string, mspId: string): void {
  if (identity.mspId === mspId) return;
  throw new LedgerError(
    'LEDGER.MISCONFIGURED',
    `The identity in ${file} belongs to ${identity.mspId}, and ${mspId} is asked for: name another identity, or set LEDGER_MSP_ID right.`,
  );
}

function parseIdentity(text: string, file: string): SigningIdentity {
  const { credentials, mspId, type } = parseJson(text, file);
  if (type !== 'X.509' || typeof mspId !== 'string' || !isCredentials(credentials)) {
    throw new LedgerError(
      'LEDGER.MISCONFIGURED',
      `${file} is no X.509 identity of a wallet: make it with "npm run identity".`,
    );
  }
  const { certificate, privateKey } = credentials;
  return signingIdentity({ mspId, certificates: [certificate], privateKeys: [privateKey], origin: file });
}

function parseJson(text: string, file: string): Partial<Record<'credentials' | 'mspId' | 'type', unknown>> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch (cause) {
    throw new LedgerError('LEDGER.MISCONFIGURED', `${file} is not JSON, as an identity of a wallet is.`, { cause });
  }
}

function isCredentials(value: unknown): value is { readonly certificate: string; readonly privateKey: string } {
  if (typeof value !== 'object' || value === null) return false;
  const { certificate, privateKey } = value as Record<string, unknown>;
  return typeof certificate === 'string' && typeof privateKey === 'string';
}

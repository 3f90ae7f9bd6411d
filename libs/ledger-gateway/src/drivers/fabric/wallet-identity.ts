import { join } from 'node:path';
import { MisconfiguredError } from '../../errors/ledger.errors.js';
import type { FileTexts, RotatingFilesOptions } from '../../fabric-client/rotating-files.js';
import { signingIdentity, type SigningIdentity } from '../../fabric-client/signing-identity.js';

/**
 * The file of an identity in a file-system wallet, and how it is read.
 * @param requiredMspId refuses an identity of another organisation
 */
export function walletIdentityFile(
  walletDir: string,
  name: string,
  requiredMspId?: string,
): Pick<RotatingFilesOptions<SigningIdentity>, 'paths' | 'parse'> {
  const file = join(walletDir, `${name}.id`);
  return {
    paths: [file],
    parse: ([texts = []]: readonly FileTexts[]) => required(parseIdentity(texts.join(''), file), file, requiredMspId),
  };
}

function parseIdentity(text: string, file: string): SigningIdentity {
  const { credentials, mspId, type } = parseJson(text, file);
  if (type !== 'X.509' || typeof mspId !== 'string' || !isCredentials(credentials)) {
    throw new MisconfiguredError(`${file} is no X.509 identity of a wallet: make it with "npm run identity".`);
  }
  const { certificate, privateKey } = credentials;
  const identity = signingIdentity({ mspId, certificates: [certificate], privateKeys: [privateKey], origin: file });
  if (identity.keyKind !== 'Ed25519') return identity;
  throw new MisconfiguredError(
    `fabric-network knows no Ed25519 keys, as in ${file}: use LEDGER_DRIVER=fabric-gateway, or ECDSA.`,
  );
}

function required(identity: SigningIdentity, file: string, mspId = identity.mspId): SigningIdentity {
  if (identity.mspId === mspId) return identity;
  throw new MisconfiguredError(
    `The identity in ${file} belongs to ${identity.mspId}, and LEDGER_MSP_ID is ${mspId}: name another identity, or leave LEDGER_MSP_ID out.`,
  );
}

function parseJson(text: string, file: string): Partial<Record<'credentials' | 'mspId' | 'type', unknown>> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch (cause) {
    throw new MisconfiguredError(`${file} is not JSON, as an identity of a wallet is.`, { cause });
  }
}

function isCredentials(value: unknown): value is { readonly certificate: string; readonly privateKey: string } {
  if (typeof value !== 'object' || value === null) return false;
  const { certificate, privateKey } = value as Record<string, unknown>;
  return typeof certificate === 'string' && typeof privateKey === 'string';
}

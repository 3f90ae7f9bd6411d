import { MisconfiguredError, UnavailableError, type LedgerError } from '../../../errors/ledger.errors.js';

/** What the CA's client throws: the CA's answer has codes, everything else is a text or a system error. */
interface CaClientError extends Error {
  readonly errors?: readonly { readonly code: number; readonly message: string }[];
}

/** Codes of fabric-ca (lib/caerrors). */
const REASONS: Readonly<Record<number, string>> = {
  19: 'it has no certificate authority of that name: check FABRIC_CA_NAME or --ca-name',
  20: 'it does not know that id with that secret, or the secret was used as often as it may be',
  71: 'the registrar may not do that, or the affiliation is unknown there',
  74: 'an identity of that id is registered already',
};

/** The error for a request that the CA refused or never got. */
export function caError(error: unknown, url: string): LedgerError {
  const { errors: [first] = [], message } = error as CaClientError;
  if (first === undefined) {
    return new UnavailableError(`The certificate authority ${url} could not serve the request: ${message}`, {
      cause: error,
      endpoint: url,
    });
  }
  const reason = REASONS[first.code] ?? `${first.message} (code ${first.code})`;
  return new MisconfiguredError(`The certificate authority ${url} refuses: ${reason}.`, {
    cause: error,
    endpoint: url,
  });
}

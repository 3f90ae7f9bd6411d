import { LedgerError } from '../errors/ledger.errors.js';

/** The name of a caller becomes the name of a file and of a label in a wallet. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/;

/**
 * Names of a ledger's operators and nodes. Wallets store identities under them that no caller may use, and a caller's
 * certificate of such a name would be mistaken for theirs.
 */
const RESERVED = /^(service|user1|admin|administrator|registrar|root|(ca|peer|orderer)[0-9]*(\..*)?)$/;

/** Returns a sentence that states why a name cannot be a caller's; undefined for a valid name. */
export function callerNameFault(name: string): string | undefined {
  if (!NAME.test(name)) {
    return 'A name has 1 to 40 lower-case letters, digits, dots, hyphens and underscores, a letter or digit first.';
  }
  if (!RESERVED.test(name)) return undefined;
  return `The name "${name}" is reserved for the operators of the ledger: choose another one.`;
}

/** Caches the signers of the callers, which are loaded when first needed. The service signs for calls without a caller. */
export class SignerRegistry<S> {
  readonly #service: S;
  readonly #load: (caller: string) => Promise<S | undefined>;
  readonly #signers = new Map<string, S | Promise<S>>();

  /** @param load - loads the signer of a caller; resolves with undefined when there is none */
  constructor(service: S, load: (caller: string) => Promise<S | undefined>) {
    this.#service = service;
    this.#load = load;
  }

  /**
   * Returns the signer of a caller, without a promise if it is cached.
   * @throws `LEDGER.UNKNOWN_CALLER`, as a rejection, when the caller has no signer or the name is invalid
   */
  signerOf(caller: string | undefined): S | Promise<S> {
    if (caller === undefined) return this.#service;
    const known = this.#signers.get(caller);
    if (known !== undefined) return known;
    const found = this.#find(caller);
    this.#signers.set(caller, found);
    found.then(
      (signer) => this.#signers.set(caller, signer),
      () => this.#signers.delete(caller),
    );
    return found;
  }

  /** Removes a caller from the cache. */
  forget(caller: string): void {
    this.#signers.delete(caller);
  }

  async #find(caller: string): Promise<S> {
    const signer = callerNameFault(caller) === undefined ? await this.#load(caller) : undefined;
    if (signer !== undefined) return signer;
    const name = JSON.stringify(caller.slice(0, 64));
    throw new LedgerError('LEDGER.UNKNOWN_CALLER', `The caller ${name} has no signing identity.`);
  }
}

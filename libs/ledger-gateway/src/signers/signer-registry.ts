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

/** Loads the signer of a caller; resolves with undefined when there is none. */
export type LoadSigner<S> = (caller: string) => Promise<S | undefined>;

/** Caches the signers of the callers, which are loaded when first needed. The service signs for calls without a caller. */
export class SignerRegistry<S> {
  readonly #service: S;
  readonly #load: LoadSigner<S>;
  readonly #known = new Map<string, S>();
  readonly #loading = new Map<string, Promise<S>>();

  constructor(service: S, load: LoadSigner<S>) {
    this.#service = service;
    this.#load = load;
  }

  /**
   * Returns the signer of a caller, without a promise if it is cached.
   * @throws `LEDGER.UNKNOWN_CALLER`, as a rejection, when the caller has no signer or the name is invalid
   */
  signerOf(caller: string | undefined): S | Promise<S> {
    if (caller === undefined) return this.#service;
    return this.#known.get(caller) ?? this.#loading.get(caller) ?? this.#find(caller);
  }

  /** Removes a caller from the cache. */
  forget(caller: string): void {
    this.#known.delete(caller);
  }

  #find(caller: string): Promise<S> {
    const found = this.#lookUp(caller).finally(() => this.#loading.delete(caller));
    this.#loading.set(caller, found);
    return found;
  }

  async #lookUp(caller: string): Promise<S> {
    const signer = callerNameFault(caller) === undefined ? await this.#load(caller) : undefined;
    if (signer === undefined) {
      throw new LedgerError(
        'LEDGER.UNKNOWN_CALLER',
        `The caller ${JSON.stringify(caller.slice(0, 64))} has no signing identity.`,
      );
    }
    this.#known.set(caller, signer);
    return signer;
  }
}

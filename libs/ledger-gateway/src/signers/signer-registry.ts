import { LedgerError } from '../errors/ledger.errors.js';

/** What a caller may be called: it becomes the name of a file and of a label in a wallet. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/;

/**
 * Names of those who run a ledger, and of the services that sign on it: under them wallets keep what no caller may sign
 * with, and a certificate of such a name would be taken for theirs.
 */
const RESERVED = /^(service|user1|admin|administrator|registrar|root|(ca|peer|orderer)[0-9]*(\..*)?)$/;

/** Why somebody cannot be a caller by that name, as a sentence; undefined for a name that can be one. */
export function callerNameFault(name: string): string | undefined {
  if (!NAME.test(name)) {
    return 'A name has 1 to 40 lower-case letters, digits, dots, hyphens and underscores, a letter or digit first.';
  }
  if (!RESERVED.test(name)) return undefined;
  return `The name "${name}" is reserved for those who run the ledger: choose another one.`;
}

/** Finds what signs for a caller; undefined when there is nothing. */
export type LoadSigner<S> = (caller: string) => Promise<S | undefined>;

/**
 * Who signs for whom: the service for calls of nobody in particular, as all of them are unless a caller is named, and for
 * each caller an identity of its own, found by name when it is first needed. What was not found is looked for again.
 */
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
   * The signer of a caller, at once when it is known.
   * @throws `LEDGER.UNKNOWN_CALLER`, as a rejection, when nothing signs for the caller, or its name cannot be one
   */
  signerOf(caller: string | undefined): S | Promise<S> {
    if (caller === undefined) return this.#service;
    return this.#known.get(caller) ?? this.#loading.get(caller) ?? this.#find(caller);
  }

  /** The caller is looked up again at its next call. */
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
        `No identity signs for the caller ${JSON.stringify(caller.slice(0, 64))}.`,
      );
    }
    this.#known.set(caller, signer);
    return signer;
  }
}

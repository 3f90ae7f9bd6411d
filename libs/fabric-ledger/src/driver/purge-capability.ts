import { newestConfiguration } from '#chain-pages';
import { isLedgerError, LedgerError } from '#ledger-gateway';
import type { ChainQueries } from './chain.js';

/** The application capability from which on peers purge private data, as two numbers. */
const PURGING: readonly [number, number] = [2, 5];

/**
 * Checks before a purge whether the peers of a channel can erase private data. A peer before Fabric 2.5 does not answer the request:
 * it ends the connection of the chaincode, and with it all in-flight calls.
 */
export class PurgeCapability {
  readonly #channel: string;
  readonly #queries: ChainQueries;
  /** A channel keeps a capability for ever, because its peers may depend on it. */
  #isPresent = false;

  constructor(channel: string, queries: ChainQueries) {
    this.#channel = channel;
    this.#queries = queries;
  }

  /** @throws `LEDGER.NOT_SUPPORTED` on a channel without the capability, and what the ledger throws */
  async require(): Promise<void> {
    if (this.#isPresent) return;
    const capabilities = await this.#capabilities();
    if (capabilities?.some(isPurging) === false) {
      const text = `Channel ${this.#channel} does not have the application capability V2_5, without which peers erase no private data`;
      const remedy = 'Upgrade its peers to Fabric 2.5 and add the capability to its configuration';
      throw new LedgerError('LEDGER.NOT_SUPPORTED', `${text}. ${remedy}.`);
    }
    this.#isPresent = true;
  }

  /** Returns the application capabilities; undefined for a peer without the configuration, which was started from a snapshot. */
  async #capabilities(): Promise<readonly string[] | undefined> {
    try {
      return (await newestConfiguration(this.#queries.reader())).applicationCapabilities;
    } catch (error) {
      if (isLedgerError(error, 'LEDGER.NOT_SUPPORTED')) return undefined;
      throw error;
    }
  }
}

function isPurging(capability: string): boolean {
  const [, major, minor] = /^V(\d+)_(\d+)/.exec(capability) ?? [];
  const [needed, neededMinor] = PURGING;
  return Number(major) > needed || (Number(major) === needed && Number(minor) >= neededMinor);
}

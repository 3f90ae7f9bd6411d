import { newestConfiguration } from '#chain-pages';
import { isRefusal, type LedgerCall } from '#ledger-gateway';
import { unknownOrganization } from '#ledger-gateway/driver';
import { isFault, policyError } from './call-errors.js';
import type { ChainQueries } from './chain.js';
import { PACE, type FabricCall } from './fabric-transport.js';
import { jittered, pause } from './waiting.js';

/** The metadata of a chaincode, which it returns or refuses without any effect. */
const PROBE: LedgerCall = { function: 'org.hyperledger.fabric:GetMetadata', arguments: [] };
const DELAY = { base: 200, most: 1000 };

/** The parts of a channel that {@link EndorserFaults} uses. */
export interface EndorserFaultsParts {
  readonly channel: string;
  readonly queries: ChainQueries;
  readonly evaluate: (call: FabricCall) => Promise<unknown>;
}

/**
 * Finds out why peers report that no peers can endorse a call. The same text is temporary for some seconds after the restart of a
 * peer, lasts while an organization's peers are down, and never changes for an organization that does not exist or for policies
 * that no combination of peers satisfies. The retries of a call and the channel's configuration distinguish them.
 */
export class EndorserFaults {
  readonly #parts: EndorserFaultsParts;

  constructor(parts: EndorserFaultsParts) {
    this.#parts = parts;
  }

  /**
   * Repeats a call for which no peers could endorse, for as long as that may be temporary.
   * @param cause - the error of the first attempt
   * @throws `LEDGER.ORGANIZATION_UNKNOWN` for an organization that the channel does not have, `LEDGER.POLICY_UNSATISFIABLE` when the peers of
   * all organizations respond, else the error of the last attempt
   */
  async repeat<T>(call: FabricCall, cause: unknown, work: () => Promise<T>): Promise<T> {
    await this.#requireOrganizations(call);
    const deadline = Date.now() + PACE.endorsers;
    for (let attempt = 0, error = cause; ; attempt++) {
      if (!(await pause(jittered(attempt, DELAY), { deadline }))) throw await this.#lastingError(call, error);
      try {
        return await work();
      } catch (failure) {
        if (!isFault(failure, 'endorsers-missing')) throw failure;
        error = failure;
      }
    }
  }

  async #requireOrganizations({ caller, endorsingOrganizations = [] }: FabricCall): Promise<void> {
    if (endorsingOrganizations.length === 0) return;
    const organizations = await this.#organizations(caller);
    const unknown = endorsingOrganizations.find((mspId) => organizations?.includes(mspId) === false);
    if (unknown !== undefined) throw unknownOrganization(this.#parts.channel, unknown);
  }

  async #lastingError(call: FabricCall, cause: unknown): Promise<unknown> {
    if (call.endorsingOrganizations !== undefined) return cause;
    const organizations = (await this.#organizations(call.caller)) ?? [];
    const respond = await Promise.all(organizations.map((mspId) => this.#responds(call, mspId)));
    return respond.length > 0 && respond.every(Boolean) ? policyError(call, cause) : cause;
  }

  /** Returns the MSP ids of the channel's organizations; undefined when the peer does not have the configuration. */
  async #organizations(caller: string | undefined): Promise<readonly string[] | undefined> {
    try {
      return (await newestConfiguration(this.#parts.queries.reader(caller))).applicationOrganisations;
    } catch {
      return undefined;
    }
  }

  /** Returns whether a peer of an organization executes the chaincode. It gets neither arguments nor transient data of the call. */
  async #responds({ channel, chaincode, caller }: FabricCall, mspId: string): Promise<boolean> {
    try {
      await this.#parts.evaluate({ ...PROBE, channel, chaincode, caller, endorsingOrganizations: [mspId] });
      return true;
    } catch (error) {
      return isRefusal(error);
    }
  }
}

import { policyOrganizations } from '#fabric-codec';
import type { ReadWriteSets } from '#fabric-codec/encode';
import type { LedgerLogger } from '#ledger-gateway';

/** The name of the endorsement policy among the metadata of a key (`protos.MetaDataKeys.VALIDATION_PARAMETER`). */
const POLICY = 'VALIDATION_PARAMETER';

/** Warns once for each chaincode that gives a key a policy that this ledger, the peer of one organization, could not satisfy. */
export class KeyPolicyWarning {
  readonly #mspId: string;
  readonly #logger: LedgerLogger | undefined;
  readonly #warned = new Set<string>();

  constructor(mspId: string, logger: LedgerLogger | undefined) {
    this.#mspId = mspId;
    this.#logger = logger;
  }

  /** Examines the writes of a committed transaction. */
  check(sets: ReadWriteSets): void {
    for (const [chaincode, { metadataWrites = [] }] of sets) {
      if (this.#warned.has(chaincode)) continue;
      const others = metadataWrites
        .flatMap(({ entries }) => entries)
        .flatMap(({ name, value }) => (name === POLICY ? [policyOrganizations(value) ?? []] : []))
        .find((organizations) => organizations.length > 0 && !organizations.includes(this.#mspId));
      if (others === undefined) continue;
      this.#warned.add(chaincode);
      const text = `The chaincode "${chaincode}" gave a key an endorsement policy without ${this.#mspId}: ${others.join(', ')}`;
      const reason = 'It is recorded and not evaluated. On a network only these organizations could change the key.';
      this.#logger?.warn({ chaincode, organizations: others }, `${text}. ${reason}`);
    }
  }
}

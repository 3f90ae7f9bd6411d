import definitions from '@hyperledger/fabric-protos/lib/peer/lifecycle/chaincode_definition_pb.js';
import database from '@hyperledger/fabric-protos/lib/peer/lifecycle/db_pb.js';
import policy from '@hyperledger/fabric-protos/lib/peer/policy_pb.js';
import type { CollectionSets, NamespaceSets } from '../../decode/decode-read-write-sets.js';
import { attempt, readMessage } from '../../decode/read-message.js';
import type { ChannelTrust } from './channel-trust.js';
import type { Member } from './organisation.js';

const LIFECYCLE = '_lifecycle';
const LIFECYCLE_POLICY = '/Channel/Application/LifecycleEndorsement';
const DEFAULT_POLICY = '/Channel/Application/Endorsement';
/** Where `_lifecycle` keeps the policy of each chaincode. */
const VALIDATION_INFO = /^namespaces\/fields\/([^/]+)\/ValidationInfo$/;
/** The collection that each organisation has in `_lifecycle` for its own approvals. */
const IMPLICIT_COLLECTION = /^_implicit_org_(.+)$/;

/** Who must endorse: learnt from the definitions of chaincodes that the chain itself holds. */
export class EndorsementPolicies {
  /** Undefined for one whose policy cannot be decoded. */
  readonly #chaincodes = new Map<string, policy.ApplicationPolicy | undefined>();
  /** Namespaces with keys that have a policy of their own, which this does not follow. */
  readonly #keyed = new Set<string>();

  /** Learns from what a valid transaction wrote. */
  learn(namespaces: readonly NamespaceSets[]): void {
    for (const { namespace, writes, metadataWrites } of namespaces) {
      if (metadataWrites.length > 0) this.#keyed.add(namespace);
      if (namespace !== LIFECYCLE) continue;
      for (const { key, value } of writes) {
        const name = VALIDATION_INFO.exec(key)?.[1];
        if (name !== undefined && value !== undefined)
          this.#chaincodes.set(
            name,
            attempt(() => readPolicy(value)),
          );
      }
    }
  }

  /** Who must endorse a chaincode, as the chain says it so far: the path of a policy, or in words. */
  nameOf(chaincode: string): string {
    if (chaincode === LIFECYCLE) return LIFECYCLE_POLICY;
    if (!this.#chaincodes.has(chaincode)) return DEFAULT_POLICY;
    const own = this.#chaincodes.get(chaincode);
    if (own === undefined) return 'a policy that cannot be read';
    return own.hasSignaturePolicy() ? 'a signature policy of its own' : own.getChannelConfigPolicyReference();
  }

  /**
   * Whether the endorsers suffice for what a call wrote.
   * @returns undefined when that hangs on policies that this version does not follow
   */
  areSatisfied(
    trust: ChannelTrust,
    call: Readonly<{ chaincode: string; namespaces: readonly NamespaceSets[] }>,
    endorsers: readonly Member[],
  ): boolean | undefined {
    const written = call.namespaces.filter((sets) => isWritten(sets));
    const names = new Set([call.chaincode, ...written.map(({ namespace }) => namespace)]);
    const results = [...names].map((name) => {
      const sets = written.find(({ namespace }) => namespace === name);
      return this.#isSatisfied(trust, { name, sets }, endorsers);
    });
    return and(results);
  }

  /** As in Fabric's validator_keylevel: a collection's own policy stands in for the chaincode's. */
  #isSatisfied(
    trust: ChannelTrust,
    { name, sets }: Readonly<{ name: string; sets: NamespaceSets | undefined }>,
    endorsers: readonly Member[],
  ): boolean | undefined {
    const collections = sets?.collections.filter(isWrittenCollection) ?? [];
    const results = collections.map(({ collection }) => satisfiesCollection(trust, collection, endorsers));
    const isOnlyInCollections = sets !== undefined && collections.length > 0 && sets.writes.length === 0;
    if (!isOnlyInCollections) results.push(this.#satisfiesChaincode(trust, name, endorsers));
    const result = and(results);
    return result === false && this.#keyed.has(name) ? undefined : result;
  }

  #satisfiesChaincode(trust: ChannelTrust, name: string, endorsers: readonly Member[]): boolean | undefined {
    if (name === LIFECYCLE) return trust.satisfies(LIFECYCLE_POLICY, endorsers);
    if (!this.#chaincodes.has(name)) return trust.satisfies(DEFAULT_POLICY, endorsers);
    const own = this.#chaincodes.get(name);
    const signature = own?.getSignaturePolicy();
    if (signature !== undefined) return trust.satisfiesPolicy(signature, endorsers);
    return own && trust.satisfies(own.getChannelConfigPolicyReference(), endorsers);
  }
}

/** Message `lifecycle.StateData` with a `ChaincodeValidationInfo` with an `ApplicationPolicy` in it. */
function readPolicy(value: Uint8Array): policy.ApplicationPolicy {
  const state = readMessage(database.StateData, value);
  const info = readMessage(definitions.ChaincodeValidationInfo, state.getBytes_asU8());
  return readMessage(policy.ApplicationPolicy, info.getValidationParameter_asU8());
}

function satisfiesCollection(
  trust: ChannelTrust,
  collection: string,
  endorsers: readonly Member[],
): boolean | undefined {
  const mspId = IMPLICIT_COLLECTION.exec(collection)?.[1];
  const group = mspId === undefined ? undefined : trust.applicationGroup(mspId);
  return group === undefined ? undefined : trust.satisfies(`${group}/Endorsement`, endorsers);
}

function isWritten({ writes, metadataWrites, collections }: NamespaceSets): boolean {
  return writes.length > 0 || metadataWrites.length > 0 || collections.some(isWrittenCollection);
}

function isWrittenCollection({ writes, metadataWrites }: CollectionSets): boolean {
  return writes.length > 0 || metadataWrites.length > 0;
}

/** False if one is, else undefined if one is. */
function and(results: readonly (boolean | undefined)[]): boolean | undefined {
  if (results.includes(false)) return false;
  return results.includes(undefined) ? undefined : true;
}

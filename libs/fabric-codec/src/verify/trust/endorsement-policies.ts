import type { CollectionSets, NamespaceSets } from '../../decode/decode-envelope.js';
import { attempt, decodeMessage } from '../../messages/decode-message.js';
import { ApplicationPolicy, ChaincodeValidationInfo, StateData } from '../../messages/fabric-messages.js';
import type { Decoded } from '../../messages/schema.js';
import type { ChannelTrust } from './channel-trust.js';
import type { Member } from './organisation.js';

const LIFECYCLE = '_lifecycle';
const LIFECYCLE_POLICY = '/Channel/Application/LifecycleEndorsement';
const DEFAULT_POLICY = '/Channel/Application/Endorsement';
/** The key under which `_lifecycle` stores the policy of a chaincode. */
const VALIDATION_INFO = /^namespaces\/fields\/([^/]+)\/ValidationInfo$/;
/** The collection of an organization that every chaincode has, such as `_lifecycle` with its approvals. */
const IMPLICIT_COLLECTION = /^_implicit_org_(.+)$/;

/** The endorsement policies of chaincodes, learned from the definitions in the chain. */
export class EndorsementPolicies {
  /** Undefined for one whose policy cannot be decoded. */
  readonly #chaincodes = new Map<string, Decoded<typeof ApplicationPolicy> | undefined>();
  /** Namespaces with keys that have their own policy, which is not checked. */
  readonly #keyed = new Set<string>();

  /** Learns from the writes of a valid transaction. */
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

  /** Returns who must endorse a chaincode after the chain so far: the path of a policy, or words. */
  nameOf(chaincode: string): string {
    if (chaincode === LIFECYCLE) return LIFECYCLE_POLICY;
    if (!this.#chaincodes.has(chaincode)) return DEFAULT_POLICY;
    const own = this.#chaincodes.get(chaincode);
    if (own === undefined) return 'a policy that cannot be read';
    return own.signaturePolicy === undefined ? own.channelConfigPolicyReference : 'a signature policy of its own';
  }

  /**
   * Returns whether the endorsers suffice for the writes of a call.
   * @returns undefined when that depends on policies that this version does not check
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

  /** As in Fabric's validator_keylevel: a collection's own policy replaces the chaincode's. */
  #isSatisfied(
    trust: ChannelTrust,
    { name, sets }: Readonly<{ name: string; sets: NamespaceSets | undefined }>,
    endorsers: readonly Member[],
  ): boolean | undefined {
    const collections = sets?.collections.filter(isWrittenCollection) ?? [];
    const results = collections.map(({ collection }) =>
      this.#satisfiesCollection(trust, { name, collection }, endorsers),
    );
    const isOnlyInCollections = sets !== undefined && collections.length > 0 && sets.writes.length === 0;
    if (!isOnlyInCollections) results.push(this.#satisfiesChaincode(trust, name, endorsers));
    const result = and(results);
    return result === false && this.#keyed.has(name) ? undefined : result;
  }

  /** The default policy is that of the chaincode; definitions of collections are not read. */
  #satisfiesCollection(
    trust: ChannelTrust,
    { name, collection }: Readonly<{ name: string; collection: string }>,
    endorsers: readonly Member[],
  ): boolean | undefined {
    const mspId = IMPLICIT_COLLECTION.exec(collection)?.[1];
    const group = mspId === undefined ? undefined : trust.applicationGroup(mspId);
    if (group !== undefined) return trust.satisfies(`${group}/Endorsement`, endorsers);
    const isDefined = name === LIFECYCLE || this.#chaincodes.has(name);
    return isDefined ? undefined : this.#satisfiesChaincode(trust, name, endorsers);
  }

  #satisfiesChaincode(trust: ChannelTrust, name: string, endorsers: readonly Member[]): boolean | undefined {
    if (name === LIFECYCLE) return trust.satisfies(LIFECYCLE_POLICY, endorsers);
    if (!this.#chaincodes.has(name)) return trust.satisfies(DEFAULT_POLICY, endorsers);
    const own = this.#chaincodes.get(name);
    if (own?.signaturePolicy !== undefined) return trust.satisfiesPolicy(own.signaturePolicy, endorsers);
    return own && trust.satisfies(own.channelConfigPolicyReference, endorsers);
  }
}

/** Decodes a `lifecycle.StateData` that contains a `ChaincodeValidationInfo` that contains an `ApplicationPolicy`. */
function readPolicy(value: Uint8Array): Decoded<typeof ApplicationPolicy> {
  const state = decodeMessage(StateData, value);
  const info = decodeMessage(ChaincodeValidationInfo, state.bytes);
  return decodeMessage(ApplicationPolicy, info.validationParameter);
}

function isWritten({ writes, metadataWrites, collections }: NamespaceSets): boolean {
  return writes.length > 0 || metadataWrites.length > 0 || collections.some(isWrittenCollection);
}

function isWrittenCollection({ hashedWrites, metadataWrites }: CollectionSets): boolean {
  return hashedWrites.length > 0 || metadataWrites.length > 0;
}

/** Returns false if one is false, else undefined if one is undefined. */
function and(results: readonly (boolean | undefined)[]): boolean | undefined {
  if (results.includes(false)) return false;
  return results.includes(undefined) ? undefined : true;
}

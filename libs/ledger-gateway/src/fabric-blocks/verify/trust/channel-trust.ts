import { Buffer } from 'node:buffer';
import { decodeEnvelope, decodeIdentity } from '../../decode/decode-envelope.js';
import { attempt, decodeMessage, decoding } from '../../messages/decode-message.js';
import {
  ConfigEnvelope,
  ImplicitMetaPolicy,
  PolicyRule,
  PolicyType,
  SignaturePolicyEnvelope,
  type ConfigGroup,
} from '../../messages/fabric-messages.js';
import type { Decoded } from '../../messages/schema.js';
import { quotedShort } from '../../messages/text.js';
import { Organisation, type Member } from './organisation.js';
import { satisfiesSignaturePolicy } from './signature-policy.js';

/** Size limit of a cache of one kind, such as members: a channel rarely has more. */
const CACHE_SIZE = 1000;

/** Adds a result to a cache, which is emptied first when it is full. */
export function remember<T>(known: Map<string, T>, key: string, value: T): T {
  if (known.size >= CACHE_SIZE) known.clear();
  known.set(key, value);
  return value;
}

/** The members and policies of a channel, as a configuration block defines them. */
export class ChannelTrust {
  readonly channelId: string;
  /** Increases by one with each configuration. */
  readonly sequence: number;
  readonly #root: ConfigGroup;
  readonly #organisations: ReadonlyMap<string, Organisation>;
  readonly #members = new Map<string, Member | string>();
  readonly #satisfied = new Map<string, boolean | undefined>();

  /**
   * Reads the configuration in an envelope of the type CONFIG.
   * @throws `LEDGER.DAMAGED` when it cannot be read
   */
  static fromEnvelope(bytes: Uint8Array): ChannelTrust {
    const { channelId, data } = decodeEnvelope(bytes);
    return decoding('channel configuration', () => {
      const { config } = decodeMessage(ConfigEnvelope, data);
      if (config?.channelGroup === undefined) throw new RangeError('no channel group');
      return new ChannelTrust(channelId, config.sequence, config.channelGroup);
    });
  }

  private constructor(channelId: string, sequence: number, root: ConfigGroup) {
    this.channelId = channelId;
    this.sequence = sequence;
    this.#root = root;
    this.#organisations = readOrganisations(root);
  }

  /** The organizations with revocation lists, which are not checked. */
  get revokingOrganisations(): string[] {
    return [...this.#organisations.values()].filter((it) => it.revokes).map((it) => it.mspId);
  }

  /** Returns the member that a serialized identity names, or why it names none. */
  member(identity: Uint8Array): Member | string {
    const key = Buffer.from(identity).toString('latin1');
    const known = this.#members.get(key);
    if (known !== undefined) return known;
    const found = this.#readMember(identity);
    return remember(this.#members, key, found);
  }

  /**
   * Returns whether the signers satisfy a policy, named by its path such as `/Channel/Application/Writers`.
   * @returns undefined when there is no such policy, or it cannot be decoded
   */
  satisfies(path: string, signers: readonly Member[]): boolean | undefined {
    // The fingerprint of a certificate identifies a member, and the same signers appear again and again.
    const key = [path, ...signers.map(({ mspId, fingerprint }) => `${fingerprint}${mspId}`)].join();
    const known = this.#satisfied.get(key);
    if (known !== undefined) return known;
    return remember(this.#satisfied, key, this.#satisfies(path, signers));
  }

  #satisfies(path: string, signers: readonly Member[]): boolean | undefined {
    const names = path.split('/').slice(2);
    const policyName = names.pop() ?? '';
    let group: ConfigGroup | undefined = this.#root;
    for (const name of names) group = group?.groups.get(name);
    return attempt(() => group && this.#satisfiesNamed(group, policyName, signers));
  }

  /** Returns whether the signers satisfy a policy from outside the configuration, such as a chaincode's. */
  satisfiesPolicy(policy: Decoded<typeof SignaturePolicyEnvelope>, signers: readonly Member[]): boolean | undefined {
    return attempt(() => satisfiesSignaturePolicy(policy, signers, this.#organisations));
  }

  /** Returns the path of the group of the application organization with that MSP id. */
  applicationGroup(mspId: string): string | undefined {
    for (const [name, { values }] of this.#root.groups.get('Application')?.groups ?? []) {
      const msp = values.get('MSP');
      if (msp !== undefined && new Organisation(msp.value).mspId === mspId) return `/Channel/Application/${name}`;
    }
    return undefined;
  }

  #readMember(bytes: Uint8Array): Member | string {
    const identity = attempt(() => decodeIdentity(bytes));
    if (identity === undefined) return 'the identity cannot be decoded';
    const organisation = this.#organisations.get(identity.mspId);
    if (organisation !== undefined) {
      return (
        attempt(() => organisation.member(identity.idBytes)) ?? 'the certificate is of a kind that cannot be checked'
      );
    }
    return `no organization of the channel has the MSP id ${quotedShort(identity.mspId)}`;
  }

  #satisfiesNamed(group: ConfigGroup, name: string, signers: readonly Member[]): boolean | undefined {
    const policy = group.policies.get(name)?.policy;
    switch (policy?.type) {
      case PolicyType.SIGNATURE:
        return this.satisfiesPolicy(decodeMessage(SignaturePolicyEnvelope, policy.value), signers);
      case PolicyType.IMPLICIT_META:
        return this.#satisfiesImplicitly(group, decodeMessage(ImplicitMetaPolicy, policy.value), signers);
      default:
        return undefined;
    }
  }

  /** As Fabric's policies.ImplicitMetaPolicy: groups without that policy count as not satisfying it. */
  #satisfiesImplicitly(
    { groups }: ConfigGroup,
    { subPolicy, rule }: Decoded<typeof ImplicitMetaPolicy>,
    signers: readonly Member[],
  ): boolean {
    const satisfied = [...groups.values()].filter((child) => this.#satisfiesNamed(child, subPolicy, signers) === true);
    return satisfied.length >= Math.min(threshold(rule, groups.size), groups.size);
  }
}

function threshold(rule: number, groups: number): number {
  switch (rule) {
    case PolicyRule.ANY:
      return 1;
    case PolicyRule.MAJORITY:
      return Math.floor(groups / 2) + 1;
    default:
      return groups;
  }
}

/** Returns every organization in the tree; an organization in several places has the same definition in each. */
function readOrganisations(root: ConfigGroup): Map<string, Organisation> {
  const organisations = new Map<string, Organisation>();
  const visit = ({ groups, values }: ConfigGroup): void => {
    const msp = values.get('MSP');
    if (msp !== undefined) {
      const organisation = new Organisation(msp.value);
      organisations.set(organisation.mspId, organisation);
    }
    groups.forEach(visit);
  };
  visit(root);
  return organisations;
}

import configtx from '@hyperledger/fabric-protos/lib/common/configtx_pb.js';
import policies from '@hyperledger/fabric-protos/lib/common/policies_pb.js';
import { Buffer } from 'node:buffer';
import { decodeEnvelope, readIdentity } from '../../decode/decode-envelope.js';
import { attempt, decoding, readMessage } from '../../decode/read-message.js';
import { Organisation, type Member } from './organisation.js';
import { satisfiesSignaturePolicy } from './signature-policy.js';

type Group = configtx.ConfigGroup;

/** Things that are remembered of one kind, such as members: a channel rarely has more. */
const REMEMBERED = 1000;

/** Puts into a map what was costly to find; one that is full begins anew. */
export function remember<T>(known: Map<string, T>, key: string, value: T): T {
  if (known.size >= REMEMBERED) known.clear();
  known.set(key, value);
  return value;
}

/** Whom a channel trusts with what: what a configuration block says. */
export class ChannelTrust {
  readonly channelId: string;
  /** Grows by one with each configuration. */
  readonly sequence: number;
  readonly #root: Group;
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
      const config = readMessage(configtx.ConfigEnvelope, data).getConfig();
      const group = config?.getChannelGroup();
      if (config === undefined || group === undefined) throw new RangeError('no channel group');
      return new ChannelTrust(channelId, config.getSequence(), group);
    });
  }

  private constructor(channelId: string, sequence: number, root: Group) {
    this.channelId = channelId;
    this.sequence = sequence;
    this.#root = root;
    this.#organisations = readOrganisations(root);
  }

  /** The organisations whose revocation lists are not looked into. */
  get revokingOrganisations(): string[] {
    return [...this.#organisations.values()].filter((it) => it.revokes).map((it) => it.mspId);
  }

  /** The member that a serialized identity names, or why it names none. */
  member(identity: Uint8Array): Member | string {
    const key = Buffer.from(identity).toString('latin1');
    const known = this.#members.get(key);
    if (known !== undefined) return known;
    const found = this.#readMember(identity);
    return remember(this.#members, key, found);
  }

  /**
   * Whether the signers satisfy a policy, named by its path such as `/Channel/Application/Writers`.
   * @returns undefined when there is no such policy, or it cannot be decoded
   */
  satisfies(path: string, signers: readonly Member[]): boolean | undefined {
    // Nobody else in an organisation has the same certificate, and the same signers come again and again.
    const key = [path, ...signers.map(({ mspId, fingerprint }) => `${fingerprint}${mspId}`)].join();
    const known = this.#satisfied.get(key);
    if (known !== undefined) return known;
    return remember(this.#satisfied, key, this.#satisfies(path, signers));
  }

  #satisfies(path: string, signers: readonly Member[]): boolean | undefined {
    const names = path.split('/').slice(2);
    const policyName = names.pop() ?? '';
    let group: Group | undefined = this.#root;
    for (const name of names) group = group?.getGroupsMap().get(name);
    return attempt(() => group && this.#satisfiesNamed(group, policyName, signers));
  }

  /** Whether the signers satisfy a policy that stands elsewhere than in the configuration, such as a chaincode's. */
  satisfiesPolicy(policy: policies.SignaturePolicyEnvelope, signers: readonly Member[]): boolean | undefined {
    return attempt(() => satisfiesSignaturePolicy(policy, signers, this.#organisations));
  }

  /** The path of the group of the application organisation with that MSP id. */
  applicationGroup(mspId: string): string | undefined {
    let path: string | undefined;
    this.#root
      .getGroupsMap()
      .get('Application')
      ?.getGroupsMap()
      .forEach((group, name) => {
        const msp = group.getValuesMap().get('MSP');
        if (msp !== undefined && new Organisation(msp.getValue_asU8()).mspId === mspId) {
          path = `/Channel/Application/${name}`;
        }
      });
    return path;
  }

  #readMember(bytes: Uint8Array): Member | string {
    const identity = attempt(() => readIdentity(bytes));
    if (identity === undefined) return 'the identity cannot be decoded';
    const organisation = this.#organisations.get(identity.mspId);
    if (organisation !== undefined) {
      return (
        attempt(() => organisation.member(identity.idBytes)) ?? 'the certificate is of a kind that cannot be checked'
      );
    }
    return `no organisation of the channel has the MSP id ${JSON.stringify(identity.mspId)}`;
  }

  #satisfiesNamed(group: Group, name: string, signers: readonly Member[]): boolean | undefined {
    const policy = group.getPoliciesMap().get(name)?.getPolicy();
    switch (policy?.getType()) {
      case policies.Policy.PolicyType.SIGNATURE:
        return this.satisfiesPolicy(readMessage(policies.SignaturePolicyEnvelope, policy.getValue_asU8()), signers);
      case policies.Policy.PolicyType.IMPLICIT_META:
        return this.#satisfiesImplicitly(
          group,
          readMessage(policies.ImplicitMetaPolicy, policy.getValue_asU8()),
          signers,
        );
      default:
        return undefined;
    }
  }

  /** As Fabric's policies.ImplicitMetaPolicy: groups without that policy count as not satisfying it. */
  #satisfiesImplicitly(group: Group, policy: policies.ImplicitMetaPolicy, signers: readonly Member[]): boolean {
    const results: boolean[] = [];
    group.getGroupsMap().forEach((child) => {
      results.push(this.#satisfiesNamed(child, policy.getSubPolicy(), signers) === true);
    });
    const satisfied = results.filter(Boolean).length;
    return satisfied >= Math.min(threshold(policy.getRule(), results.length), results.length);
  }
}

function threshold(rule: number, groups: number): number {
  switch (rule) {
    case policies.ImplicitMetaPolicy.Rule.ANY:
      return 1;
    case policies.ImplicitMetaPolicy.Rule.MAJORITY:
      return Math.floor(groups / 2) + 1;
    default:
      return groups;
  }
}

/** Every organisation in the tree; one that stands in several places has the same definition in each. */
function readOrganisations(root: Group): Map<string, Organisation> {
  const organisations = new Map<string, Organisation>();
  const visit = (group: Group): void => {
    const msp = group.getValuesMap().get('MSP');
    if (msp !== undefined) {
      const organisation = new Organisation(msp.getValue_asU8());
      organisations.set(organisation.mspId, organisation);
    }
    group.getGroupsMap().forEach(visit);
  };
  visit(root);
  return organisations;
}

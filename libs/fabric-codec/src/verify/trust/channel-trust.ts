import type { X509Certificate } from 'node:crypto';
import { decodeEnvelope, decodeIdentity } from '../../decode/decode-envelope.js';
import { attempt, decodeMessage, decoding } from '../../messages/decode-message.js';
import { Classification, PolicyRule, PolicyType, RoleType } from '../../messages/enums.js';
import {
  Capabilities,
  ConfigEnvelope,
  ImplicitMetaPolicy,
  MSPRole,
  OrganizationUnit,
  SignaturePolicyEnvelope,
  type ConfigGroup,
  type SignaturePolicyMessage,
} from '../../messages/fabric-messages.js';
import type { Decoded } from '../../messages/schema.js';
import { quotedShort } from '../../messages/text.js';
import type { Role } from './membership.js';
import {
  cached,
  identityKey,
  readCertificate,
  readOrganisation,
  type Member,
  type Organisation,
} from './organisation.js';

type SignaturePolicy = Decoded<typeof SignaturePolicyEnvelope>;

const ROLES = Object.keys(RoleType) as Role[];

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
    this.#organisations = new Map(organisationsIn(root).map((found) => [found.definition.mspId, found]));
  }

  /** The organizations with revocation lists, which are not checked. */
  get revokingOrganisations(): string[] {
    return [...this.#organisations].filter(([, { definition }]) => definition.revokes).map(([mspId]) => mspId);
  }

  /** The MSP ids of the organizations whose peers endorse. */
  get applicationOrganisations(): string[] {
    const group = this.#root.groups.get('Application');
    return group === undefined ? [] : organisationsIn(group).map(({ definition }) => definition.mspId);
  }

  /** The capabilities that each of these peers has, such as `V2_5`. */
  get applicationCapabilities(): readonly string[] {
    const value = this.#root.groups.get('Application')?.values.get('Capabilities')?.value;
    return value === undefined ? [] : [...decodeMessage(Capabilities, value).capabilities.keys()];
  }

  /** Returns the roots and intermediates of an organization; undefined when the channel has none with that MSP id. */
  authorities(mspId: string): readonly X509Certificate[] | undefined {
    const definition = this.#organisations.get(mspId)?.definition;
    return definition && [...definition.roots, ...definition.intermediates];
  }

  /** Returns the member that a serialized identity names, or why it names none. */
  member(identity: Uint8Array): Member | string {
    return cached(this.#members, identityKey(identity), () => {
      const decoded = attempt(() => decodeIdentity(identity));
      if (decoded === undefined) return 'the identity cannot be decoded';
      const { mspId, idBytes } = decoded;
      const organisation = this.#organisations.get(mspId);
      return organisation?.member(idBytes) ?? `no organization of the channel has the MSP id ${quotedShort(mspId)}`;
    });
  }

  /**
   * Returns whether the signers satisfy a policy, named by its path such as `/Channel/Application/Writers`.
   * @returns undefined when there is no such policy, or it cannot be decoded
   */
  satisfies(path: string, signers: readonly Member[]): boolean | undefined {
    // The fingerprint of a certificate identifies a member, and the same signers appear again and again.
    const key = [path, ...signers.map(({ mspId, fingerprint }) => `${fingerprint}${mspId}`)].join();
    return cached(this.#satisfied, key, () => {
      const names = path.split('/').slice(2);
      const policyName = names.pop() ?? '';
      let group: ConfigGroup | undefined = this.#root;
      for (const name of names) group = group?.groups.get(name);
      return attempt(() => group && this.#satisfiesNamed(group, policyName, signers));
    });
  }

  /**
   * Returns whether the signers satisfy a signature policy, such as a chaincode's. As in Fabric's cauthdsl, each signer counts
   * for one leaf of the rule only, and leaves are filled in their order.
   */
  satisfiesPolicy({ rule, identities }: SignaturePolicy, signers: readonly Member[]): boolean | undefined {
    const isLeaf = (index: number, signer: Member): boolean => {
      const principal = identities[index];
      return principal !== undefined && this.#isPrincipal(signer, principal);
    };
    return attempt(() => rule !== undefined && fill(rule, signers, isLeaf) !== undefined);
  }

  /** Returns the path of the group of the application organization with that MSP id. */
  applicationGroup(mspId: string): string | undefined {
    const groups = this.#root.groups.get('Application')?.groups ?? new Map<string, ConfigGroup>();
    for (const [name, { values }] of groups) {
      const msp = values.get('MSP');
      if (msp !== undefined && readOrganisation(msp.value).definition.mspId === mspId) {
        return `/Channel/Application/${name}`;
      }
    }
    return undefined;
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

  #isPrincipal(signer: Member, { principalClassification, principal }: SignaturePolicy['identities'][number]): boolean {
    switch (principalClassification) {
      case Classification.ROLE: {
        const wanted = decodeMessage(MSPRole, principal);
        const role = ROLES.find((name) => RoleType[name] === wanted.role);
        if (wanted.mspIdentifier !== signer.mspId || role === undefined) return false;
        return this.#organisations.get(signer.mspId)?.hasRole(signer, role) === true;
      }
      case Classification.ORGANIZATION_UNIT: {
        const unit = decodeMessage(OrganizationUnit, principal);
        return unit.mspIdentifier === signer.mspId && signer.units.includes(unit.organizationalUnitIdentifier);
      }
      case Classification.IDENTITY: {
        const { mspId, idBytes } = decodeIdentity(principal);
        return mspId === signer.mspId && readCertificate(idBytes)?.raw.equals(signer.certificate.raw) === true;
      }
      default:
        return false;
    }
  }
}

/** Returns the signers that the rule does not need; undefined when they do not suffice. */
function fill(
  { signedBy, nOutOf }: SignaturePolicyMessage,
  signers: readonly Member[],
  isLeaf: (index: number, signer: Member) => boolean,
): readonly Member[] | undefined {
  if (nOutOf === undefined) {
    const signer = signers.find((candidate) => isLeaf(signedBy, candidate));
    return signer && signers.filter((other) => other !== signer);
  }
  let left = signers;
  let filled = 0;
  for (const part of nOutOf.rules) {
    const rest = fill(part, left, isLeaf);
    if (rest === undefined) continue;
    left = rest;
    filled++;
  }
  return filled >= nOutOf.n ? left : undefined;
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
function organisationsIn({ groups, values }: ConfigGroup): Organisation[] {
  const msp = values.get('MSP');
  const own = msp === undefined ? [] : [readOrganisation(msp.value)];
  return [...own, ...[...groups.values()].flatMap(organisationsIn)];
}

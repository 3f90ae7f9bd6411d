import { Buffer } from 'node:buffer';
import { integerField, messageField, stringField } from '../proto-fields.js';

const SIGNATURE = 1;
const IMPLICIT_META = 3;

/** `common.ImplicitMetaPolicy.Rule` */
const RULES = { ANY: 0, ALL: 1, MAJORITY: 2 } as const;

/** `common.MSPRole.MSPRoleType` */
const ROLES = { MEMBER: 0, ADMIN: 1, CLIENT: 2, PEER: 3, ORDERER: 4 } as const;

export type Rule = keyof typeof RULES;
export type Role = keyof typeof ROLES;

/** The policy of that name in the groups below: of any, all or the majority of them. Message `common.Policy`, its fields. */
export function implicitMetaPolicy(rule: Rule, subPolicy: string): Buffer[] {
  return [integerField(1, IMPLICIT_META), messageField(2, stringField(1, subPolicy), integerField(2, RULES[rule]))];
}

/** One signature of a member of the organisation with any of the roles. Message `common.Policy`, its fields. */
export function rolePolicy(mspId: string, roles: readonly Role[]): Buffer[] {
  const anyOfThem = messageField(2, integerField(1, 1), ...roles.map((_, index) => messageField(2, signedBy(index))));
  const principals = roles.map((role) =>
    messageField(3, messageField(2, stringField(1, mspId), integerField(2, ROLES[role]))),
  );
  // SignaturePolicyEnvelope { rule: SignaturePolicy { n_out_of }, identities: [MSPPrincipal { MSPRole }] }
  return [integerField(1, SIGNATURE), messageField(2, messageField(2, anyOfThem), ...principals)];
}

/** Field `signed_by`, which is one of several: it is written even when it is 0. */
function signedBy(index: number): Buffer {
  return index === 0 ? Buffer.from([0x08, 0]) : integerField(1, index);
}

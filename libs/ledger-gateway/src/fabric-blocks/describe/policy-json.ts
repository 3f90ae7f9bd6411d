import policies from '@hyperledger/fabric-protos/lib/common/policies_pb.js';
import principals from '@hyperledger/fabric-protos/lib/msp/msp_principal_pb.js';
import { enumNames } from '../decode/enum-name.js';
import { base64 } from '../decode/text-or-base64.js';
import type { JsonObject, JsonValue } from './transaction-description.js';
import { plainMessage } from './plain-message.js';
import { readMessage } from '../decode/read-message.js';

const ruleName = enumNames(policies.ImplicitMetaPolicy.Rule);
const classificationName = enumNames(principals.MSPPrincipal.Classification);
const roleName = enumNames(principals.MSPRole.MSPRoleType);

/** Message `common.Policy` with its value decoded; base64 for a type that has no form of its own. */
export function policyJson(policy: policies.Policy): JsonObject {
  return { type: policy.getType(), value: valueJson(policy.getType(), policy.getValue_asU8()) };
}

function valueJson(type: number, value: Uint8Array): JsonValue {
  switch (type) {
    case policies.Policy.PolicyType.SIGNATURE:
      return signaturePolicyJson(readMessage(policies.SignaturePolicyEnvelope, value));
    case policies.Policy.PolicyType.IMPLICIT_META: {
      const policy = readMessage(policies.ImplicitMetaPolicy, value);
      return { sub_policy: policy.getSubPolicy(), rule: ruleName(policy.getRule()) };
    }
    default:
      return base64(value);
  }
}

function signaturePolicyJson(envelope: policies.SignaturePolicyEnvelope): JsonObject {
  const rule = envelope.getRule();
  return {
    version: envelope.getVersion(),
    rule: rule === undefined ? null : ruleJson(rule),
    identities: envelope.getIdentitiesList().map(principalJson),
  };
}

/** A rule is either a number of rules or one signer. */
function ruleJson(rule: policies.SignaturePolicy): JsonObject {
  const several = rule.getNOutOf();
  if (several === undefined) return { signed_by: rule.getSignedBy() };
  return { n_out_of: { n: several.getN(), rules: several.getRulesList().map(ruleJson) } };
}

function principalJson(principal: principals.MSPPrincipal): JsonObject {
  const classification = principal.getPrincipalClassification();
  return {
    principal_classification: classificationName(classification),
    principal: principalValueJson(classification, principal.getPrincipal_asU8()),
  };
}

function principalValueJson(classification: number, value: Uint8Array): JsonValue {
  switch (classification) {
    case principals.MSPPrincipal.Classification.ROLE: {
      const role = readMessage(principals.MSPRole, value);
      return { msp_identifier: role.getMspIdentifier(), role: roleName(role.getRole()) };
    }
    case principals.MSPPrincipal.Classification.ORGANIZATION_UNIT:
      return plainMessage(readMessage(principals.OrganizationUnit, value));
    default:
      return base64(value);
  }
}

import { beforeAll, describe, expect, it } from '@jest/globals';
import type configtx from '@hyperledger/fabric-protos/lib/common/configtx_pb.js';
import policies from '@hyperledger/fabric-protos/lib/common/policies_pb.js';
import principals from '@hyperledger/fabric-protos/lib/msp/msp_principal_pb.js';
import definitions from '@hyperledger/fabric-protos/lib/peer/lifecycle/chaincode_definition_pb.js';
import database from '@hyperledger/fabric-protos/lib/peer/lifecycle/db_pb.js';
import policy from '@hyperledger/fabric-protos/lib/peer/policy_pb.js';
import { Buffer } from 'node:buffer';
import { createTestOrganisation, type Signer, type TestOrganisation } from '../../testing/test-chain.js';
import type { ChannelTrust } from './channel-trust.js';
import { EndorsementPolicies } from './endorsement-policies.js';
import type { NamespaceSets } from '../../decode/decode-envelope.js';
import { decodeMessage } from '../../messages/decode-message.js';
import { SignaturePolicyEnvelope } from '../../messages/fabric-messages.js';
import { memberOf, trustOf } from '../../testing/trust-of.js';

let org1: TestOrganisation;
let org2: TestOrganisation;

beforeAll(async () => {
  org1 = await createTestOrganisation('Org1MSP');
  org2 = await createTestOrganisation('Org2MSP');
});

/** A channel of the two, its configuration changed. */
function trustWith(edit?: (group: configtx.ConfigGroup) => void): ChannelTrust {
  return trustOf([org1, org2], edit);
}

/** A signature policy of `n` of the principals. */
function nOutOf(n: number, ...list: (readonly [classification: 0 | 1 | 2 | 3, bytes: Uint8Array])[]) {
  const envelope = new policies.SignaturePolicyEnvelope();
  const several = new policies.SignaturePolicy.NOutOf();
  several.setN(n);
  list.forEach(([classification, bytes], index) => {
    const principal = new principals.MSPPrincipal();
    principal.setPrincipalClassification(classification);
    principal.setPrincipal(bytes);
    envelope.addIdentities(principal);
    const leaf = new policies.SignaturePolicy();
    leaf.setSignedBy(index);
    several.addRules(leaf);
  });
  const rule = new policies.SignaturePolicy();
  rule.setNOutOf(several);
  envelope.setRule(rule);
  return envelope;
}

function role(mspId: string, number: 0 | 1 | 2 | 3 | 4) {
  const value = new principals.MSPRole();
  value.setMspIdentifier(mspId);
  value.setRole(number);
  return [0, value.serializeBinary()] as const;
}

describe('signature policies', () => {
  const satisfies = (envelope: policies.SignaturePolicyEnvelope, ...signers: Signer[]) => {
    const trust = trustWith();
    return trust.satisfiesPolicy(
      decodeMessage(SignaturePolicyEnvelope, envelope.serializeBinary()),
      signers.map((signer) => memberOf(trust, signer)),
    );
  };

  it('count each signer once', () => {
    const twoMembers = nOutOf(2, role('Org1MSP', 0), role('Org1MSP', 0));
    expect(satisfies(twoMembers, org1.peer)).toBe(false);
    expect(satisfies(twoMembers, org1.peer, org1.client)).toBe(true);
  });

  it('know units and single identities, and no other principals', () => {
    const unit = new principals.OrganizationUnit();
    unit.setMspIdentifier('Org1MSP');
    unit.setOrganizationalUnitIdentifier('peer');
    const ofUnit = nOutOf(1, [1, unit.serializeBinary()]);
    expect([satisfies(ofUnit, org1.peer), satisfies(ofUnit, org1.client), satisfies(ofUnit, org2.peer)]).toEqual([
      true,
      false,
      false,
    ]);
    const ofOne = nOutOf(1, [2, org1.client.identity]);
    expect([satisfies(ofOne, org1.client), satisfies(ofOne, org1.peer), satisfies(ofOne, org2.client)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(satisfies(nOutOf(1, [3, new Uint8Array()]), org1.client)).toBe(false);
    expect(satisfies(nOutOf(1, role('Org1MSP', 9 as never)), org1.client)).toBe(false);
  });

  it('without a rule, or that name no principal, are not satisfied; garbage cannot be evaluated', () => {
    expect(satisfies(new policies.SignaturePolicyEnvelope(), org1.client)).toBe(false);
    const unsatisfiable = nOutOf(1, role('Org1MSP', 0));
    unsatisfiable.setIdentitiesList([]);
    expect(satisfies(unsatisfiable, org1.client)).toBe(false);
    expect(satisfies(nOutOf(1, [0, Buffer.from([0xff])]), org1.client)).toBeUndefined();
  });
});

describe('endorsement policies', () => {
  const empty = { reads: [], rangeQueriesInfo: [], writes: [], metadataWrites: [], collections: [] };
  const wrote = (namespace: string, parts: Partial<NamespaceSets> = {}): NamespaceSets => ({
    ...empty,
    namespace,
    writes: [{ key: 'k', value: Buffer.from('v') }],
    ...parts,
  });
  const wroteInto = (namespace: string, collection: string): NamespaceSets => ({
    ...empty,
    namespace,
    collections: [
      {
        collection,
        hashedReads: [],
        hashedWrites: [{ keyHash: Buffer.from('k'), valueHash: Buffer.from('v') }],
        metadataWrites: [],
        privateHash: Buffer.from('h'),
      },
    ],
  });
  const defined = (chaincode: string, value: Uint8Array): NamespaceSets =>
    wrote('_lifecycle', { writes: [{ key: `namespaces/fields/${chaincode}/ValidationInfo`, value }] });
  const validationInfo = (own: policy.ApplicationPolicy): Uint8Array => {
    const info = new definitions.ChaincodeValidationInfo();
    info.setValidationParameter(own.serializeBinary());
    const state = new database.StateData();
    state.setBytes(info.serializeBinary());
    return state.serializeBinary();
  };

  /** Whether the peers of none, the first and both organisations suffice. */
  function evaluate(learnt: readonly NamespaceSets[], chaincode: string, namespaces: readonly NamespaceSets[]) {
    const trust = trustWith();
    const known = new EndorsementPolicies();
    known.learn(learnt);
    return [[], [org1.peer], [org1.peer, org2.peer]].map((signers) =>
      known.areSatisfied(
        trust,
        { chaincode, namespaces },
        signers.map((signer) => memberOf(trust, signer)),
      ),
    );
  }

  it('are the channel’s for a chaincode without a definition', () => {
    expect(evaluate([], 'basic', [wrote('basic')])).toEqual([false, false, true]);
    expect(evaluate([], 'basic', [])).toEqual([false, false, true]);
  });

  it('are a chaincode’s own if its definition contains them', () => {
    const byReference = new policy.ApplicationPolicy();
    byReference.setChannelConfigPolicyReference('/Channel/Application/Writers');
    expect(evaluate([defined('basic', validationInfo(byReference))], 'basic', [wrote('basic')])).toEqual([
      false,
      false,
      false,
    ]);
    const bySignature = new policy.ApplicationPolicy();
    bySignature.setSignaturePolicy(nOutOf(1, role('Org1MSP', 3)));
    const learnt = [defined('basic', validationInfo(bySignature))];
    expect(evaluate(learnt, 'basic', [wrote('basic')])).toEqual([false, true, true]);
    // What it writes into another chaincode's namespace is that one's affair.
    expect(evaluate(learnt, 'basic', [wrote('basic'), wrote('other')])).toEqual([false, false, true]);
    expect(
      evaluate(
        [
          ...learnt,
          wrote('_lifecycle', { writes: [{ key: 'namespaces/fields/basic/Sequence', value: Buffer.from('1') }] }),
        ],
        'basic',
        [wrote('basic')],
      ),
    ).toEqual([false, true, true]);
  });

  it('that cannot be decoded cannot be evaluated', () => {
    expect(evaluate([defined('basic', Buffer.from([0xff]))], 'basic', [wrote('basic')])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('are named', () => {
    const byReference = new policy.ApplicationPolicy();
    byReference.setChannelConfigPolicyReference('/Channel/Application/Writers');
    const bySignature = new policy.ApplicationPolicy();
    bySignature.setSignaturePolicy(nOutOf(1, role('Org1MSP', 3)));
    const known = new EndorsementPolicies();
    known.learn([
      defined('named', validationInfo(byReference)),
      defined('own', validationInfo(bySignature)),
      defined('bad', Buffer.from([0xff])),
    ]);
    expect(['_lifecycle', 'basic', 'named', 'own', 'bad'].map((name) => known.nameOf(name))).toEqual([
      '/Channel/Application/LifecycleEndorsement',
      '/Channel/Application/Endorsement',
      '/Channel/Application/Writers',
      'a signature policy of its own',
      'a policy that cannot be read',
    ]);
  });

  it('of approvals are those of the organisation that approves', () => {
    expect(evaluate([], '_lifecycle', [wroteInto('_lifecycle', '_implicit_org_Org1MSP')])).toEqual([false, true, true]);
    expect(evaluate([], '_lifecycle', [wroteInto('_lifecycle', '_implicit_org_Nobody')])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(evaluate([], '_lifecycle', [wrote('_lifecycle')])).toEqual([false, false, true]);
  });

  it('are the channel’s for a collection of a chaincode without a definition', () => {
    expect(evaluate([], 'basic', [wroteInto('basic', 'secret')])).toEqual([false, false, true]);
    expect(evaluate([], 'basic', [wroteInto('basic', '_implicit_org_Org1MSP')])).toEqual([false, true, true]);
  });

  it('of collections with a definition, and of keys with their own policy, are not evaluated', () => {
    const bySignature = new policy.ApplicationPolicy();
    bySignature.setSignaturePolicy(nOutOf(1, role('Org1MSP', 3)));
    const known = [defined('basic', validationInfo(bySignature))];
    expect(evaluate(known, 'basic', [wroteInto('basic', 'secret')])).toEqual([undefined, undefined, undefined]);
    const learnt = [wrote('basic', { writes: [], metadataWrites: [{ key: 'k', entries: [] }] })];
    expect(evaluate(learnt, 'basic', [wrote('basic')])).toEqual([undefined, undefined, true]);
  });
});

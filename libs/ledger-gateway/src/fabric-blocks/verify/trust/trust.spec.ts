import { beforeAll, describe, expect, it } from '@jest/globals';
import configtx from '@hyperledger/fabric-protos/lib/common/configtx_pb.js';
import policies from '@hyperledger/fabric-protos/lib/common/policies_pb.js';
import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import msp from '@hyperledger/fabric-protos/lib/msp/msp_config_pb.js';
import principals from '@hyperledger/fabric-protos/lib/msp/msp_principal_pb.js';
import definitions from '@hyperledger/fabric-protos/lib/peer/lifecycle/chaincode_definition_pb.js';
import database from '@hyperledger/fabric-protos/lib/peer/lifecycle/db_pb.js';
import policy from '@hyperledger/fabric-protos/lib/peer/policy_pb.js';
import { Buffer } from 'node:buffer';
import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { decodeBlock } from '../../decode/decode-block.js';
import { decodeEnvelope, readIdentity } from '../../decode/decode-envelope.js';
import type { NamespaceSets } from '../../decode/decode-read-write-sets.js';
import { serializeIdentity } from '../../encode/identity.js';
import { encodeEnvelope } from '../../encode/transaction-encoder.js';
import { createTestOrganisation, TestChain, type Signer, type TestOrganisation } from '../../testing/test-chain.js';
import { ChannelTrust } from './channel-trust.js';
import { EndorsementPolicies } from './endorsement-policies.js';
import { isSignedBy, type Member } from './member.js';
import { Organisation } from './organisation.js';

let org1: TestOrganisation;
let org2: TestOrganisation;

beforeAll(async () => {
  org1 = await createTestOrganisation('Org1MSP');
  org2 = await createTestOrganisation('Org2MSP');
});

const certificateOf = ({ identity }: Signer) => readIdentity(identity).idBytes;

/** A channel of the two, its configuration changed. */
function trustWith(edit: (group: configtx.ConfigGroup) => void = () => undefined): ChannelTrust {
  const { payload, data } = decodeEnvelope(decodeBlock(new TestChain([org1, org2]).blocks[0]!).envelopes[0]!);
  const config = configtx.ConfigEnvelope.deserializeBinary(data);
  edit(config.getConfig()!.getChannelGroup()!);
  const changed = common.Payload.deserializeBinary(payload);
  changed.setData(config.serializeBinary());
  return ChannelTrust.fromEnvelope(encodeEnvelope(changed.serializeBinary(), new Uint8Array()));
}

function memberOf(trust: ChannelTrust, { identity }: Signer): Member {
  const member = trust.member(identity);
  if (typeof member === 'string') throw new Error(member);
  return member;
}

function mspConfig(edit: (config: msp.FabricMSPConfig) => void): Uint8Array {
  const config = new msp.FabricMSPConfig();
  config.setName('Org1MSP');
  config.addRootCerts(Buffer.from(org1.rootCertificate));
  edit(config);
  const definition = new msp.MSPConfig();
  definition.setConfig(config.serializeBinary());
  return definition.serializeBinary();
}

describe('an organisation', () => {
  it('without node OUs knows members and the administrators it lists, and no other role', () => {
    const organisation = new Organisation(
      mspConfig((config) => {
        config.addAdmins(certificateOf(org1.client));
      }),
    );
    const [client, peer] = [org1.client, org1.peer].map((it) => organisation.member(certificateOf(it)) as Member);
    const roles = (['MEMBER', 'ADMIN', 'CLIENT', 'PEER', 'ORDERER'] as const).map((role) => [
      organisation.hasRole(client!, role),
      organisation.hasRole(peer!, role),
    ]);
    expect(roles).toEqual([
      [true, true],
      [true, false],
      [false, false],
      [false, false],
      [false, false],
    ]);
  });

  it('follows intermediate certificates, but not for ever', () => {
    const viaIntermediate = new Organisation(
      mspConfig((config) => {
        config.setRootCertsList([Buffer.from(org2.rootCertificate)]);
        config.setIntermediateCertsList([Buffer.from(org1.rootCertificate)]);
      }),
    );
    expect(viaIntermediate.member(certificateOf(org1.peer))).toBe(
      'the certificate does not chain to a root of Org1MSP',
    );
    expect(viaIntermediate.member(certificateOf(org2.peer))).toMatchObject({ mspId: 'Org1MSP' });
  });

  it('with a certificate that cannot be read, or of no kind at all, is refused', () => {
    expect(() => new Organisation(mspConfig((config) => config.addAdmins(Buffer.from('x'))))).toThrow(RangeError);
    expect(() => new Organisation(Buffer.from([0xff]))).toThrow(Error);
  });

  it('that revokes certificates says so', () => {
    expect(new Organisation(mspConfig((config) => config.addRevocationList(Buffer.from('crl')))).revokes).toBe(true);
  });
});

describe('signatures', () => {
  it('of other kinds of keys are checked as Fabric checks them', () => {
    const content = Buffer.from('content');
    const certificate = new X509Certificate(certificateOf(org1.client));
    const ed25519 = generateKeyPairSync('ed25519');
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    for (const [keys, signature] of [
      [ed25519, sign(null, content, ed25519.privateKey)],
      [p384, sign('sha256', content, p384.privateKey)],
    ] as const) {
      const member = { mspId: 'Org1MSP', certificate, publicKey: keys.publicKey, units: [] };
      expect(isSignedBy(member, content, signature)).toBe(true);
      expect(isSignedBy(member, Buffer.from('other'), signature)).toBe(false);
    }
  });
});

describe('identities', () => {
  it('that are no members say why', () => {
    const trust = trustWith();
    expect(trust.member(Buffer.from([0xff]))).toBe('the identity cannot be decoded');
    expect(trust.member(serializeIdentity('Org1MSP', Buffer.from('x')))).toBe('the identity is not a certificate');
    expect(trust.member(serializeIdentity('Org2MSP', certificateOf(org1.peer)))).toBe(
      'the certificate does not chain to a root of Org2MSP',
    );
  });

  it('are remembered, but not without bound', () => {
    const trust = trustWith();
    const member = memberOf(trust, org1.peer);
    expect(trust.member(org1.peer.identity)).toBe(member);
    for (let index = 0; index < 1001; index++) trust.member(Buffer.from(String(index)));
    expect(trust.member(org1.peer.identity)).not.toBe(member);
    expect(trust.member(org1.peer.identity)).toMatchObject({ mspId: 'Org1MSP', units: ['peer'] });
  });
});

describe('policies of the configuration', () => {
  const all = (trust: ChannelTrust, ...signers: Signer[]) => signers.map((signer) => memberOf(trust, signer));

  it('ask for any, the majority or all of the organisations', () => {
    const rule = (number: 0 | 1 | 2) =>
      trustWith((group) => {
        const item = group.getGroupsMap().get('Application')!.getPoliciesMap().get('Endorsement')!.getPolicy()!;
        const meta = new policies.ImplicitMetaPolicy();
        meta.setSubPolicy('Endorsement');
        meta.setRule(number);
        item.setValue(meta.serializeBinary());
      });
    const path = '/Channel/Application/Endorsement';
    const satisfied = ([0, 1, 2] as const).map((number) => {
      const trust = rule(number);
      return [[], [org1.peer], [org1.peer, org2.peer], [org1.client, org2.client]].map((signers) =>
        trust.satisfies(path, all(trust, ...signers)),
      );
    });
    expect(satisfied).toEqual([
      [false, true, true, false],
      [false, false, true, false],
      [false, false, true, false],
    ]);
  });

  it('that are missing, unknown or garbage cannot be judged', () => {
    const trust = trustWith((group) => {
      const map = group.getPoliciesMap();
      map.get('Readers')!.getPolicy()!.setType(7);
      map
        .get('Writers')!
        .getPolicy()!
        .setValue(Buffer.from([0xff]));
      map.get('Admins')!.clearPolicy();
    });
    for (const path of ['Readers', 'Writers', 'Admins', 'None', 'Nowhere/Readers', 'Nowhere/Deeper/Readers']) {
      expect([path, trust.satisfies(`/Channel/${path}`, [])]).toEqual([path, undefined]);
    }
  });

  it('of an organisation are found by its MSP id', () => {
    const trust = trustWith();
    expect(trust.applicationGroup('Org2MSP')).toBe('/Channel/Application/Org2MSP');
    expect(trust.applicationGroup('Org3MSP')).toBeUndefined();
    expect(trustWith((group) => group.getGroupsMap().del('Application')).applicationGroup('Org1MSP')).toBeUndefined();
  });
});

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
      envelope,
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

  it('without a rule, or that name no principal, are not satisfied; garbage cannot be judged', () => {
    expect(satisfies(new policies.SignaturePolicyEnvelope(), org1.client)).toBe(false);
    const nobody = nOutOf(1, role('Org1MSP', 0));
    nobody.setIdentitiesList([]);
    expect(satisfies(nobody, org1.client)).toBe(false);
    expect(satisfies(nOutOf(1, [0, Buffer.from([0xff])]), org1.client)).toBeUndefined();
  });
});

describe('endorsement policies', () => {
  const empty = { reads: [], rangeReads: [], writes: [], metadataWrites: [], collections: [] };
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
        reads: [],
        writes: [{ keyHash: Buffer.from('k'), valueHash: Buffer.from('v') }],
        metadataWrites: [],
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
  function judge(learnt: readonly NamespaceSets[], chaincode: string, namespaces: readonly NamespaceSets[]) {
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
    expect(judge([], 'basic', [wrote('basic')])).toEqual([false, false, true]);
    expect(judge([], 'basic', [])).toEqual([false, false, true]);
  });

  it('are a chaincode’s own when its definition says so', () => {
    const byReference = new policy.ApplicationPolicy();
    byReference.setChannelConfigPolicyReference('/Channel/Application/Writers');
    expect(judge([defined('basic', validationInfo(byReference))], 'basic', [wrote('basic')])).toEqual([
      false,
      false,
      false,
    ]);
    const bySignature = new policy.ApplicationPolicy();
    bySignature.setSignaturePolicy(nOutOf(1, role('Org1MSP', 3)));
    const learnt = [defined('basic', validationInfo(bySignature))];
    expect(judge(learnt, 'basic', [wrote('basic')])).toEqual([false, true, true]);
    // What it writes into another chaincode's namespace is that one's affair.
    expect(judge(learnt, 'basic', [wrote('basic'), wrote('other')])).toEqual([false, false, true]);
    expect(
      judge(
        [
          ...learnt,
          wrote('_lifecycle', { writes: [{ key: 'namespaces/fields/basic/Sequence', value: Buffer.from('1') }] }),
        ],
        'basic',
        [wrote('basic')],
      ),
    ).toEqual([false, true, true]);
  });

  it('that cannot be decoded cannot be judged', () => {
    expect(judge([defined('basic', Buffer.from([0xff]))], 'basic', [wrote('basic')])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('of approvals are those of the organisation that approves', () => {
    expect(judge([], '_lifecycle', [wroteInto('_lifecycle', '_implicit_org_Org1MSP')])).toEqual([false, true, true]);
    expect(judge([], '_lifecycle', [wroteInto('_lifecycle', '_implicit_org_Nobody')])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(judge([], '_lifecycle', [wrote('_lifecycle')])).toEqual([false, false, true]);
  });

  it('of collections, and of keys with a policy of their own, are not followed', () => {
    expect(judge([], 'basic', [wroteInto('basic', 'secret')])).toEqual([undefined, undefined, undefined]);
    const learnt = [wrote('basic', { writes: [], metadataWrites: ['k'] })];
    expect(judge(learnt, 'basic', [wrote('basic')])).toEqual([undefined, undefined, true]);
  });
});

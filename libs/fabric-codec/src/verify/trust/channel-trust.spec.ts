import { beforeAll, describe, expect, it } from '@jest/globals';
import type configtx from '@hyperledger/fabric-protos/lib/common/configtx_pb.js';
import policies from '@hyperledger/fabric-protos/lib/common/policies_pb.js';
import msp from '@hyperledger/fabric-protos/lib/msp/msp_config_pb.js';
import { Buffer } from 'node:buffer';
import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { createRoot, issueLeaf } from '../../certificates/certificate-authority.js';
import { decodeIdentity } from '../../decode/decode-envelope.js';
import { signLowS } from '../../certificates/sign-low-s.js';
import { serializeIdentity } from '../../encode/transaction-encoder.js';
import { attempt } from '../../messages/decode-message.js';
import { createTestOrganisation, type Signer, type TestOrganisation } from '../../testing/test-chain.js';
import type { ChannelTrust } from './channel-trust.js';
import { isSignedWith, readOrganisation, type Member } from './organisation.js';
import { memberOf, trustOf } from '../../testing/trust-of.js';
import { onUnknownCurve } from '../../testing/unknown-curve.js';

let org1: TestOrganisation;
let org2: TestOrganisation;

beforeAll(async () => {
  org1 = await createTestOrganisation('Org1MSP');
  org2 = await createTestOrganisation('Org2MSP');
});

const certificateOf = ({ identity }: Signer) => decodeIdentity(identity).idBytes;

/** A channel of the two, its configuration changed. */
function trustWith(edit?: (group: configtx.ConfigGroup) => void): ChannelTrust {
  return trustOf([org1, org2], edit);
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

describe('the organizations of the application', () => {
  it('are those whose peers endorse; none without an application', () => {
    expect([...trustWith().applicationOrganisations].sort()).toEqual(['Org1MSP', 'Org2MSP']);
    const withoutApplication = trustWith((group) => {
      group.getGroupsMap().del('Application');
    });
    expect(withoutApplication.applicationOrganisations).toEqual([]);
  });
});

describe('the capabilities of the application', () => {
  it('are those of its configuration; none without one', () => {
    expect(trustWith().applicationCapabilities).toEqual(['V2_5']);
    const withoutCapabilities = trustWith((group) => {
      group.getGroupsMap().get('Application')!.getValuesMap().del('Capabilities');
    });
    const withoutApplication = trustWith((group) => {
      group.getGroupsMap().del('Application');
    });
    for (const trust of [withoutCapabilities, withoutApplication]) expect(trust.applicationCapabilities).toEqual([]);
  });
});

describe('an organisation', () => {
  it('without node OUs has members and the listed administrators, and no other role', () => {
    const organisation = readOrganisation(
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

  it('whose node OUs define no unit for a role has no members with it', () => {
    const organisation = readOrganisation(
      mspConfig((config) => {
        const unit = new msp.FabricOUIdentifier();
        unit.setOrganizationalUnitIdentifier('client');
        const units = new msp.FabricNodeOUs();
        units.setEnable(true);
        units.setClientOuIdentifier(unit);
        config.setFabricNodeOus(units);
      }),
    );
    const client = organisation.member(certificateOf(org1.client)) as Member;
    expect([organisation.hasRole(client, 'CLIENT'), organisation.hasRole(client, 'ORDERER')]).toEqual([true, false]);
    expect(organisation.member(certificateOf(org1.peer))).toBe(
      'the certificate must have exactly one role, and has none',
    );
  });

  it('follows intermediate certificates, but not for ever', () => {
    const viaIntermediate = readOrganisation(
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
    expect(() => readOrganisation(mspConfig((config) => config.addAdmins(Buffer.from('x'))))).toThrow(RangeError);
    expect(() => readOrganisation(Buffer.from([0xff]))).toThrow(Error);
  });

  it('that revokes certificates is reported', () => {
    expect(
      readOrganisation(mspConfig((config) => config.addRevocationList(Buffer.from('crl')))).definition.revokes,
    ).toBe(true);
  });
});

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** The contents of SEQUENCE { INTEGER r, INTEGER s }. */
function numbersOf(signature: Buffer): readonly [r: Buffer, s: Buffer] {
  const end = 4 + signature[3]!;
  return [signature.subarray(4, end), signature.subarray(end + 2)];
}

function der(...numbers: readonly Uint8Array[]): Buffer {
  const content = numbers.flatMap((digits) => [2, digits.length, ...digits]);
  return Buffer.from([0x30, content.length, ...content]);
}

describe('the authorities of a channel', () => {
  it('are the roots and intermediates of an organization, and none of a stranger', () => {
    const trust = trustWith();
    const pems = trust.authorities('Org1MSP')?.map((certificate) => certificate.toString().trim());
    expect(pems).toEqual([org1.rootCertificate.trim()]);
    expect(trust.authorities('Org3MSP')).toBeUndefined();
  });
});

describe('signatures', () => {
  it('of other kinds of keys are checked as Fabric checks them', () => {
    const content = Buffer.from('content');
    const ed25519 = generateKeyPairSync('ed25519');
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    for (const [keys, signature] of [
      [ed25519, sign(null, content, ed25519.privateKey)],
      [p384, sign('sha256', content, p384.privateKey)],
    ] as const) {
      const key = keys.publicKey;
      expect(isSignedWith(key, content, signature)).toBe(true);
      expect(isSignedWith(key, Buffer.from('other'), signature)).toBe(false);
    }
  });

  it('on P-256 must be in strict DER and have low S', () => {
    const content = Buffer.from('content');
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const isValid = (signature: Uint8Array) => attempt(() => isSignedWith(publicKey, content, signature)) === true;
    const good = signLowS(content, privateKey);
    expect(isValid(good)).toBe(true);
    const [r, s] = numbersOf(good);
    const high = Buffer.from((ORDER - BigInt(`0x${s.toString('hex')}`)).toString(16).padStart(64, '0'), 'hex');
    expect(isValid(der(r, high[0]! >= 0x80 ? Buffer.concat([Buffer.from([0]), high]) : high))).toBe(false);
    for (const bad of [
      Buffer.alloc(0),
      Buffer.from([0x31, ...good.subarray(1)]),
      Buffer.from([0x30, good.length - 1, ...good.subarray(2)]),
      Buffer.from([0x30, 0x81, ...good.subarray(1)]),
      Buffer.concat([good, Buffer.from([0])]),
      Buffer.concat([Buffer.from([0x30, good.length - 1]), good.subarray(2), Buffer.from([0])]),
      good.subarray(0, -1),
      Buffer.from([0x30, r.length + 2, 2, r.length, ...r]),
      der(Buffer.alloc(0), s),
      der(r, Buffer.alloc(0)),
      der(Buffer.from([0]), s),
      der(Buffer.from([0x80]), s),
      der(Buffer.concat([Buffer.from([0]), r]), s),
      der(r, Buffer.concat([Buffer.from([0]), s])),
      der(Buffer.alloc(33, 1), s),
      der(Buffer.alloc(34, 1), s),
    ]) {
      expect(isValid(bad)).toBe(false);
    }
  });
});

describe('identities', () => {
  it('that are no members state the reason', () => {
    const trust = trustWith();
    expect(trust.member(Buffer.from([0xff]))).toBe('the identity cannot be decoded');
    expect(trust.member(serializeIdentity('Org1MSP', Buffer.from('x')))).toBe('the identity is not a certificate');
    expect(trust.member(serializeIdentity('Org2MSP', certificateOf(org1.peer)))).toBe(
      'the certificate does not chain to a root of Org2MSP',
    );
  });

  it('with a key on an unsupported curve are reported', async () => {
    const root = await createRoot('org3.example.com');
    const leaf = await issueLeaf(root, { commonName: 'peer', role: 'peer' });
    const certificate = onUnknownCurve(new X509Certificate(leaf.certificate), root.privateKey);
    const trust = trustWith((group) => {
      const org2Group = group.getGroupsMap().get('Application')!.getGroupsMap().get('Org2MSP')!;
      const config = new msp.FabricMSPConfig();
      config.setName('Org3MSP');
      config.addRootCerts(Buffer.from(root.certificate));
      const definition = new msp.MSPConfig();
      definition.setConfig(config.serializeBinary());
      org2Group.getValuesMap().get('MSP')!.setValue(definition.serializeBinary());
    });
    expect(trust.member(serializeIdentity('Org3MSP', Buffer.from(leaf.certificate)))).toMatchObject({
      units: ['peer'],
    });
    expect(trust.member(serializeIdentity('Org3MSP', Buffer.from(certificate)))).toBe(
      'the certificate is of a kind that cannot be checked',
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

  it('that are missing, unknown or malformed ones cannot be evaluated', () => {
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
    expect(trust.satisfies('', [])).toBeUndefined();
  });

  it('of an organisation are found by its MSP id', () => {
    const trust = trustWith();
    expect(trust.applicationGroup('Org2MSP')).toBe('/Channel/Application/Org2MSP');
    expect(trust.applicationGroup('Org3MSP')).toBeUndefined();
    expect(trustWith((group) => group.getGroupsMap().del('Application')).applicationGroup('Org1MSP')).toBeUndefined();
  });
});

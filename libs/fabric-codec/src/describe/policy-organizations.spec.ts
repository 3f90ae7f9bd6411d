import { common, msp } from '@hyperledger/fabric-protos';
import { describe, expect, it } from '@jest/globals';
import { policyOrganizations } from './policy-organizations.js';

describe('the organizations of a policy', () => {
  it('are those of its principals, each once, whatever names them', () => {
    const role = new msp.MSPRole();
    role.setMspIdentifier('Org1MSP');
    const unit = new msp.OrganizationUnit();
    unit.setMspIdentifier('Org2MSP');
    const identity = new msp.SerializedIdentity();
    identity.setMspid('Org1MSP');
    const envelope = new common.SignaturePolicyEnvelope();
    for (const each of [role, unit, identity]) {
      const principal = new msp.MSPPrincipal();
      principal.setPrincipal(each.serializeBinary());
      envelope.addIdentities(principal);
    }
    expect(policyOrganizations(envelope.serializeBinary())).toEqual(['Org1MSP', 'Org2MSP']);
    expect(policyOrganizations(new Uint8Array())).toEqual([]);
  });

  it('are unknown when the policy cannot be decoded', () => {
    expect(policyOrganizations(Uint8Array.of(0xff))).toBeUndefined();
  });
});

import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { decodeBlock } from '../decode/decode-block.js';
import { describeTransaction } from '../describe/describe-transaction.js';
import { recordedChains } from '../testing/recorded-blocks.js';
import { MemoryVerifier } from '../testing/memory-verifier.js';
import { encodeConfigBlock } from './config-block.js';

interface Group {
  groups: Record<string, Group>;
  values: Record<string, { value: Record<string, unknown> }>;
  policies: Record<string, unknown>;
  mod_policy: string;
}

/** The configuration tree of a block 0. */
function groupOf(block: Uint8Array): Group {
  const { envelopes } = decodeBlock(block);
  const { rawTransaction } = describeTransaction({
    envelope: envelopes[0]!,
    validationCode: 0,
    blockNumber: 0,
    blockHash: '',
    blockSignatures: new Uint8Array(),
  });
  return (rawTransaction as unknown as { payload: { data: { config: { channel_group: Group } } } }).payload.data.config
    .channel_group;
}

function without<T>(record: Readonly<Record<string, T>>, ...names: string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

describe('the configuration block', () => {
  const recorded = groupOf(recordedChains()[0]!.blocks[0]!.bytes);
  const certificate = (
    recorded.groups['Application']!.groups['Org1MSP']!.values['MSP']!.value as { config: { root_certs: string[] } }
  ).config.root_certs[0]!;
  const organisation = { mspId: 'Org1MSP', rootCertificate: certificate };
  const { bytes, draft } = encodeConfigBlock({
    channel: 'mychannel',
    organisations: [{ ...organisation, mspId: 'OrdererMSP' }, organisation],
    maxTransactionsPerBlock: 100,
    timestamp: Date.UTC(2026, 10, 21),
    nonce: Buffer.alloc(24, 1),
  });
  const ours = groupOf(bytes);

  it('verifies', () => {
    const verifier = new MemoryVerifier();
    expect(verifier.add(bytes)).toEqual([]);
    expect(verifier.head).toEqual({ height: 1, hash: draft.hash.toString('hex') });
  });

  it('has the tree that configtxgen makes, apart from addresses, timeouts and the kind of consensus', () => {
    const values = without(recorded.values, 'OrdererAddresses');
    expect({ values: ours.values, policies: ours.policies, mod_policy: ours.mod_policy }).toEqual({
      values,
      policies: recorded.policies,
      mod_policy: recorded.mod_policy,
    });
    const [application, theirs] = [ours, recorded].map(({ groups }) => groups['Application']!) as [Group, Group];
    expect({ ...application, groups: {} }).toEqual({ ...theirs, groups: {} });
    const orderer = without(recorded.groups['Orderer']!.values, 'BatchTimeout', 'ConsensusType');
    expect(ours.groups['Orderer']!.values).toMatchObject(orderer);
    expect(ours.groups['Orderer']!.policies).toEqual(recorded.groups['Orderer']!.policies);
    expect(ours.groups['Orderer']!.values['ConsensusType']!.value).toMatchObject({ type: 'solo', metadata: '' });
  });

  it('defines an organisation as cryptogen and configtxgen do: roots, roles and policies', () => {
    const [org, theirs] = [ours, recorded].map(({ groups }) => groups['Application']!.groups['Org1MSP']!) as [
      Group,
      Group,
    ];
    expect(org.policies).toEqual(theirs.policies);
    const config = without(
      (theirs.values['MSP']!.value as { config: Record<string, unknown> }).config,
      'tls_root_certs',
    );
    expect(org.values['MSP']!.value).toEqual({ type: 0, config: { ...config, tls_root_certs: [] } });
  });

  it('lets only orderers sign blocks, since clients may share their root', () => {
    expect(JSON.stringify(ours.groups['Orderer']!.groups['Org1MSP']!.policies['Writers'])).toContain(
      '"role":"ORDERER"',
    );
    expect(Object.keys(ours.groups['Orderer']!.groups)).toEqual(['OrdererMSP', 'Org1MSP'].sort());
  });
});

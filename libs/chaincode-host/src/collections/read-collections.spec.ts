import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Collections } from './collections.js';
import { readCollections } from './read-collections.js';

const MEMBERS = "OR('Org1MSP.member', 'Org2MSP.member')";

describe('a file of collections', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'collections-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const read = (content: unknown) => {
    const path = join(folder, 'collections_config.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return readCollections(path);
  };
  const faultOf = (content: unknown): string =>
    (read(content) as { fault: string }).fault.replace(`${folder}/collections_config.json: `, '');

  it('has the format of the peer’s command', () => {
    const assets = {
      name: 'assetCollection',
      policy: MEMBERS,
      requiredPeerCount: 1,
      maxPeerCount: 1,
      blockToLive: 1_000_000,
      memberOnlyRead: true,
      memberOnlyWrite: true,
    };
    const own = {
      name: 'Org1MSP-Private_Collection',
      policy: 'outOf(1, "Org1MSP.peer")',
      endorsementPolicy: { signaturePolicy: "AND('Org1MSP.member', OutOf(1, 'Org2MSP.admin'))" },
    };
    const other = { name: 'a', policy: MEMBERS, endorsementPolicy: { channelConfigPolicy: 'Writers' } };
    expect(read([assets, own, other])).toEqual([
      {
        name: 'assetCollection',
        members: [
          { mspId: 'Org1MSP', role: 'member' },
          { mspId: 'Org2MSP', role: 'member' },
        ],
        memberOnlyRead: true,
        memberOnlyWrite: true,
        blockToLive: 1_000_000,
      },
      {
        name: 'Org1MSP-Private_Collection',
        members: [{ mspId: 'Org1MSP', role: 'peer' }],
        memberOnlyRead: false,
        memberOnlyWrite: false,
        blockToLive: 0,
      },
      expect.objectContaining({ name: 'a' }),
    ]);
    expect(read([])).toEqual([]);
  });

  it.each([
    ['{', 'it is not valid JSON.'],
    [{}, 'it must be a list of collections.'],
    [[1], '[0] must be an object.'],
    [[{ policy: MEMBERS }], '[0].name is missing.'],
    [[{ name: 'a' }], '[0].policy is missing.'],
    [
      [{ name: '_a', policy: MEMBERS }],
      '[0].name must consist of letters, digits, "_" and "-", and not begin with "_".',
    ],
    [[{ name: 'a', policy: 1 }], '[0].policy must be a text.'],
    [
      [{ name: 'a', policy: "'Org1MSP.member'" }],
      '[0].policy is no signature policy: use OR(…), AND(…) or OutOf(n, …).',
    ],
    [
      [{ name: 'a', policy: "OR('Org1MSP')" }],
      '[0].policy is no signature policy: "Org1MSP" is not MSPID.ROLE with member, admin, client, peer or orderer.',
    ],
    [[{ name: 'a', policy: "OR('Org1MSP.member'" }], '[0].policy is no signature policy: ")" is missing.'],
    [[{ name: 'a', policy: "OR 'Org1MSP.member')" }], '[0].policy is no signature policy: "(" is missing.'],
    [
      [{ name: 'a', policy: `${MEMBERS})` }],
      '[0].policy is no signature policy: something follows its last parenthesis.',
    ],
    [[{ name: 'a', policy: 'OR(;)' }], '[0].policy is no signature policy: it cannot be read from ";)" on.'],
    [[{ name: 'a', policy: "OutOf('x', 'A.peer')" }], '[0].policy is no signature policy: OutOf begins with a number.'],
    [[{ name: 'a', policy: "OutOf(3, 'A.peer')" }], '[0].policy is no signature policy: OutOf(3, …) has only 1 rules.'],
    [
      [{ name: 'a', policy: `${'OR('.repeat(40)}'A.peer'${')'.repeat(40)}` }],
      '[0].policy is no signature policy: it is nested too deeply.',
    ],
    [[{ name: 'a', policy: "AND('A.peer', 'B.peer')" }], '[0].policy must consist of OR only.'],
    [
      [{ name: 'a', policy: MEMBERS, requiredPeerCount: -1 }],
      '[0].requiredPeerCount must be a whole number from 0 to 2147483647.',
    ],
    [
      [{ name: 'a', policy: MEMBERS, requiredPeerCount: 2 }],
      '[0].maxPeerCount must not be less than requiredPeerCount (2).',
    ],
    [[{ name: 'a', policy: MEMBERS, blockToLive: 1.5 }], '[0].blockToLive must be a whole number from 0 on.'],
    [[{ name: 'a', policy: MEMBERS, memberOnlyRead: 'yes' }], '[0].memberOnlyRead must be true or false.'],
    [
      [{ name: 'a', policy: MEMBERS, memberonlyread: true }],
      '[0].memberonlyread is unknown. Known: name, policy, requiredPeerCount, maxPeerCount, blockToLive, memberOnlyRead, memberOnlyWrite, endorsementPolicy.',
    ],
    [[{ name: 'a', policy: MEMBERS, endorsementPolicy: 'x' }], '[0].endorsementPolicy must be an object.'],
    [
      [{ name: 'a', policy: MEMBERS, endorsementPolicy: { signaturePolicy: 'x' } }],
      '[0].endorsementPolicy.signaturePolicy is no signature policy: use OR(…), AND(…) or OutOf(n, …).',
    ],
    [
      [{ name: 'a', policy: MEMBERS, endorsementPolicy: { channelConfigPolicy: 1 } }],
      '[0].endorsementPolicy.channelConfigPolicy must be a text.',
    ],
    [
      [{ name: 'a', policy: MEMBERS, endorsementPolicy: { signaturePolicy: MEMBERS, channelConfigPolicy: 'x' } }],
      '[0].endorsementPolicy must have either signaturePolicy or channelConfigPolicy.',
    ],
    [
      [
        { name: 'a', policy: MEMBERS },
        { name: 'a', policy: MEMBERS },
      ],
      '[1].name: another collection is named "a".',
    ],
  ])('is refused with its path and field: %j', (content, fault) => {
    expect(faultOf(content)).toBe(fault);
  });

  it('that is missing is refused', () => {
    const path = join(folder, 'missing.json');
    expect(readCollections(path)).toEqual({ fault: `${path}: it cannot be read (ENOENT).` });
  });
});

describe('the collections of a chaincode', () => {
  const principal = (mspId: string, role: string) => ({ mspId, role });
  const collection = (name: string, ...members: ReturnType<typeof principal>[]) => {
    return { name, members, memberOnlyRead: true, memberOnlyWrite: true, blockToLive: 0 };
  };
  const shared = collection('shared', principal('Org1MSP', 'member'), principal('Org2MSP', 'member'));
  const peers = collection('peers', principal('Org1MSP', 'peer'));
  const others = collection('others', principal('Org2MSP', 'member'));
  const collections = new Collections('Org1MSP', [shared, peers, others]);

  it('are those of the file, and one for each organization', () => {
    expect(
      ['shared', 'none', '_implicit_org_Org1MSP', '_implicit_org_Org2MSP'].map((name) => [
        collections.find(name)?.name,
        collections.isDefined(name),
      ]),
    ).toEqual([
      ['shared', true],
      [undefined, false],
      ['_implicit_org_Org1MSP', true],
      ['_implicit_org_Org2MSP', false],
    ]);
  });

  it('have members by organization and role', () => {
    const own = collections.find('_implicit_org_Org1MSP')!;
    expect(
      [shared, peers, others, own].map((each) => [collections.isCallerMember(each), collections.isStored(each)]),
    ).toEqual([
      [true, true],
      [false, true],
      [false, false],
      [true, true],
    ]);
  });
});

import { Buffer } from 'node:buffer';
import type { ReadWriteSet } from '../encode/read-write-set.js';
import { MemoryVerifier } from './memory-verifier.js';
import { createTestOrganisation, TestChain, type TestBlock, type TestOrganisation } from './test-chain.js';

/** Two organisations of the channel and one that is none, made once for all tests of a file. */
export const [org1, org2, stranger] = (await Promise.all(
  ['Org1MSP', 'Org2MSP', 'StrangerMSP'].map(createTestOrganisation),
)) as [TestOrganisation, TestOrganisation, TestOrganisation];

export function write(key: string, value = 'v'): ReadWriteSet {
  return { reads: [], writes: [{ key, value: Buffer.from(value) }] };
}

export function read(key: string, version?: readonly [blockNumber: number, transactionNumber: number]): ReadWriteSet {
  const found = version && { blockNumber: version[0], transactionNumber: version[1] };
  return { reads: [{ key, version: found }], writes: [] };
}

/** What is found in a chain, as `block[transaction] CHECK what`. */
export function verify(blocks: readonly Uint8Array[], genesisHash?: string): string[] {
  const verifier = new MemoryVerifier(genesisHash);
  return blocks
    .flatMap((block) => verifier.add(block))
    .map(({ block, transaction, check, what }) => {
      const place = transaction === undefined ? block : `${block}[${transaction}]`;
      return `${place} ${check} ${what}`;
    });
}

/** What is found in a chain with a good block 1 that writes `a`, and then what the test adds. */
export function chainWith(
  add: (chain: TestChain) => void,
  organisations: readonly TestOrganisation[] = [org1],
): string[] {
  const chain = new TestChain(organisations);
  chain.append({ envelopes: [chain.transaction({ readWriteSet: write('a') })], writes: [[0, 'a', 'v']] });
  add(chain);
  return verify(chain.blocks);
}

/** The same with a block 2 of one transaction that writes `b`. */
export function blockWith(block: Partial<TestBlock>): string[] {
  return chainWith((chain) => {
    chain.append({
      envelopes: [chain.transaction({ readWriteSet: write('b') })],
      writes: [[0, 'b', 'v']],
      ...block,
    });
  });
}

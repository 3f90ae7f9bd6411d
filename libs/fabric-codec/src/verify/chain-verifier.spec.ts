import { describe, expect, it } from '@jest/globals';
import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { decodeBlock } from '../decode/decode-block.js';
import { decodeEnvelope } from '../decode/decode-envelope.js';
import { encodeEnvelope } from '../encode/transaction-encoder.js';
import { MemoryVerifier } from '../testing/memory-verifier.js';
import { recordedChains } from '../testing/recorded-blocks.js';
import { TestChain } from '../testing/test-chain.js';
import { blockWith, chainWith, org1, org2, stranger, verify, write } from '../testing/verify-chain.js';

describe('a valid chain', () => {
  it('of one organisation and of two verifies clean', () => {
    for (const organisations of [[org1], [org1, org2]]) {
      const found = chainWith((chain) => {
        const both = {
          reads: [{ key: 'a', version: { blockNumber: 1, transactionNumber: 0 } }],
          writes: write('b').writes,
        };
        const envelopes = [both, write('c'), { reads: [], writes: [{ key: 'd', value: undefined }] }].map(
          (readWriteSet) => chain.transaction({ readWriteSet }),
        );
        chain.append({
          envelopes,
          writes: [
            [0, 'b', 'v'],
            [1, 'c', 'v'],
            [2, 'd', undefined],
          ],
        });
      }, organisations);
      expect(found).toEqual([]);
    }
  });

  it('is verified against the hash of block 0 that the caller passes', () => {
    const { blocks } = new TestChain([org1]);
    const hash = Buffer.from(decodeBlock(blocks[0]!).hash).toString('hex');
    expect(verify(blocks, hash.toUpperCase())).toEqual([]);
    expect(verify(blocks, 'ab'.repeat(32))).toEqual([
      `0 BLOCK_LINK block 0 has the hash ${hash}, not ${'ab'.repeat(32)}`,
    ]);
  });

  it('has an unsigned configuration in block 0', () => {
    const [first] = new TestChain([org1]).blocks as [Uint8Array];
    const withData = (envelopes: Uint8Array[]): Uint8Array => {
      const block = common.Block.deserializeBinary(first);
      block.getData()!.setDataList(envelopes);
      return block.serializeBinary();
    };
    const { payload } = decodeEnvelope(decodeBlock(first).envelopes[0]!);
    expect(verify([withData([])])).toContain(
      '0 CONFIGURATION block 0 contains no configuration: no signature of the chain can be checked',
    );
    expect(verify([withData([encodeEnvelope(payload, org1.orderer.sign(payload))])])).toContain(
      '0[0] CREATOR block 0 must not be signed',
    );
  });

  it('starts without a head', () => {
    expect(new MemoryVerifier().head).toEqual({ height: 0, hash: '' });
  });
});

describe('blocks', () => {
  it('that were re-split are found although every hash is right (CVE-2023-46132)', () => {
    const [chain] = recordedChains();
    const blocks = chain!.blocks.map(({ bytes }) => bytes);
    const block = common.Block.deserializeBinary(blocks[8]!);
    const [first, second, third] = block.getData()!.getDataList_asU8() as [Uint8Array, Uint8Array, Uint8Array];
    for (const split of [
      [Buffer.concat([first, second]), third],
      [Buffer.concat([first, second, third])],
      [first.subarray(0, 100), Buffer.concat([first.subarray(100), second]), third],
    ]) {
      const forged = block.clone();
      forged.getData()!.setDataList(split);
      const bytes = forged.serializeBinary();
      expect(decodeBlock(bytes).hash).toEqual(decodeBlock(blocks[8]!).hash);
      const found = verify(blocks.with(8, bytes));
      expect(found).toContainEqual(expect.stringMatching(/^8\[\d\] TRANSACTION_FORMAT the envelope/));
      expect(found).not.toContainEqual(expect.stringContaining('DATA_HASH'));
    }
  });

  it('that are missing, twice there or out of order are found at every place of the chain (CVE-2022-36111)', () => {
    const [chain] = recordedChains();
    const blocks = chain!.blocks.map(({ bytes }) => bytes);
    for (let place = 1; place < blocks.length - 1; place++) {
      expect(verify(blocks.toSpliced(place, 1))).toContainEqual(expect.stringContaining(`${place} BLOCK_LINK`));
      expect(verify(blocks.toSpliced(place, 0, blocks[place]!))).toContainEqual(
        expect.stringContaining(`${place + 1} BLOCK_LINK`),
      );
      const swapped = blocks.with(place, blocks[place + 1]!).with(place + 1, blocks[place]!);
      expect(verify(swapped)).toContainEqual(expect.stringContaining(`${place} BLOCK_NUMBER`));
    }
  });

  it('from another chain are found', () => {
    const [one, other] = recordedChains();
    const blocks = one!.blocks.map(({ bytes }) => bytes).with(5, other!.blocks[5]!.bytes);
    expect(verify(blocks)).toEqual(
      expect.arrayContaining([
        '5 BLOCK_LINK the block does not name the hash of the previous block',
        expect.stringContaining('5 BLOCK_SIGNATURE'),
        expect.stringContaining('5[0] CREATOR'),
        '6 BLOCK_LINK the block does not name the hash of the previous block',
      ]),
    );
  });

  it('with a wrong number or link are found though they are signed', () => {
    expect(blockWith({ number: 7 })).toContain('2 BLOCK_NUMBER the block has the number 7 instead of 2');
    expect(blockWith({ previousHash: randomBytes(32) })).toEqual([
      '2 BLOCK_LINK the block does not name the hash of the previous block',
    ]);
  });

  it('not signed by an orderer of the channel are found', () => {
    const refused =
      '2 BLOCK_SIGNATURE the block does not have the signatures that /Channel/Orderer/BlockValidation requires';
    expect(blockWith({ orderer: org1.client })).toEqual([refused]);
    expect(blockWith({ orderer: org1.peer })).toEqual([refused]);
    expect(blockWith({ orderer: stranger.orderer })).toEqual([
      '2 BLOCK_SIGNATURE no organization of the channel has the MSP id "StrangerMSP"',
      refused,
    ]);
    const forged = { identity: org1.orderer.identity, sign: (content: Uint8Array) => org1.peer.sign(content) };
    expect(blockWith({ orderer: forged })).toEqual([
      '2 BLOCK_SIGNATURE a signature is not that of the orderer it names',
      refused,
    ]);
  });

  it('whose signature header contains additional fields are found', () => {
    const identity = Buffer.concat([org1.orderer.identity, Buffer.from([0x18, 1])]);
    expect(blockWith({ orderer: { ...org1.orderer, identity } })).toEqual([
      '2 METADATA the signatures are not in their canonical form: signatures.signatureHeader.creator: unknown field 3',
    ]);
  });

  it('that name the wrong configuration block are found', () => {
    expect(blockWith({ lastConfig: 1 })).toEqual([
      '2 METADATA the orderer names block 1 as the newest configuration, not 0',
    ]);
  });

  it('that are empty or no blocks are found, and the chain is followed further', () => {
    expect(blockWith({ envelopes: [], writes: [] })).toEqual(['2 METADATA the block is empty']);
    const chain = new TestChain([org1]);
    const found = verify([Buffer.from('no block'), ...chain.blocks.slice(1), Buffer.alloc(0)]);
    expect(found).toEqual([
      expect.stringMatching(/^0 BLOCK_FORMAT the block is not in its canonical form: unknown field/),
      '0 BLOCK_FORMAT the block cannot be decoded',
      '1 BLOCK_FORMAT the block cannot be decoded',
    ]);
  });

  it('with metadata that no signature covers are found', () => {
    const change = (edit: (block: common.Block) => void): string[] => {
      const chain = new TestChain([org1]);
      chain.append({ envelopes: [chain.transaction({ readWriteSet: write('a') })], writes: [[0, 'a', 'v']] });
      const block = common.Block.deserializeBinary(chain.blocks[1]!);
      edit(block);
      return verify(chain.blocks.with(1, block.serializeBinary()));
    };
    const set = (index: number, entry: Uint8Array) => (block: common.Block) => {
      block.getMetadata()!.setMetadataList(block.getMetadata()!.getMetadataList_asU8().with(index, entry));
    };
    expect(change(set(1, Buffer.from([1])))).toEqual([
      '1 METADATA the metadata entry LAST_CONFIG does not name block 0, as the signed metadata do',
    ]);
    expect(change(set(3, Buffer.from([1])))).toEqual(['1 METADATA the metadata entry ORDERER is not empty']);
    expect(change(set(4, Buffer.alloc(0)))).toEqual([
      '1 METADATA the commit hash is not in the form that a peer writes',
      '1 COMMIT_HASH the commit hash is not that of the validation codes and writes',
    ]);
    expect(change(set(0, Buffer.from([9])))).toEqual([
      expect.stringContaining('1 METADATA the signatures are not in their canonical form: value'),
    ]);
    const twice = (block: common.Block) => {
      const metadata = common.Metadata.deserializeBinary(block.getMetadata()!.getMetadataList_asU8()[0]!);
      metadata.addSignatures(metadata.getSignaturesList()[0]!.clone());
      set(0, metadata.serializeBinary())(block);
    };
    expect(change(twice)).toEqual(['1 BLOCK_SIGNATURE an orderer signed the block twice']);
    expect(change((block) => block.getMetadata()!.addMetadata(new Uint8Array()))).toEqual([
      '1 METADATA there are 6 metadata entries, not 5',
    ]);
    expect(
      change((block) => {
        block.clearMetadata();
      }),
    ).toEqual(
      expect.arrayContaining([
        '1 METADATA there are 0 metadata entries, not 5',
        expect.stringContaining('1[0] VALIDATION_CODE'),
      ]),
    );
    expect(change(set(2, Buffer.from([0, 0])))).toContain('1 METADATA there are 2 validation codes for 1 transactions');
  });

  it('signed by BFT orderers are reported as unchecked', () => {
    const chain = new TestChain([org1]);
    const block = common.Block.deserializeBinary(
      chain.append({ envelopes: [chain.transaction({ readWriteSet: write('a') })], writes: [[0, 'a', 'v']] }),
    );
    const metadata = common.Metadata.deserializeBinary(block.getMetadata()!.getMetadataList_asU8()[0]!);
    metadata.getSignaturesList()[0]!.setIdentifierHeader(Buffer.from([8, 1]));
    block
      .getMetadata()!
      .setMetadataList(block.getMetadata()!.getMetadataList_asU8().with(0, metadata.serializeBinary()));
    expect(verify(chain.blocks.with(1, block.serializeBinary()))).toContain(
      '1 BLOCK_SIGNATURE signatures of BFT orderers cannot be checked',
    );
  });
});

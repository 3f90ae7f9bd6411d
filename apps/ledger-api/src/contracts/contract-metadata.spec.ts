import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ASSET_CONTRACT } from '#asset-contract';
import { functionsIn, parseContractMetadata } from './contract-metadata.js';

function readText(text: string) {
  const metadata = parseContractMetadata(text);
  return metadata && functionsIn(metadata);
}
const read = (metadata: unknown) => readText(JSON.stringify(metadata));

describe('metadata of a chaincode', () => {
  it('of the embedded ledger lists every function of the contract', () => {
    const functions = readText(ASSET_CONTRACT.metadata()) ?? [];
    expect(functions.map(({ name }) => name)).toEqual([...ASSET_CONTRACT.functions.keys()]);
    expect(functions[2]).toEqual({
      name: 'ReadAsset',
      contract: 'AssetTransferContract',
      kind: 'evaluate',
      parameters: [{ name: 'id', schema: { type: 'string' } }],
    });
  });

  it('is parsed in the forms of Node, Go and Java', () => {
    const transaction = { name: 'Pay', parameters: [{ name: 'to', schema: { type: 'string' } }] };
    const contracts = (more: object) => ({
      contracts: { Bank: { name: 'Bank', transactions: [{ ...transaction, ...more }] } },
    });
    const pay = { name: 'Pay', contract: 'Bank', parameters: [{ name: 'to', schema: { type: 'string' } }] };
    expect(read(contracts({ tag: ['submitTx'] }))).toEqual([{ ...pay, kind: 'submit' }]);
    expect(read(contracts({ tag: ['SUBMIT', 'submitTx'] }))).toEqual([{ ...pay, kind: 'submit' }]);
    expect(read(contracts({ tag: ['evaluate', 'EVALUATE'] }))).toEqual([{ ...pay, kind: 'evaluate' }]);
    expect(read(contracts({ tags: ['evaluateTx'] }))).toEqual([{ ...pay, kind: 'evaluate' }]);
    expect(read(contracts({ parameters: undefined }))).toEqual([{ name: 'Pay', contract: 'Bank' }]);
  });

  it('omits the system contract and entries without a name', () => {
    const transactions = [{ name: 'A' }, {}, null, { name: 7 }, { name: 'B', parameters: [{}, { name: 'x' }] }];
    expect(
      read({
        contracts: {
          C: { transactions },
          D: {},
          'org.hyperledger.fabric': { transactions: [{ name: 'GetMetadata' }] },
        },
      }),
    ).toEqual([
      { name: 'A', contract: 'C' },
      { name: 'B', contract: 'C', parameters: [{ name: 'x' }] },
    ]);
  });

  it('is undefined for anything else', () => {
    for (const text of ['', 'x', 'null', '[]', '{}', '{"contracts":7}']) expect(readText(text)).toBeUndefined();
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(() => readText(`{"contracts":${text}}`)).not.toThrow();
      }),
    );
  });
});

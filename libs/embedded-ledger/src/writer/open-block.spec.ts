import { OpenBlock, type SimulatedTransaction, type StagedTransaction } from './open-block.js';

const SIGNED = new Uint8Array([1]);

const writing = (id: number, key: string): SimulatedTransaction => ({
  request: {
    chaincode: 'basic',
    function: 'CreateAsset',
    arguments: [key],
    signer: 0,
    nonce: '',
    transactionId: String(id),
  },
  timestamp: 0,
  readWriteSets: new Map([['basic', { reads: [], writes: [{ key, value: SIGNED }] }]]),
  payload: SIGNED,
});

describe('OpenBlock', () => {
  /** Creates an open block whose first `signed` transactions are signed. */
  function openWith(count: number, signed: number, keyOf = (n: number) => `key${n}`) {
    const open = new OpenBlock();
    const staged: StagedTransaction[] = Array.from({ length: count }, (_, n) => open.place(writing(n, keyOf(n))));
    for (const transaction of staged.slice(0, signed)) transaction.envelope = SIGNED;
    return { open, staged };
  }

  it('is sealed when all transactions are signed, however few', () => {
    const { open } = openWith(1, 1);
    expect(open.seal(5)).toMatchObject({ number: 5, envelopes: [SIGNED], writes: [{ position: 0, key: 'key0' }] });
    expect(open.length).toBe(0);
    expect(open.hasWrites).toBe(false);
    expect(open.seal(6)).toBeUndefined();
  });

  it('is not sealed while only a few transactions are signed', () => {
    const { open, staged } = openWith(30, 23);
    expect(open.seal(5)).toBeUndefined();
    expect(open.length).toBe(30);
    for (const transaction of staged.slice(24)) transaction.envelope = SIGNED;
    // The 24th is not signed, and the order must not change.
    expect(open.seal(5)).toBeUndefined();
  });

  it('seals enough signed transactions, and keeps the others and their keys', () => {
    const { open, staged } = openWith(30, 24);
    expect(open.seal(5)?.transactions.map(({ request }) => Number(request.transactionId))).toEqual(
      Array.from({ length: 24 }, (_, n) => n),
    );
    expect([open.length, open.isWritten('basic', 'key23'), open.isWritten('basic', 'key24')]).toEqual([6, false, true]);
    for (const transaction of staged) transaction.envelope = SIGNED;
    const next = open.seal(6);
    expect(next?.writes.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('removes transactions with their keys, once', () => {
    const { open, staged } = openWith(3, 3, (n) => (n === 2 ? 'other' : 'same'));
    const [first, , third] = staged as [StagedTransaction, StagedTransaction, StagedTransaction];
    expect(open.remove([first, third])).toEqual([first, third]);
    expect([open.isWritten('basic', 'same'), open.isWritten('basic', 'other')]).toEqual([true, false]);
    expect(open.remove([first])).toEqual([]);
    expect(open.seal(5)?.transactions).toEqual([staged[1]]);
  });

  it('has the written keys until their last write is sealed', () => {
    const { open, staged } = openWith(30, 24, () => 'same');
    expect(open.seal(5)?.writes).toHaveLength(24);
    expect(open.isWritten('basic', 'same')).toBe(true);
    for (const transaction of staged) transaction.envelope = SIGNED;
    expect(open.seal(6)?.writes.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(open.isWritten('basic', 'same')).toBe(false);
  });

  it('finds a write in a range of its namespace only', () => {
    const { open } = openWith(1, 1, () => 'b');
    const ranges = [
      ['', ''],
      ['b', 'c'],
      ['a', 'b'],
      ['c', ''],
    ] as const;
    expect(ranges.map(([start, end]) => open.hasWriteIn('basic', start, end))).toEqual([true, true, false, false]);
    expect(open.hasWriteIn('basic-2', '', '')).toBe(false);
  });
});

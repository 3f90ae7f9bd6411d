import { randomBytes, verify, X509Certificate } from 'node:crypto';
import { decodeEnvelope } from '../../../../fabric-blocks/decode/decode-envelope.js';
import { TransactionEncoder } from '../../../../fabric-blocks/encode/transaction-encoder.js';
import { IdentityStore } from '../../identities/identity-store.js';
import { NAMES, TemporaryDirectory } from '../../testing/temporary-ledger.js';
import { EnvelopeSigner, type TransactionSigners, type UnsignedTransaction } from './envelope-signer.js';
import { SigningThread } from './signing-thread.js';

describe('SigningThread', () => {
  const directory = new TemporaryDirectory();
  let signers: TransactionSigners;
  let own: EnvelopeSigner;
  let encoder: TransactionEncoder;
  let thread: SigningThread;
  beforeAll(async () => {
    const store = new IdentityStore(directory.file('identities'), NAMES.mspId);
    await store.create();
    const { peer, client } = await store.load();
    signers = { mspId: NAMES.mspId, peer, client };
    own = new EnvelopeSigner(signers);
    const chaincode = { name: NAMES.chaincode, version: '1' };
    encoder = new TransactionEncoder({ channel: NAMES.channel, chaincode, creator: own.client.identity });
  });
  beforeEach(() => {
    thread = new SigningThread(signers, own);
  });
  afterEach(async () => {
    await thread.close();
  });
  afterAll(() => {
    directory.remove();
  });

  function transactions(ids: readonly string[]): UnsignedTransaction[] {
    return ids.map((id) => {
      const call = { function: 'DeleteAsset', arguments: [id] };
      const proposal = encoder.propose({ nonce: randomBytes(24), transactionId: id, timestamp: 0, ...call });
      const outcome = { readWriteSet: { reads: [], writes: [] }, response: { status: 200, payload: Buffer.from(id) } };
      return { proposal, response: encoder.respond(proposal, outcome) };
    });
  }

  /** The ids in envelopes, after their signatures were checked. */
  function idsOf(envelopes: readonly Uint8Array[]): string[] {
    const key = new X509Certificate(signers.client.certificate).publicKey;
    return envelopes.map((envelope) => {
      const { payload, signature, transactionId } = decodeEnvelope(envelope);
      return verify('sha256', payload, key, signature) ? transactionId : 'not signed';
    });
  }

  async function untilReady(): Promise<void> {
    while (!thread.isReady) await new Promise(setImmediate);
  }

  it('signs from the first batch on, also while the thread is starting', async () => {
    const first = thread.sign(transactions(['a', 'b']));
    expect(thread.isReady).toBe(false);
    expect(idsOf(await first)).toEqual(['a', 'b']);
  });

  it('gives each batch its own envelopes, in order', async () => {
    await thread.sign([]);
    await untilReady();
    const batches = [['a', 'b', 'c'], ['d'], [], ['e', 'f']];
    const signed = await Promise.all(batches.map((ids) => thread.sign(transactions(ids))));
    expect(signed.map(idsOf)).toEqual(batches);
  });

  it('signs here what a lost thread had not signed yet, and what comes later', async () => {
    await thread.sign([]);
    await untilReady();
    const under = [thread.sign(transactions(['a', 'b'])), thread.sign(transactions(['c']))];
    await thread.close();
    expect((await Promise.all(under)).map(idsOf)).toEqual([['a', 'b'], ['c']]);
    expect(thread.isReady).toBe(false);
    expect(idsOf(await thread.sign(transactions(['d'])))).toEqual(['d']);
  });
});

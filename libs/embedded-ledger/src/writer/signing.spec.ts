import { randomBytes, verify, X509Certificate } from 'node:crypto';
import { decodeEnvelope } from '#fabric-codec';
import { TransactionEncoder } from '#fabric-codec/encode';
import { IdentityStore } from '../store/identity-store.js';
import { NAMES, TemporaryDirectory } from '../testing/temporary-ledger.js';
import { SigningThread, type SignerPem, type TransactionSigners, type UnsignedTransaction } from './signing.js';

describe('SigningThread', () => {
  const directory = new TemporaryDirectory();
  let signers: TransactionSigners;
  let encoder: TransactionEncoder;
  let thread: SigningThread;
  let bob: SignerPem;
  beforeAll(async () => {
    const store = new IdentityStore(directory.file('identities'), NAMES.mspId);
    await store.create();
    const { peer, client } = await store.load();
    signers = { mspId: NAMES.mspId, peer, clients: [client, await store.caller('alice')] };
    const chaincode = { name: NAMES.chaincode, version: '1' };
    encoder = new TransactionEncoder({
      channel: NAMES.channel,
      chaincode,
      creator: new SigningThread(signers).here.client(0).identity,
    });
    bob = await store.caller('bob');
  });
  beforeEach(() => {
    thread = new SigningThread(signers);
  });
  afterEach(async () => {
    await thread.close();
  });
  afterAll(() => {
    directory.remove();
  });

  function transactions(ids: readonly string[], signer = 0): UnsignedTransaction[] {
    return ids.map((id) => {
      const call = { function: 'DeleteAsset', arguments: [id] };
      const proposal = encoder.propose({ nonce: randomBytes(24), transactionId: id, timestamp: 0, ...call });
      const outcome = { readWriteSets: new Map(), response: { status: 200, payload: Buffer.from(id) } };
      return { signer, proposal, response: encoder.respond(proposal, outcome) };
    });
  }

  /** Verifies the signatures of envelopes, by default the first client's, and returns their ids. */
  function idsOf(envelopes: readonly Uint8Array[], client = signers.clients[0]!): string[] {
    const key = new X509Certificate(client.certificate).publicKey;
    return envelopes.map((envelope) => {
      const { payload, signature, transactionId } = decodeEnvelope(envelope);
      return verify('sha256', payload, key, signature) ? transactionId : 'not signed';
    });
  }

  it('returns the envelopes of each batch in order', async () => {
    const batches = [['a', 'b', 'c'], ['d'], [], ['e', 'f']];
    const signed = await Promise.all(batches.map((ids) => thread.envelopes(transactions(ids))));
    expect(signed.map((envelopes) => idsOf(envelopes))).toEqual(batches);
  });

  it('signs each transaction of a batch with its own client', async () => {
    const mixed = [...transactions(['a'], 1), ...transactions(['b'], 0), ...transactions(['c'], 1)];
    const [a, b, c] = (await thread.envelopes(mixed)).map((envelope) => [envelope]);
    expect([...idsOf(a!, signers.clients[1]), ...idsOf(b!), ...idsOf(c!, signers.clients[1])]).toEqual(['a', 'b', 'c']);
    expect(idsOf(a!)).toEqual(['not signed']);
  });

  it('accepts more clients at any time', async () => {
    thread.add(bob);
    expect(idsOf(await thread.envelopes(transactions(['a'], 2)), bob)).toEqual(['a']);
    thread.add(bob);
    expect(idsOf(await thread.envelopes(transactions(['b'], 3)), bob)).toEqual(['b']);
    await expect(thread.envelopes(transactions(['c'], 9))).rejects.toThrow('there is no signer 9');
  });

  it('signs pending and later batches on this thread after the signing thread has ended', async () => {
    const under = [thread.envelopes(transactions(['a', 'b'])), thread.envelopes(transactions(['c']))];
    await thread.close();
    expect((await Promise.all(under)).map((envelopes) => idsOf(envelopes))).toEqual([['a', 'b'], ['c']]);
    expect(idsOf(await thread.envelopes(transactions(['d'])))).toEqual(['d']);
  });
});

// The CPU time of Fabric's format alone, without signing: `npm run build`, then
// `node test/bench/micro/fabric-blocks.mjs`. The least of several rounds, since neighbours only ever add to it.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import '../../../libs/threads/src/run-from-source.mjs';

const load = (path) => import(new URL(`../../../libs/fabric-codec/src/${path}.ts`, import.meta.url).href);
const { bytesToEndorse, encodeEnvelope, encodePayload, serializeIdentity, TransactionEncoder } =
  await load('encode/transaction-encoder');
const { blockSignatureInput, draftBlock, encodeBlock } = await load('encode/block-encoder');
const { decodeBlock } = await load('decode/decode-block');
const { describeTransaction } = await load('describe/describe-transaction');
const { BlockExaminer } = await load('verify/examine-block');

const ROUNDS = 15;

/** Prints the least CPU microseconds that one of `per` things took. */
function measure(name, runs, per, run) {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let index = 0; index < runs; index++) run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / runs / per);
  }
  console.log(name.padEnd(52), `${least.toFixed(1)} µs`);
}

const folder = new URL('../../fixtures/fabric-blocks/3.1.5/', import.meta.url);
const recorded = readdirSync(folder)
  .filter((name) => name.endsWith('.block'))
  .sort()
  .map((name) => new Uint8Array(readFileSync(new URL(name, folder))));

const [nonce, signature] = [randomBytes(24), randomBytes(71)];
const identity = serializeIdentity('Org1MSP', Buffer.alloc(814, 'x'));
const key = '550e8400-e29b-41d4-a716-446655440000';
const value = Buffer.from(`{"ID":"${key}","appraisedValue":"900","color":"teal","owner":"Ada","size":"7"}`);
const encoder = new TransactionEncoder({
  channel: 'mychannel',
  chaincode: { name: 'basic', version: '1.0' },
  creator: identity,
});

function envelope() {
  const call = { function: 'CreateAsset', arguments: [key, 'teal', '7', 'Ada', '900'] };
  const proposal = encoder.propose({ nonce, timestamp: 1_795_264_521_225, ...call });
  const response = encoder.respond(proposal, {
    readWriteSet: { reads: [{ key, version: undefined }], writes: [{ key, value }] },
    response: { status: 200, payload: value },
  });
  bytesToEndorse(response, identity);
  return encodeEnvelope(encodePayload(proposal, response, [{ endorser: identity, signature }]), signature);
}

const envelopes = Array.from({ length: 100 }, envelope);

function block() {
  const signatureInput = blockSignatureInput(0, identity, nonce);
  const validationCodes = Buffer.alloc(envelopes.length);
  const commitHash = Buffer.alloc(32);
  return encodeBlock(draftBlock(5, nonce, envelopes), { signatureInput, signature, validationCodes, commitHash });
}

const created = decodeBlock(recorded[5]).envelopes[0];
const place = { validationCode: 0, blockNumber: 5, blockHash: '' };

measure(`encode an envelope of ${envelopes[0].length} bytes`, 4000, 1, envelope);
measure('put it into a block of 100, hashes included', 50, 100, block);
measure('describe a recorded transaction', 200, 1, () => describeTransaction({ envelope: created, ...place }));
const examiner = new BlockExaminer();
measure('examine a recorded block, signatures included', 5, recorded.length, () => {
  for (const bytes of recorded)
    if (examiner.examine(bytes).fault !== undefined) throw new Error('a recorded block is damaged');
});

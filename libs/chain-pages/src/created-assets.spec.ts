import { describe, expect, it } from '@jest/globals';
import { decodeEnvelope } from '#fabric-codec';
import { encodeEnvelope, encodePayload, serializeIdentity, TransactionEncoder } from '#fabric-codec/encode';
import { createdAssets } from './created-assets.js';

const encoder = new TransactionEncoder({
  channel: 'mychannel',
  chaincode: { name: 'basic', version: '1.0' },
  creator: serializeIdentity('Org1MSP', Buffer.from('no certificate')),
});

/** Returns what a call created by its summary. */
function created(args: readonly string[], payload: string, name = 'CreateAssets') {
  const proposal = encoder.propose({ function: name, arguments: args, nonce: Buffer.alloc(24, 1), timestamp: 0 });
  const response = { status: 200, message: '', payload: Buffer.from(payload) };
  const answer = encoder.respond(proposal, { readWriteSets: new Map(), response });
  return createdAssets(decodeEnvelope(encodeEnvelope(encodePayload(proposal, answer, []), Buffer.alloc(0))), name);
}

describe('createdAssets', () => {
  it('leaves out what the contract refused', () => {
    const batch = JSON.stringify([null, { ID: 'b' }, { ID: 'a' }, { ID: '__proto__' }]);
    const refused = [{ index: 0 }, { index: 3 }];
    expect(created([batch], JSON.stringify({ created: 2, refused }))).toEqual({ count: 2, first: 'b', last: 'a' });
  });

  it.each([
    ['another function', ['[{"ID":"a"}]'], '{"created":1,"refused":[]}', 'CreateAsset'],
    ['no argument', [], '{"created":1,"refused":[]}'],
    ['an argument that is no JSON', ['x'], '{"created":1,"refused":[]}'],
    ['an argument that is no array', ['{}'], '{"created":1,"refused":[]}'],
    ['a response of another contract', ['[{"ID":"a"}]'], 'done'],
    ['a response that does not fit', ['[{"ID":"a"}]'], '{"created":2,"refused":[]}'],
    ['refusals of another form', ['[{"ID":"a"}]'], '{"created":1,"refused":[null]}'],
    ['elements without ids', ['[{"ID":1},null]'], '{"created":2,"refused":[]}'],
    ['nothing', ['[]'], '{"created":0,"refused":[]}'],
  ])('returns undefined for %s', (_, args, payload, name = 'CreateAssets') => {
    expect(created(args, payload, name)).toBeUndefined();
  });
});

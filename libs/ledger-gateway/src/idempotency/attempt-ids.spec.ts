import { attemptNonce, idOfKey } from './keyed-calls.js';

describe('attemptNonce', () => {
  it('differs for each channel, owner, key and attempt, however their texts are split', () => {
    const nonces = [
      attemptNonce('ab', { key: 'c', owner: undefined }, 0),
      attemptNonce('a', { key: 'bc', owner: undefined }, 0),
      attemptNonce('ab', { key: 'c', owner: undefined }, 1),
      attemptNonce('ab', { key: 'c', owner: '' }, 0),
      attemptNonce('ab', { key: 'c', owner: 'null' }, 0),
      attemptNonce('ab', { key: '"c","d"', owner: undefined }, 0),
      attemptNonce('ab', { key: 'c', owner: 'd' }, 0),
    ].map((nonce) => nonce.toString('hex'));
    expect(new Set(nonces).size).toBe(nonces.length);
    for (const nonce of nonces) expect(nonce).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is the same in every version of the program, so that a repeat is not executed as a second write', () => {
    expect(attemptNonce('mychannel', { key: 'k', owner: 'alice' }, 2).toString('hex')).toBe(
      '2ade40a245986196c9c410a12448c644b07a2a2f923ec4bb9bd086229093a318',
    );
    expect(idOfKey('mychannel', { key: 'k', owner: 'alice' })).toBe('39b6d5bb-23a6-8003-a3bb-ddb83abfccbe');
  });
});

describe('idOfKey', () => {
  it('is a UUID of version 8 that differs for each owner and key', () => {
    const ids = ['k', 'l'].flatMap((key) => [
      idOfKey('c', { key, owner: undefined }),
      idOfKey('c', { key, owner: 'alice' }),
    ]);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

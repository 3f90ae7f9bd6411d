import { attemptNonce, idOfKey } from './attempt-ids.js';

describe('attemptNonce', () => {
  it('is another one for each channel, owner, key and attempt, however the words are cut', () => {
    const nonces = [
      attemptNonce('ab', { key: 'c' }, 0),
      attemptNonce('a', { key: 'bc' }, 0),
      attemptNonce('ab', { key: 'c' }, 1),
      attemptNonce('ab', { key: 'c', owner: '' }, 0),
      attemptNonce('ab', { key: 'c', owner: 'null' }, 0),
      attemptNonce('ab', { key: '"c","d"' }, 0),
      attemptNonce('ab', { key: 'c', owner: 'd' }, 0),
    ].map((nonce) => nonce.toString('hex'));
    expect(new Set(nonces).size).toBe(nonces.length);
    for (const nonce of nonces) expect(nonce).toMatch(/^[0-9a-f]{64}$/);
  });

  it('does not change from one version of the program to the next, or a repeat would be a second write', () => {
    expect(attemptNonce('mychannel', { key: 'k', owner: 'alice' }, 2).toString('hex')).toBe(
      '2ade40a245986196c9c410a12448c644b07a2a2f923ec4bb9bd086229093a318',
    );
    expect(idOfKey('mychannel', { key: 'k', owner: 'alice' })).toBe('39b6d5bb-23a6-8003-a3bb-ddb83abfccbe');
  });
});

describe('idOfKey', () => {
  it('is a UUID of version 8, another one for each owner and key', () => {
    const ids = ['k', 'l'].flatMap((key) => [idOfKey('c', { key }), idOfKey('c', { key, owner: 'alice' })]);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

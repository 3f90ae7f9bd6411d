import { describe, expect, it } from '@jest/globals';
import { IdempotencyKey } from './idempotency-key.js';

describe('IdempotencyKey', () => {
  it('returns the same key for the same write, and another one for another write', () => {
    const key = new IdempotencyKey();
    const first = key.for({ id: 'a', owner: 'Ana' });
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(key.for({ id: 'a', owner: 'Ana' })).toBe(first);
    const second = key.for({ id: 'a', owner: 'Ben' });
    expect(second).not.toBe(first);
    // The second write may have been executed meanwhile, so this is a third one.
    expect([first, second]).not.toContain(key.for({ id: 'a', owner: 'Ana' }));
  });

  it('returns a new key for the same content after a success', () => {
    const key = new IdempotencyKey();
    const first = key.for('a');
    key.renew();
    expect(key.for('a')).not.toBe(first);
  });
});

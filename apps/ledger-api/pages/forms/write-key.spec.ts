import { describe, expect, it } from '@jest/globals';
import { WriteKey } from './write-key.js';

describe('WriteKey', () => {
  it('is the same for the same write, and another for another', () => {
    const key = new WriteKey();
    const first = key.for({ id: 'a', owner: 'Ana' });
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(key.for({ id: 'a', owner: 'Ana' })).toBe(first);
    const second = key.for({ id: 'a', owner: 'Ben' });
    expect(second).not.toBe(first);
    // Going back makes a third write: the second may have been made since.
    expect([first, second]).not.toContain(key.for({ id: 'a', owner: 'Ana' }));
  });

  it('is another one for the next write, even of the same', () => {
    const key = new WriteKey();
    const first = key.for('a');
    key.renew();
    expect(key.for('a')).not.toBe(first);
  });
});

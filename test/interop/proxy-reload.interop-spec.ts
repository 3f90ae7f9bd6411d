import { describe, expect, it } from '@jest/globals';
import { reloadUnderTunnels } from '../support/proxy/reload-proof.js';

describe('50 reloads', () => {
  it('cut none of 1,000 tunnels, and lose no byte', async () => {
    const { reloaded, refused, faults } = await reloadUnderTunnels({ tunnels: 1000, reloads: 50 });
    expect(faults).toEqual([]);
    expect(reloaded + refused).toBe(50);
    expect(refused).toBeGreaterThan(10);
  }, 300_000);
});

import { describe, expect, it } from '@jest/globals';
import { unsupportedNode } from './node-version.js';

describe('unsupportedNode', () => {
  it.each(['22.20.0', '22.23.3', '24.0.0', '26.1.0'])('accepts Node %s', (version) => {
    expect(unsupportedNode('ledger-api', version)).toBeUndefined();
  });

  it.each(['8.17.0', '20.20.2', '22.19.0'])('says of Node %s how to get a newer one', (version) => {
    expect(unsupportedNode('ledger-tool', version)).toBe(
      `ledger-tool needs Node 22.20 or newer, and this is Node ${version}. Install Node 24 from https://nodejs.org, ` +
        'or let npm fetch it for one run: npx --package=node@24 -- ledger-tool',
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import { withFilter } from './file-name.js';

describe('withFilter', () => {
  it.each([
    [{}, 'assets.csv'],
    [{ owner: 'Ana' }, 'assets-owner-Ana.csv'],
    [{ owner: 'Ana B', since: '2026-01-30T23:00:00.000Z' }, 'assets-owner-Ana_B-since-2026-01-30T23_00_00.000Z.csv'],
    [{ owner: '../\u202e$&' }, 'assets-owner-.._.csv'],
    [{ owner: 'x'.repeat(500) }, `assets-owner-${'x'.repeat(114)}.csv`],
  ])('%j: %s', (filter, expected) => {
    expect(withFilter('assets.csv', filter)).toBe(expected);
  });

  it('names a file without an extension', () => {
    expect(withFilter('list', { color: 'red' })).toBe('list-color-red');
  });
});

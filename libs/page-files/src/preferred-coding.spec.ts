import { preferredCoding } from './preferred-coding.js';

describe('preferredCoding', () => {
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['X-Gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.000, gzip; q=0.1', 'gzip'],
    ['br;q=0.001', 'br'],
    ['*', 'br'],
    ['*;q=0', 'identity'],
    ['br;q=0, *', 'gzip'],
    ['identity', 'identity'],
    ['identity;q=0', 'identity'],
  ])('of %j takes %s', (accepted, coding) => {
    expect(preferredCoding(accepted)).toBe(coding);
  });
});

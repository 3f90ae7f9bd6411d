import { hasPassed, Origins } from './prepared-request.js';

describe('Via (RFC 9110, section 7.6.3)', () => {
  it('has a pseudonym that another process does not have', () => {
    const { viaToken } = new Origins();
    expect(viaToken).toMatch(/^[0-9a-f]{16}$/);
    expect(new Origins().viaToken).not.toBe(viaToken);
  });

  it.each([
    ['1.1 TOKEN', true],
    ['1.0 first, 1.1 TOKEN (a comment), 1.1 third', true],
    ['HTTP/1.1 \t TOKEN', true],
    ['1.1 first', false],
    ['1.1 TOKENx', false],
    ['1.1 first (TOKEN)', false],
    ['', false],
  ])('finds the token in %j: %s', (via, found) => {
    expect(hasPassed(via.replace('TOKEN', 'f00'), 'f00')).toBe(found);
  });
});

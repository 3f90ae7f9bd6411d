import { securityHeaders } from './security-headers.js';

describe('securityHeaders', () => {
  const headers = securityHeaders();

  it("are helmet's, as plain text under lower-case names", () => {
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'referrer-policy': 'no-referrer',
    });
    expect(headers['content-security-policy']).toContain("default-src 'self'");
  });

  it('do not force https, which may be off or self-signed', () => {
    expect(headers['strict-transport-security']).toBeUndefined();
    expect(headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
  });
});

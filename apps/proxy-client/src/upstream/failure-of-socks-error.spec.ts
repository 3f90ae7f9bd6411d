import { Socks5Error, type Socks5ErrorCode, type Socks5Phase } from '#socks5-protocol';
import { failureOfSocksError } from './failure-of-socks-error.js';

const NAMED = [
  'general_failure',
  'not_allowed',
  'network_unreachable',
  'host_unreachable',
  'connection_refused',
  'ttl_expired',
  'command_not_supported',
  'address_not_supported',
];

describe('failureOfSocksError', () => {
  it('converts each of the 255 failing reply codes to its category and includes the code', () => {
    for (let replyCode = 1; replyCode < 256; replyCode += 1) {
      const failure = failureOfSocksError(new Socks5Error('SOCKS5.REPLY', 'test', { replyCode }), true);
      expect(failure.category).toBe(NAMED[replyCode - 1] ?? 'protocol_error');
      expect(failure.facts).toEqual({ replyCode, fault: 'target' });
    }
  });

  it.each<[Socks5ErrorCode, string]>([
    ['SOCKS5.INVALID_TARGET', 'bad_request'],
    ['SOCKS5.INVALID_CREDENTIALS', 'auth_failed'],
    ['SOCKS5.METHOD_REFUSED', 'auth_failed'],
    ['SOCKS5.METHOD_NOT_OFFERED', 'auth_failed'],
    ['SOCKS5.CREDENTIALS_REFUSED', 'auth_failed'],
    ['SOCKS5.PROTOCOL', 'protocol_error'],
    ['SOCKS5.UNREACHABLE', 'upstream_unreachable'],
    ['SOCKS5.CLOSED', 'upstream_closed'],
    ['SOCKS5.TIMEOUT', 'timeout'],
  ])('converts %s to %s', (code, category) => {
    const cause = new Socks5Error(code, 'test');
    expect(failureOfSocksError(cause, true)).toMatchObject({ category, facts: {}, cause });
  });

  it('attributes a close at the request to the target if the server has worked before', () => {
    const closed = (phase: Socks5Phase) => new Socks5Error('SOCKS5.CLOSED', 'test', { phase });
    expect(failureOfSocksError(closed('request'), true)).toMatchObject({ category: 'closed_at_request' });
    expect(failureOfSocksError(closed('request'), false)).toMatchObject({ category: 'upstream_closed' });
    expect(failureOfSocksError(closed('authentication'), true)).toMatchObject({ category: 'upstream_closed' });
  });

  it.each([
    ['SSH', 'upstream_speaks_ssh'],
    ['HTTP', 'upstream_speaks_http'],
  ] as const)('reports that a server speaks %s', (protocol, category) => {
    const error = new Socks5Error('SOCKS5.PROTOCOL', 'test', { phase: 'method', protocol });
    expect(failureOfSocksError(error, false)).toMatchObject({ category });
  });
});

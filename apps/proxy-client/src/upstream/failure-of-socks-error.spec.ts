import { Socks5Error, type Socks5ErrorCode } from '#socks5-protocol';
import type { ProxyFailure } from '../failure/proxy-failure.js';
import { ConnectCancelled } from './cancel-token.js';
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
  it('gives each of the 255 failing reply codes its category and keeps the code', () => {
    for (let replyCode = 1; replyCode < 256; replyCode += 1) {
      const failure = failureOfSocksError(new Socks5Error('SOCKS5.REPLY', 'test', { replyCode })) as ProxyFailure;
      expect(failure.category).toBe(NAMED[replyCode - 1] ?? 'protocol_error');
      expect(failure.facts).toEqual({ replyCode });
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
  ])('takes %s for %s', (code, category) => {
    const cause = new Socks5Error(code, 'test');
    expect(failureOfSocksError(cause)).toMatchObject({ category, facts: {}, cause });
  });

  it('takes a cancelled attempt for no failure', () => {
    expect(failureOfSocksError(new Socks5Error('SOCKS5.ABORTED', 'test'))).toBeInstanceOf(ConnectCancelled);
  });
});

/**
 * The categories under which failures of the SOCKS5 upstream are counted: the eight reply codes of RFC 1928 section 6
 * in their order, then what goes wrong without a reply.
 */
export const SOCKS_ERROR_KEYS = [
  'general_failure',
  'not_allowed',
  'network_unreachable',
  'host_unreachable',
  'connection_refused',
  'ttl_expired',
  'command_not_supported',
  'address_not_supported',
  'auth_failed',
  'connection_failed',
  'timeout',
  'protocol_error',
] as const;

/** A category of {@link SOCKS_ERROR_KEYS}. */
export type SocksErrorKey = (typeof SOCKS_ERROR_KEYS)[number];

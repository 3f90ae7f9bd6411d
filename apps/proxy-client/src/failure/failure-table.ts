import type { SocksErrorKey } from '#metrics';
import { Reply } from '#socks5-protocol';

/** What one kind of failure looks like in its places: status, Proxy-Status, SOCKS5 reply, statistics and log. */
export interface FailureRow {
  /** The key in `socks5_errors`, where SOCKS is the cause. */
  readonly socksKey?: SocksErrorKey;
  readonly status: number;
  /** An error type of RFC 9209, section 2.3. */
  readonly proxyStatus: string;
  /** What a SOCKS5 client is told (RFC 1928, section 6), unless the upstream said a code of its own. */
  readonly reply: number;
  /** What failed and what to check: constant, so that nothing of a request can appear in it. */
  readonly text: string;
  /** Whether the client's connection ends with the answer: what follows on it cannot be trusted. */
  readonly closes: boolean;
  /** Whether it counts in `failed_requests`: what has no whole head with a target to forward to does not. */
  readonly counted: boolean;
  /** It is no failure but what the configuration wants: counted by itself. */
  readonly apart?: true;
}

export type FailureCategory =
  | Exclude<SocksErrorKey, 'connection_failed'>
  | 'upstream_unreachable'
  | 'upstream_closed'
  | 'closed_at_request'
  | 'upstream_speaks_ssh'
  | 'upstream_speaks_http'
  | 'direct_unresolved'
  | 'direct_refused'
  | 'direct_unreachable'
  | 'direct_timeout'
  | 'direct_prohibited'
  | 'response_incomplete'
  | 'response_malformed'
  | 'response_header_too_large'
  | 'response_timeout'
  | 'response_cut'
  | 'loop'
  | 'connection_limit'
  | 'rejected'
  | 'own_address'
  | 'client_not_allowed'
  | 'authentication_required'
  | 'authentication_failed'
  | 'authentication_busy'
  | 'scheme_not_supported'
  | 'bad_request'
  | 'request_body_malformed'
  | 'request_body_timeout'
  | 'request_timeout'
  | 'request_header_too_large'
  | 'internal';

const upstream = { closes: false, counted: true, reply: Reply.generalFailure } as const;
const refused = {
  closes: false,
  counted: false,
  apart: true,
  reply: Reply.notAllowed,
  status: 403,
  proxyStatus: 'http_request_denied',
} as const;
const malformed = { ...upstream, closes: true, counted: false, proxyStatus: 'http_request_error' } as const;

/** Every failure of the proxy, once. docs/errors.md shows the same table. */
export const FAILURES = {
  general_failure: {
    ...upstream,
    socksKey: 'general_failure',
    status: 503,
    proxyStatus: 'destination_unavailable',
    text: 'The SOCKS5 server reported a general failure (reply 0x01). Its own log says why; try again later.',
  },
  not_allowed: {
    ...upstream,
    reply: Reply.notAllowed,
    socksKey: 'not_allowed',
    status: 502,
    proxyStatus: 'destination_ip_prohibited',
    text: 'The SOCKS5 server does not allow this destination (reply 0x02). Check the rules of that server.',
  },
  network_unreachable: {
    ...upstream,
    reply: Reply.networkUnreachable,
    socksKey: 'network_unreachable',
    status: 502,
    proxyStatus: 'destination_ip_unroutable',
    text: 'The SOCKS5 server has no route to the destination network (reply 0x03). Check the network of that server.',
  },
  host_unreachable: {
    ...upstream,
    reply: Reply.hostUnreachable,
    socksKey: 'host_unreachable',
    status: 503,
    proxyStatus: 'destination_unavailable',
    text: 'The SOCKS5 server cannot reach the destination host (reply 0x04). Check the host name and whether the host is up.',
  },
  connection_refused: {
    ...upstream,
    reply: Reply.connectionRefused,
    socksKey: 'connection_refused',
    status: 502,
    proxyStatus: 'connection_refused',
    text: 'The destination refused the connection (reply 0x05). Check the port and whether the service is running.',
  },
  ttl_expired: {
    ...upstream,
    reply: Reply.ttlExpired,
    socksKey: 'ttl_expired',
    status: 504,
    proxyStatus: 'connection_timeout',
    text: 'The connection to the destination expired on the way (reply 0x06). Check the host; try again later.',
  },
  command_not_supported: {
    ...upstream,
    reply: Reply.commandNotSupported,
    socksKey: 'command_not_supported',
    status: 502,
    proxyStatus: 'proxy_configuration_error',
    text: 'The SOCKS5 server does not support CONNECT (reply 0x07). Configure another upstream.',
  },
  address_not_supported: {
    ...upstream,
    reply: Reply.addressNotSupported,
    socksKey: 'address_not_supported',
    status: 502,
    proxyStatus: 'proxy_configuration_error',
    text: 'The SOCKS5 server does not support this type of address (reply 0x08). Try the host by name, or by IPv4 address.',
  },
  auth_failed: {
    ...upstream,
    socksKey: 'auth_failed',
    status: 502,
    proxyStatus: 'proxy_configuration_error',
    text: 'The SOCKS5 server did not accept the authentication. Check upstream.username and upstream.password of the proxy.',
  },
  upstream_unreachable: {
    ...upstream,
    socksKey: 'connection_failed',
    status: 502,
    proxyStatus: 'connection_refused',
    text: 'The SOCKS5 server cannot be reached. Check the upstream host and port of the proxy and that the server is running.',
  },
  upstream_closed: {
    ...upstream,
    socksKey: 'connection_failed',
    status: 502,
    proxyStatus: 'connection_terminated',
    text: 'The SOCKS5 server closed the connection during the handshake. Check that it speaks SOCKS5 and can reach the destination.',
  },
  closed_at_request: {
    ...upstream,
    socksKey: 'general_failure',
    status: 503,
    proxyStatus: 'destination_unavailable',
    text: 'The SOCKS5 server closed the connection instead of a reply, as ssh -D does when it cannot reach the destination. Check the host and the port; the server itself works.',
  },
  upstream_speaks_ssh: {
    ...upstream,
    socksKey: 'protocol_error',
    status: 502,
    proxyStatus: 'connection_terminated',
    text: 'The upstream port of the proxy is that of an SSH server, not of a SOCKS5 server. Run `ssh -D PORT` to that server and name PORT on this machine as the upstream.',
  },
  upstream_speaks_http: {
    ...upstream,
    socksKey: 'protocol_error',
    status: 502,
    proxyStatus: 'connection_terminated',
    text: 'The upstream port of the proxy is that of an HTTP server or HTTP proxy, not of a SOCKS5 server. Check the upstream port.',
  },
  timeout: {
    ...upstream,
    reply: Reply.ttlExpired,
    socksKey: 'timeout',
    status: 504,
    proxyStatus: 'connection_timeout',
    text: 'The SOCKS5 server did not answer in time. Check that it is up, and the destination; try again later.',
  },
  protocol_error: {
    ...upstream,
    socksKey: 'protocol_error',
    status: 502,
    proxyStatus: 'connection_terminated',
    text: 'The upstream server did not answer as SOCKS5. Check that the upstream port of the proxy is that of a SOCKS5 server.',
  },
  direct_unresolved: {
    ...upstream,
    reply: Reply.hostUnreachable,
    status: 502,
    proxyStatus: 'dns_error',
    text: 'The name of the destination has no address that this proxy can find, to connect to it directly. Check the host name.',
  },
  direct_refused: {
    ...upstream,
    reply: Reply.connectionRefused,
    status: 502,
    proxyStatus: 'connection_refused',
    text: 'The destination refused the direct connection. Check the port and whether the service is running.',
  },
  direct_unreachable: {
    ...upstream,
    reply: Reply.networkUnreachable,
    status: 502,
    proxyStatus: 'destination_ip_unroutable',
    text: 'The destination cannot be reached directly from the machine of this proxy. Check its network, or send the destination through an upstream by a rule.',
  },
  direct_timeout: {
    ...upstream,
    reply: Reply.ttlExpired,
    status: 504,
    proxyStatus: 'connection_timeout',
    text: 'The destination did not accept the direct connection in time. Check that it is up; try again later.',
  },
  direct_prohibited: {
    ...upstream,
    reply: Reply.notAllowed,
    status: 403,
    proxyStatus: 'destination_ip_prohibited',
    text: 'The destination is an address that this proxy does not connect to directly: its own, or one that its rules send elsewhere, or one of its machine and its link, for which a rule has to name the network.',
  },
  response_incomplete: {
    ...upstream,
    status: 502,
    proxyStatus: 'http_response_incomplete',
    text: 'The origin server closed the connection before its answer was complete. Try again later.',
  },
  response_malformed: {
    ...upstream,
    status: 502,
    proxyStatus: 'http_protocol_error',
    text: 'The origin server did not answer in valid HTTP. Check the port; if the service speaks TLS, use https.',
  },
  response_header_too_large: {
    ...upstream,
    status: 502,
    proxyStatus: 'http_response_header_section_size',
    text: 'The header of the origin server is larger than this proxy accepts (limits.headerBytes).',
  },
  response_timeout: {
    ...upstream,
    status: 504,
    proxyStatus: 'http_response_timeout',
    text: 'The origin server did not answer in time (timeouts.response). Try again later.',
  },
  response_cut: {
    ...upstream,
    closes: true,
    status: 502,
    proxyStatus: 'http_response_incomplete',
    text: 'The origin server cut its answer off.',
  },
  loop: {
    ...upstream,
    status: 502,
    proxyStatus: 'proxy_loop_detected',
    text: 'The request came back to this proxy. Check the proxy settings of the client and of the proxies on the way.',
  },
  connection_limit: {
    ...upstream,
    closes: true,
    status: 503,
    proxyStatus: 'connection_limit_reached',
    text: 'This proxy serves as many connections as it may (limits.connections). Try again later.',
  },
  rejected: {
    ...refused,
    text: 'A rule of this proxy lets nothing out to this destination. Its number stands in Proxy-Status; the rules are in the configuration of the proxy.',
  },
  own_address: {
    ...refused,
    text: 'The destination is a port that this proxy itself listens on. Ask it there directly, without the proxy.',
  },
  client_not_allowed: {
    ...upstream,
    closes: true,
    counted: false,
    reply: Reply.notAllowed,
    status: 403,
    proxyStatus: 'http_request_denied',
    text: 'This client may not use this proxy (clients of the listener).',
  },
  authentication_required: {
    ...upstream,
    counted: false,
    reply: Reply.notAllowed,
    status: 407,
    proxyStatus: 'http_request_denied',
    text: 'This proxy wants a user name and password. Give them in the proxy settings of the client.',
  },
  authentication_failed: {
    ...upstream,
    reply: Reply.notAllowed,
    status: 407,
    proxyStatus: 'http_request_denied',
    text: 'This proxy does not know this user name with this password. Check the proxy settings of the client.',
  },
  authentication_busy: {
    ...upstream,
    status: 503,
    proxyStatus: 'http_request_denied',
    text: 'This proxy is checking too many passwords at the moment. Try again later.',
  },
  scheme_not_supported: {
    ...upstream,
    closes: true,
    status: 501,
    proxyStatus: 'http_request_error',
    text: 'This proxy forwards http requests; use CONNECT for everything else.',
  },
  bad_request: {
    ...malformed,
    status: 400,
    text: 'The request is not valid HTTP for a proxy. Check the request line, the port and the framing headers.',
  },
  request_body_malformed: {
    ...malformed,
    counted: true,
    status: 400,
    text: 'The body of the request is not framed as HTTP wants it. Check the client, and what stands between it and this proxy.',
  },
  request_body_timeout: {
    ...malformed,
    counted: true,
    status: 408,
    text: 'The body of the request stopped coming (timeouts.read). Send it again.',
  },
  request_timeout: {
    ...malformed,
    status: 408,
    text: 'The request did not arrive in time.',
  },
  request_header_too_large: {
    ...malformed,
    status: 431,
    text: 'The header of the request is larger than this proxy accepts (limits.headerBytes).',
  },
  internal: {
    ...upstream,
    closes: true,
    status: 500,
    proxyStatus: 'proxy_internal_error',
    text: 'This proxy failed on the request. Its log says where.',
  },
} as const satisfies Record<FailureCategory, FailureRow>;

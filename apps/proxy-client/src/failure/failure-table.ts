import type { SocksErrorKey } from '#metrics';
import { Reply } from '#socks5-protocol';

/** The hop of a request's path at which it failed. */
export type Hop = 'client' | 'proxy' | 'upstream' | 'beyond' | 'destination';

/** One category of failure: status, Proxy-Status, SOCKS5 reply, statistics and log. */
export interface FailureRow {
  readonly hop: Hop;
  /** The key in `socks5_errors`, if SOCKS is the cause. */
  readonly socksKey?: SocksErrorKey;
  readonly status: number;
  /** An error type of RFC 9209, section 2.3. */
  readonly proxyStatus: string;
  /** The reply to a SOCKS5 client (RFC 1928, section 6), unless the upstream replied with a code itself. */
  readonly reply: number;
  /** What failed and what to check: constant, so that it cannot contain anything of a request. */
  readonly text: string;
  /** Whether the client's connection closes after the answer, because the bytes that follow cannot be trusted. */
  readonly closes: boolean;
  /** Whether it counts in `failed_requests`: requests without a complete head and a target to forward to do not. */
  readonly counted: boolean;
  /** The configuration refuses the request: it is not a failure, and counted separately. */
  readonly isRefusal?: true;
}

const proxy = { hop: 'proxy', closes: false, counted: true, reply: Reply.generalFailure } as const;
const upstream = { ...proxy, hop: 'upstream' } as const;
const beyond = { ...proxy, hop: 'beyond' } as const;
const destination = { ...proxy, hop: 'destination' } as const;
const refused = {
  ...proxy,
  counted: false,
  isRefusal: true,
  reply: Reply.notAllowed,
  status: 403,
  proxyStatus: 'http_request_denied',
} as const;
const malformed = { ...proxy, hop: 'client', closes: true, counted: false, proxyStatus: 'http_request_error' } as const;

/** The categories of failures. docs/errors.md shows the same table. */
export const FAILURES = {
  general_failure: {
    ...beyond,
    socksKey: 'general_failure',
    status: 503,
    proxyStatus: 'destination_unavailable',
    text: 'The SOCKS5 server reported a general failure (reply 0x01). See its log; try again later.',
  },
  not_allowed: {
    ...beyond,
    reply: Reply.notAllowed,
    socksKey: 'not_allowed',
    status: 502,
    proxyStatus: 'destination_ip_prohibited',
    text: 'The SOCKS5 server does not allow this destination (reply 0x02). Check the rules of that server.',
  },
  network_unreachable: {
    ...beyond,
    reply: Reply.networkUnreachable,
    socksKey: 'network_unreachable',
    status: 502,
    proxyStatus: 'destination_ip_unroutable',
    text: 'The SOCKS5 server has no route to the destination network (reply 0x03). Check the network of that server.',
  },
  host_unreachable: {
    ...beyond,
    reply: Reply.hostUnreachable,
    socksKey: 'host_unreachable',
    status: 503,
    proxyStatus: 'destination_unavailable',
    text: 'The SOCKS5 server cannot reach the destination host (reply 0x04). Check the host name and whether the host is up.',
  },
  connection_refused: {
    ...beyond,
    reply: Reply.connectionRefused,
    socksKey: 'connection_refused',
    status: 502,
    proxyStatus: 'connection_refused',
    text: 'The destination refused the connection (reply 0x05). Check the port and whether the service is running.',
  },
  ttl_expired: {
    ...beyond,
    reply: Reply.ttlExpired,
    socksKey: 'ttl_expired',
    status: 504,
    proxyStatus: 'connection_timeout',
    text: 'The connection to the destination timed out (reply 0x06). Check the host; try again later.',
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
    ...beyond,
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
    ...beyond,
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
    text: 'The upstream port of the proxy belongs to an SSH server, not to a SOCKS5 server. Run `ssh -D PORT` to that server and configure PORT on this machine as the upstream.',
  },
  upstream_speaks_http: {
    ...upstream,
    socksKey: 'protocol_error',
    status: 502,
    proxyStatus: 'connection_terminated',
    text: 'The upstream port of the proxy belongs to an HTTP server or HTTP proxy, not to a SOCKS5 server. Check the upstream port.',
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
    text: 'The upstream server did not answer as SOCKS5. Check that the upstream port of the proxy belongs to a SOCKS5 server.',
  },
  direct_unresolved: {
    ...beyond,
    reply: Reply.hostUnreachable,
    status: 502,
    proxyStatus: 'dns_error',
    text: 'The name of the destination cannot be resolved by this proxy for a direct connection. Check the host name.',
  },
  direct_refused: {
    ...beyond,
    reply: Reply.connectionRefused,
    status: 502,
    proxyStatus: 'connection_refused',
    text: 'The destination refused the direct connection. Check the port and whether the service is running.',
  },
  direct_unreachable: {
    ...beyond,
    reply: Reply.networkUnreachable,
    status: 502,
    proxyStatus: 'destination_ip_unroutable',
    text: 'The destination cannot be reached directly from the machine of this proxy. Check its network, or add a rule that sends the destination through an upstream.',
  },
  direct_timeout: {
    ...beyond,
    reply: Reply.ttlExpired,
    status: 504,
    proxyStatus: 'connection_timeout',
    text: 'The destination did not accept the direct connection in time. Check that it is up; try again later.',
  },
  direct_prohibited: {
    ...proxy,
    reply: Reply.notAllowed,
    status: 403,
    proxyStatus: 'destination_ip_prohibited',
    text: 'This proxy does not connect directly to the address of the destination: it belongs to this proxy, or its rules send it elsewhere, or it is local to its machine and no rule names the network.',
  },
  response_incomplete: {
    ...destination,
    status: 502,
    proxyStatus: 'http_response_incomplete',
    text: 'The origin server closed the connection before its answer was complete. Try again later.',
  },
  response_malformed: {
    ...destination,
    status: 502,
    proxyStatus: 'http_protocol_error',
    text: 'The origin server did not answer in valid HTTP. Check the port; if the service speaks TLS, use https.',
  },
  response_header_too_large: {
    ...destination,
    status: 502,
    proxyStatus: 'http_response_header_section_size',
    text: 'The header of the origin server is larger than this proxy accepts (limits.headerBytes).',
  },
  response_timeout: {
    ...destination,
    status: 504,
    proxyStatus: 'http_response_timeout',
    text: 'The origin server did not answer in time (timeouts.response). Try again later.',
  },
  response_cut: {
    ...destination,
    closes: true,
    status: 502,
    proxyStatus: 'http_response_incomplete',
    text: 'The origin server closed the connection in the middle of its answer.',
  },
  loop: {
    ...proxy,
    status: 502,
    proxyStatus: 'proxy_loop_detected',
    text: 'The request has returned to this proxy. Check the proxy settings of the client and of the proxies in between.',
  },
  connection_limit: {
    ...proxy,
    closes: true,
    status: 503,
    proxyStatus: 'connection_limit_reached',
    text: 'This proxy has reached its maximum number of connections (limits.connections). Try again later.',
  },
  rejected: {
    ...refused,
    text: 'A rule of this proxy refuses this destination. Its number is in Proxy-Status; the rules are in the configuration of the proxy.',
  },
  own_address: {
    ...refused,
    text: 'The destination is a port that this proxy itself listens on. Connect to it directly, without the proxy.',
  },
  client_not_allowed: {
    ...proxy,
    closes: true,
    counted: false,
    reply: Reply.notAllowed,
    status: 403,
    proxyStatus: 'http_request_denied',
    text: 'This client is not allowed to use this proxy (clients of the listener).',
  },
  authentication_required: {
    ...proxy,
    hop: 'client',
    counted: false,
    reply: Reply.notAllowed,
    status: 407,
    proxyStatus: 'http_request_denied',
    text: 'This proxy requires a user name and password. Enter them in the proxy settings of the client.',
  },
  authentication_failed: {
    ...proxy,
    hop: 'client',
    reply: Reply.notAllowed,
    status: 407,
    proxyStatus: 'http_request_denied',
    text: 'The user name or password is wrong. Check the proxy settings of the client.',
  },
  authentication_busy: {
    ...proxy,
    status: 503,
    proxyStatus: 'http_request_denied',
    text: 'This proxy is checking too many passwords at the moment. Try again later.',
  },
  scheme_not_supported: {
    ...proxy,
    hop: 'client',
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
    text: 'The body of the request is not framed as HTTP requires. Check the client, and the programs between it and this proxy.',
  },
  request_body_timeout: {
    ...malformed,
    counted: true,
    status: 408,
    text: 'The body of the request did not arrive in time (timeouts.read). Send it again.',
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
    ...proxy,
    closes: true,
    status: 500,
    proxyStatus: 'proxy_internal_error',
    text: 'This proxy has failed to process the request. See its log.',
  },
} as const satisfies Readonly<Record<string, FailureRow>>;

export type FailureCategory = keyof typeof FAILURES;

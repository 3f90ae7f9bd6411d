import type { SocksErrorKey } from '../stats/proxy-stats.js';
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

/** The part of a row that its helper does not set. */
type Rest = Pick<FailureRow, 'text'> & Partial<FailureRow>;
type MakeRow = (status: number, proxyStatus: string, rest: Rest) => FailureRow;

/** Returns a function that creates the rows of a hop. */
function at(hop: Hop, common: Partial<FailureRow> = {}): MakeRow {
  const defaults = { hop, closes: false, counted: true, reply: Reply.generalFailure, ...common };
  return (status, proxyStatus, rest) => ({ ...defaults, status, proxyStatus, ...rest });
}

const client = at('client');
const proxy = at('proxy');
const upstream = at('upstream');
const beyond = at('beyond');
const destination = at('destination');
const malformed = at('client', { closes: true, counted: false });
const refused = at('proxy', { counted: false, isRefusal: true, reply: Reply.notAllowed });

/** The categories of failures. docs/errors.md shows the same table. */
export const FAILURES = {
  general_failure: beyond(503, 'destination_unavailable', {
    socksKey: 'general_failure',
    text: 'The SOCKS5 server reported a general failure (reply 0x01). See its log; try again later.',
  }),
  not_allowed: beyond(502, 'destination_ip_prohibited', {
    reply: Reply.notAllowed,
    socksKey: 'not_allowed',
    text: 'The SOCKS5 server does not allow this destination (reply 0x02). Check the rules of that server.',
  }),
  network_unreachable: beyond(502, 'destination_ip_unroutable', {
    reply: Reply.networkUnreachable,
    socksKey: 'network_unreachable',
    text: 'The SOCKS5 server has no route to the destination network (reply 0x03). Check the network of that server.',
  }),
  host_unreachable: beyond(503, 'destination_unavailable', {
    reply: Reply.hostUnreachable,
    socksKey: 'host_unreachable',
    text: 'The SOCKS5 server cannot reach the destination host (reply 0x04). Check the host name and whether the host is up.',
  }),
  connection_refused: beyond(502, 'connection_refused', {
    reply: Reply.connectionRefused,
    socksKey: 'connection_refused',
    text: 'The destination refused the connection (reply 0x05). Check the port and whether the service is running.',
  }),
  ttl_expired: beyond(504, 'connection_timeout', {
    reply: Reply.ttlExpired,
    socksKey: 'ttl_expired',
    text: 'The connection to the destination timed out (reply 0x06). Check the host; try again later.',
  }),
  command_not_supported: upstream(502, 'proxy_configuration_error', {
    reply: Reply.commandNotSupported,
    socksKey: 'command_not_supported',
    text: 'The SOCKS5 server does not support CONNECT (reply 0x07). Configure another upstream.',
  }),
  address_not_supported: beyond(502, 'proxy_configuration_error', {
    reply: Reply.addressNotSupported,
    socksKey: 'address_not_supported',
    text: 'The SOCKS5 server does not support this type of address (reply 0x08). Try the host by name, or by IPv4 address.',
  }),
  auth_failed: upstream(502, 'proxy_configuration_error', {
    socksKey: 'auth_failed',
    text: 'The upstream server did not accept the authentication. Check upstream.username and upstream.password of the proxy.',
  }),
  upstream_unreachable: upstream(502, 'connection_refused', {
    socksKey: 'connection_failed',
    text: 'The upstream server cannot be reached. Check the upstream host and port of the proxy and that the server is running.',
  }),
  upstream_closed: upstream(502, 'connection_terminated', {
    socksKey: 'connection_failed',
    text: 'The upstream server closed the connection during the handshake. Check its protocol and its log, and that it can reach the destination.',
  }),
  closed_at_request: beyond(503, 'destination_unavailable', {
    socksKey: 'general_failure',
    text: 'The upstream server closed the connection instead of an answer, as ssh -D does when it cannot reach the destination. Check the host and the port; the server itself works.',
  }),
  upstream_speaks_ssh: upstream(502, 'connection_terminated', {
    socksKey: 'protocol_error',
    text: 'The upstream port of the proxy belongs to an SSH server, not to a SOCKS5 server. Run `ssh -D PORT` to that server and configure PORT on this machine as the upstream.',
  }),
  upstream_speaks_http: upstream(502, 'connection_terminated', {
    socksKey: 'protocol_error',
    text: 'The upstream port of the proxy belongs to an HTTP server or HTTP proxy, not to a SOCKS5 server. Check the upstream port.',
  }),
  timeout: upstream(504, 'connection_timeout', {
    reply: Reply.ttlExpired,
    socksKey: 'timeout',
    text: 'The upstream server did not answer in time. Check that it is up, and the destination; try again later.',
  }),
  protocol_error: upstream(502, 'connection_terminated', {
    socksKey: 'protocol_error',
    text: 'The upstream server did not answer in the configured protocol. Check its protocol and port in the configuration of the proxy.',
  }),
  upstream_certificate_untrusted: upstream(502, 'tls_certificate_error', {
    text: 'The certificate of the upstream server is not from a trusted authority, or it has expired. Check ca of the upstream in the configuration of the proxy.',
  }),
  upstream_certificate_name: upstream(502, 'tls_certificate_error', {
    text: 'The certificate of the upstream server is for another name. Check host and serverName of the upstream in the configuration of the proxy.',
  }),
  upstream_tls_failed: upstream(502, 'tls_protocol_error', {
    text: 'The TLS handshake with the upstream server failed. Check that its port speaks TLS, and whether it requires a certificate of the proxy.',
  }),
  upstream_auth_required: upstream(502, 'proxy_configuration_error', {
    text: 'The upstream server requires a user name and password. Add them to the upstream in the configuration of the proxy.',
  }),
  upstream_scheme: upstream(502, 'proxy_configuration_error', {
    text: 'The upstream server offers no way to log in that this proxy supports. For NTLM, run px or cntlm and name it as the upstream.',
  }),
  upstream_ticket: upstream(502, 'proxy_configuration_error', {
    text: 'There is no Kerberos ticket for the upstream server, or it refused the ticket. Run kinit as the user of the proxy, or set keytab; check servicePrincipal and the clocks.',
  }),
  pac_failed: proxy(502, 'proxy_configuration_error', {
    text: 'The PAC script of this proxy chose no usable upstream for this destination. The details name the reason; the script and its last answer are on the dashboard.',
  }),
  upstream_denied: beyond(502, 'http_request_denied', {
    reply: Reply.notAllowed,
    text: 'The upstream server does not allow this destination. Check the rules of that server; many allow CONNECT to port 443 only.',
  }),
  upstream_cannot_connect: beyond(502, 'destination_unavailable', {
    reply: Reply.hostUnreachable,
    text: 'The upstream server cannot connect to the destination. Check the host and the port, and the log of that server.',
  }),
  upstream_target_timeout: beyond(504, 'connection_timeout', {
    reply: Reply.ttlExpired,
    text: 'The upstream server reports that the destination did not answer in time. Check the host; try again later.',
  }),
  upstream_answered: upstream(502, 'http_protocol_error', {
    text: 'The upstream server answered the request for a tunnel with an unexpected status. Check that the upstream is an HTTP proxy that allows CONNECT.',
  }),
  direct_unresolved: beyond(502, 'dns_error', {
    reply: Reply.hostUnreachable,
    text: 'The name of the destination cannot be resolved by this proxy for a direct connection. Check the host name.',
  }),
  direct_refused: beyond(502, 'connection_refused', {
    reply: Reply.connectionRefused,
    text: 'The destination refused the direct connection. Check the port and whether the service is running.',
  }),
  direct_unreachable: beyond(502, 'destination_ip_unroutable', {
    reply: Reply.networkUnreachable,
    text: 'The destination cannot be reached directly from the machine of this proxy. Check its network, or add a rule that sends the destination through an upstream.',
  }),
  direct_timeout: beyond(504, 'connection_timeout', {
    reply: Reply.ttlExpired,
    text: 'The destination did not accept the direct connection in time. Check that it is up; try again later.',
  }),
  direct_prohibited: proxy(403, 'destination_ip_prohibited', {
    reply: Reply.notAllowed,
    text: 'This proxy does not connect directly to the address of the destination: it belongs to this proxy, or its rules send it elsewhere, or it is local to its machine and no rule names the network.',
  }),
  response_incomplete: destination(502, 'http_response_incomplete', {
    text: 'The origin server closed the connection before its answer was complete. Try again later.',
  }),
  response_malformed: destination(502, 'http_protocol_error', {
    text: 'The origin server did not answer in valid HTTP. Check the port; if the service speaks TLS, use https.',
  }),
  response_header_too_large: destination(502, 'http_response_header_section_size', {
    text: 'The header of the origin server is larger than this proxy accepts (limits.headerBytes), or it has more than 10,000 lines.',
  }),
  response_timeout: destination(504, 'http_response_timeout', {
    text: 'The origin server did not answer in time (timeouts.response). Try again later.',
  }),
  response_cut: destination(502, 'http_response_incomplete', {
    closes: true,
    text: 'The origin server closed the connection in the middle of its answer.',
  }),
  loop: proxy(502, 'proxy_loop_detected', {
    text: 'The request has returned to this proxy. Check the proxy settings of the client and of the proxies in between.',
  }),
  connection_limit: proxy(503, 'connection_limit_reached', {
    closes: true,
    text: 'This proxy has reached its maximum number of connections (limits.connections). Try again later.',
  }),
  descriptor_limit: proxy(503, 'connection_limit_reached', {
    text: 'This proxy has no free file descriptors for a connection to the upstream or the destination. Raise its limit (ulimit -n, or LimitNOFILE of its systemd unit); try again later.',
  }),
  rejected: refused(403, 'http_request_denied', {
    text: 'A rule of this proxy refuses this destination, or no rule allows it (default: reject). The answer names the rule, or how to request permission.',
  }),
  unanswered: refused(503, 'http_request_denied', {
    text: 'This destination needs the yes of a person (ask), and no one has answered in time. Try again.',
  }),
  own_address: refused(403, 'http_request_denied', {
    text: 'The destination is a port that this proxy itself listens on. Connect to it directly, without the proxy.',
  }),
  client_not_allowed: proxy(403, 'http_request_denied', {
    closes: true,
    counted: false,
    reply: Reply.notAllowed,
    text: 'This client is not allowed to use this proxy (clients of the listener).',
  }),
  authentication_required: client(407, 'http_request_denied', {
    counted: false,
    reply: Reply.notAllowed,
    text: 'This proxy requires a user name and password. Enter them in the proxy settings of the client.',
  }),
  authentication_failed: client(407, 'http_request_denied', {
    reply: Reply.notAllowed,
    text: 'The user name or password is wrong. Check the proxy settings of the client.',
  }),
  authentication_busy: proxy(503, 'http_request_denied', {
    text: 'This proxy is checking too many passwords at the moment. Try again later.',
  }),
  scheme_not_supported: client(501, 'http_request_error', {
    closes: true,
    text: 'This proxy forwards http requests; use CONNECT for everything else.',
  }),
  bad_request: malformed(400, 'http_request_error', {
    text: 'The request is not valid HTTP for a proxy. Check the request line, the port and the framing headers.',
  }),
  request_body_malformed: malformed(400, 'http_request_error', {
    counted: true,
    text: 'The body of the request is not framed as HTTP requires. Check the client, and the programs between it and this proxy.',
  }),
  request_body_timeout: malformed(408, 'http_request_error', {
    counted: true,
    text: 'The body of the request did not arrive in time (timeouts.read). Send it again.',
  }),
  client_tls_failed: malformed(400, 'tls_protocol_error', {
    text: 'The TLS handshake of the client with this proxy failed. Check that the client trusts the certificate of the listener and speaks TLS 1.2 or newer.',
  }),
  client_tls_required: malformed(400, 'http_request_error', {
    text: 'This listener of the proxy requires TLS. Use https:// instead of http:// in the proxy settings of the client.',
  }),
  request_timeout: malformed(408, 'http_request_error', {
    text: 'The request did not arrive in time.',
  }),
  request_header_too_large: malformed(431, 'http_request_error', {
    text: 'The header of the request is larger than this proxy accepts (limits.headerBytes), or it has more than 10,000 lines.',
  }),
  internal: proxy(500, 'proxy_internal_error', {
    closes: true,
    text: 'This proxy has failed to process the request. See its log.',
  }),
} satisfies Readonly<Record<string, FailureRow>>;

export type FailureCategory = keyof typeof FAILURES;

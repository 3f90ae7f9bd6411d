import { SOCKS_ERROR_KEYS } from '../../stats/proxy-stats.js';
import { count, flag, listOf, oneOf, property, response, textOrNull, time, timeOrNull } from './documentation.js';

// The responses of the monitoring API. The main thread creates them and imports their types only; the admin thread documents them.

const UPTIME = property<string>({ type: 'string', pattern: '^(\\d+h)?(\\d+m)?\\d+s$' })(
  'Running time in hours, minutes and seconds.',
  '2h30m15s',
);

const COUNT = { type: 'integer', minimum: 0 } as const;

const socks5Errors = property<Readonly<Record<string, number>>>({
  type: 'object',
  properties: Object.fromEntries(SOCKS_ERROR_KEYS.map((key) => [key, COUNT])),
  required: SOCKS_ERROR_KEYS,
  selfRequired: true,
  additionalProperties: COUNT,
});

/** The response of /stats. */
export class Stats extends response({
  start_time: time('When the proxy started.'),
  uptime: UPTIME,
  total_connections: count('Client connections that carried a proxied request.', 1042),
  active_connections: count('Those that are open.', 7),
  successful_requests: count('Requests whose response was relayed completely, and opened tunnels.', 5120),
  failed_requests: count('Requests that the proxy answered with an error or had to cut off.', 77),
  bytes_sent: count('Bytes sent to upstreams after their handshakes.', 1_048_576),
  bytes_received: count('Bytes received from upstreams after their handshakes.', 73_400_320),
  socks5_errors: socks5Errors(
    'Failures of upstreams by category of SOCKS5. Every category is always present.',
    Object.fromEntries(SOCKS_ERROR_KEYS.map((key) => [key, key === 'host_unreachable' ? 3 : 0])),
  ),
}) {}

/** The response of /health. */
export class Health extends response({
  status: oneOf(['healthy'], 'The proxy serves requests.'),
  uptime: UPTIME,
  active_connections: count('Client connections that carried a proxied request and are open.', 7),
  success_rate: property<number>({ type: 'number', minimum: 0, maximum: 100 })(
    'Requests that succeeded, in percent of those that ended, with two decimals; 100 before the first.',
    98.52,
  ),
}) {}

/** A listener for clients. */
export class ListenerStatus extends response({
  mode: oneOf(['http', 'socks5', 'mixed', 'tunnel']),
  host: textOrNull('The bound address; 0.0.0.0 and :: mean all addresses; null for a Unix socket.', '127.0.0.1'),
  port: property<number | null>({ type: 'integer', minimum: 1, maximum: 65_535, nullable: true })(
    'Null for a Unix socket.',
    8080,
  ),
  socket: textOrNull('The path of a Unix socket; null for a port.', null),
  tls: oneOf(['off', 'optional', 'required'], 'Whether clients may or must use TLS.'),
  spki: textOrNull(
    'The SHA-256 hash of the public key of the certificate in base64, as browsers write it; null without TLS.',
    null,
  ),
  valid_until: timeOrNull('When its certificate expires; null without TLS.'),
  to: textOrNull('The host:port that a tunnel leads to; null for other modes.', null),
  asks_for_password: flag('Whether clients must log in.', false),
}) {}

/** The response of /listeners. */
export class ListenerList extends response({
  listeners: listOf(ListenerStatus, 'In the order of the configuration.'),
}) {}

/** What happened in one interval. */
export class HistorySample extends response({
  at: time('The end of the interval.'),
  ms: count('Its length in milliseconds.', 10_000),
  bytes_sent: count('Bytes to upstreams in the interval.', 104_857),
  bytes_received: count('Bytes from upstreams in the interval.', 7_340_032),
  active_connections: count('As in /stats, at the end of the interval.', 7),
  successful_requests: count('Requests that succeeded in the interval.', 51),
  failed_requests: count('Requests that failed in the interval.', 2),
  rejected_requests: count('Requests that a rule rejected in the interval.', 1),
}) {}

/** The response of /history. */
export class History extends response({
  interval_ms: count('The regular length of an interval.', 10_000),
  samples: listOf(HistorySample, 'The last hour, the oldest first. The last interval may be shorter.'),
}) {}

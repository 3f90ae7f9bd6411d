import { SOCKS_ERROR_KEYS } from '#metrics';
import { count, flag, listOf, oneOf, property, response, text, textOrNull, time, timeOrNull } from './documentation.js';

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
  bytes_sent: count('Bytes sent to the SOCKS5 upstream after its handshakes.', 1_048_576),
  bytes_received: count('Bytes received from the SOCKS5 upstream after its handshakes.', 73_400_320),
  socks5_errors: socks5Errors(
    'Failures of the SOCKS5 upstream by category. Every category is always present.',
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
  host: text('The bound address; 0.0.0.0 and :: mean all addresses.', '127.0.0.1'),
  port: property<number>({ type: 'integer', minimum: 1, maximum: 65_535 })(undefined, 8080),
  to: textOrNull('The host:port that a tunnel leads to; null for other modes.', null),
  asks_for_password: flag('Whether clients must log in.', false),
}) {}

/** The response of /listeners. */
export class ListenerList extends response({
  listeners: listOf(ListenerStatus, 'In the order of the configuration.'),
}) {}

const CATEGORY = text('A category of docs/errors.md.', 'upstream_unreachable');

/** The last failure of an upstream. */
export class UpstreamFailure extends response({ category: CATEGORY, at: time() }) {}

/** An upstream of the configuration. */
export class UpstreamStatus extends response({
  name: text('Its name in the configuration.', 'work'),
  address: textOrNull('Its address; null for the built-in server.', '10.0.0.1:1080'),
  state: oneOf(
    ['unknown', 'up', 'down'],
    'Whether it accepted the proxy at the last attempt; unknown before the first.',
  ),
  suspect: flag(
    'Whether requests for three targets in a row have timed out, though it accepts the authentication: groups try it last.',
    false,
  ),
  since: time('The time of the last change of its state.'),
  latency_ms: property<number | null>({ type: 'number', nullable: true })(
    'Milliseconds for TCP, greeting and authentication, measured by the health checks of a group, smoothed.',
    12.5,
  ),
  checked_at: timeOrNull('The time of the last health check.'),
  last_failure: property<UpstreamFailure | null>({ type: UpstreamFailure, nullable: true })('Its last failure.'),
  connections_opened: count('Connections to targets that were opened through it.', 1042),
  connections_failed: count('Connections to targets that failed, whatever the cause.', 3),
}) {}

/** A group of upstreams that replace one another. */
export class GroupStatus extends response({
  name: text(undefined, 'any'),
  pick: oneOf(['failover', 'roundrobin', 'fastest']),
  members: property<readonly string[]>({ type: [String] })('Names of its members in their order.', ['work', 'tor']),
  failovers: count('The number of requests that were passed on to another member.', 7),
}) {}

/** The response of /upstreams. */
export class UpstreamList extends response({ upstreams: listOf(UpstreamStatus), groups: listOf(GroupStatus) }) {}

/** The response of /readyz. */
export class Readiness extends response({ status: oneOf(['ready', 'no upstream works']) }) {}

const CLIENT = {
  client: textOrNull('Its address.', '127.0.0.1'),
  user: textOrNull('Null if clients need no password.', 'ci'),
};

/** A client connection in use. */
export class LiveConnection extends response({
  id: text('For DELETE /connections/{id}.', '17'),
  method: text('GET, CONNECT, SOCKS5, …; tunnel for a tunnel listener.', 'CONNECT'),
  target: text('host:port', 'example.com:443'),
  upstream: text('The upstream that carries it.', 'work'),
  rule: property<number | null>({ type: 'integer', nullable: true })(
    'The number of the rule that selected the upstream, from 1; null if no rule matches.',
    2,
  ),
  ...CLIENT,
  started_at: time('When the request or tunnel started.'),
  age_ms: count('Milliseconds since then.', 1250),
  bytes_sent: count('Bytes to the target.', 1894),
  bytes_received: count('Bytes from the target.', 52_110),
}) {}

/** The response of /connections. */
export class LiveConnectionList extends response({
  total: count('The number of all connections.', 1),
  found: count('The number of connections that match `find`.', 1),
  connections: listOf(LiveConnection),
}) {}

/** A request that failed. */
export class FailureEntry extends response({
  at: time(),
  category: CATEGORY,
  status: property<number>({ type: 'integer' })('The status that an HTTP client received.', 502),
  hint: text(
    'What failed and what to check.',
    'The SOCKS5 server cannot be reached. Check the upstream host and port of the proxy and that the server is running.',
  ),
  detail: textOrNull('The check or step that failed, if known.'),
  method: textOrNull(undefined, 'CONNECT'),
  target: textOrNull('host:port, if known.', 'example.com:443'),
  ...CLIENT,
}) {}

/** The response of /failures. */
export class FailureList extends response({
  failures: listOf(FailureEntry, 'The newest first, at most 200.'),
}) {}

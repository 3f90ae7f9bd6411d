import { CATEGORY } from './upstreams.responses.js';
import {
  count,
  countOrNull,
  listOf,
  oneOf,
  property,
  response,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './documentation.js';

const CLIENT = {
  client: textOrNull('Its address.', '127.0.0.1'),
  user: textOrNull('Null if clients need no password.', 'ci'),
};

/** A request or tunnel, in progress or finished. */
export class LiveConnection extends response({
  id: text('For DELETE /connections/{id}.', '17'),
  state: oneOf(['connecting', 'open', 'finished'], 'connecting: there is no connection to the target yet.'),
  method: text('GET, CONNECT, SOCKS5, …; tunnel for a tunnel listener.', 'CONNECT'),
  target: text('host:port', 'example.com:443'),
  upstream: text('The upstream that carries it.', 'work'),
  rule: countOrNull('The number of the rule that selected the upstream, from 1; null if no rule matches.', 2),
  ...CLIENT,
  started_at: time('When the request or tunnel started.'),
  ended_at: timeOrNull('When it finished.'),
  ended_by: textOrNull('The address of the client that ended it by DELETE /connections or DELETE /grants.', null),
  age_ms: count('Milliseconds since it started; of a finished one its duration.', 1250),
  bytes_sent: count('Bytes to the target.', 1894),
  bytes_received: count('Bytes from the target.', 52_110),
  status: property<number | null>({ type: 'integer', nullable: true })(
    'Of a finished one: the status of its answer, as in the request log (docs/proxy-operation.md).',
    null,
  ),
  error: textOrNull(
    'Of a finished one: a category of docs/errors.md, client_left, broken, stalled, idle, ended_by_operator or grant_ended.',
    null,
  ),
}) {}

/** The response of /connections. */
export class LiveConnectionList extends response({
  total: count('The number of all connections: in progress, or finished and still listed.', 1),
  found: count('The number of connections that match the filters.', 1),
  connections: listOf(LiveConnection),
}) {}

/** The response of DELETE /connections. */
export class EndedConnections extends response({
  ended: count('The number of connections that were ended.', 3),
}) {}

const FAILURE_NUMBER = count('Counts failures and rejected requests since the start, from 1.', 78);

const REQUEST = {
  method: textOrNull(undefined, 'CONNECT'),
  target: textOrNull('host:port, if known.', 'example.com:443'),
};

/** A request that failed. */
export class FailureEntry extends response({
  number: FAILURE_NUMBER,
  at: time(),
  category: CATEGORY,
  status: property<number>({ type: 'integer' })('The status that an HTTP client received.', 502),
  hint: text(
    'What failed and what to check.',
    'The upstream server cannot be reached. Check the upstream host and port of the proxy and that the server is running.',
  ),
  detail: textOrNull('The check or step that failed, if known.'),
  ...REQUEST,
  upstream: textOrNull('The upstream; of a group the member that was tried last. Null if none was asked.', 'work'),
  rule: countOrNull('The number of the rule that selected the upstream; null if no rule matches.', 2),
  ...CLIENT,
}) {}

/** A request that the configuration refused. */
export class RejectedRequest extends response({
  number: FAILURE_NUMBER,
  at: time(),
  category: oneOf(['rejected', 'own_address'], 'By a rule, or because its target is a port of this proxy itself.'),
  rule: countOrNull(
    'The number of the rule when the request was rejected; null if no rule matched, or for own_address.',
    3,
  ),
  rule_text: textOrNull('The text of the rule.', 'hosts ads.example to reject'),
  ...REQUEST,
  ...CLIENT,
}) {}

/** The number of failures of one category. */
export class CategoryCount extends response({ category: CATEGORY, count: count(undefined, 23) }) {}

/** The failures of the last 60 seconds. */
export class LastMinute extends response({
  failures: count('All failures, rejected requests not included.', 115),
  rejections: count('Requests that the configuration refused.', 4),
  categories: listOf(CategoryCount, 'The failures by category, the most frequent first.'),
}) {}

/** The response of /failures. */
export class FailureList extends response({
  failures: listOf(FailureEntry, 'The newest first, at most 200.'),
  rejections: listOf(RejectedRequest, 'Requests that the configuration refused; the newest first, at most 200.'),
  last_minute: property<LastMinute>({ type: LastMinute })(),
  latest: count('The number of the latest failure or rejected request.', 78),
}) {}

/** An upstream that is down. */
export class DownUpstream extends response({ name: text(undefined, 'attic'), since: time() }) {}

/** The data of a `problems` event. */
export class Problems extends response({
  down: listOf(DownUpstream, 'The upstreams that are down.'),
  last_minute: property<LastMinute>({ type: LastMinute })(),
  failures: listOf(FailureEntry, 'Those since the previous event, the newest first, at most 50.'),
  rejections: listOf(RejectedRequest, 'Those since the previous event, the newest first, at most 50.'),
}) {}

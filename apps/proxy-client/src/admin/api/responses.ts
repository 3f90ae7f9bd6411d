import { SOCKS_ERROR_KEYS } from '../../stats/proxy-stats.js';
import {
  count,
  countOrNull,
  flag,
  listOf,
  oneOf,
  optional,
  property,
  response,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './documentation.js';

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

/** How a test, or a step of a check, ended. */
const RESULTS = ['ok', 'failed', 'skipped'] as const;

/** The response of /listeners. */
export class ListenerList extends response({
  listeners: listOf(ListenerStatus, 'In the order of the configuration.'),
}) {}

const RULE_NUMBER = property<number>({ type: 'integer', minimum: 1 })('From 1.', 4);
const RULE_TEXT = text('Its conditions and destination, as --explain shows them.', 'users ci to tor');
const CATEGORY = text('A category of docs/errors.md.', 'upstream_unreachable');

/** The last failure of an upstream. */
export class UpstreamFailure extends response({ category: CATEGORY, at: time() }) {}

/** An upstream of the configuration. */
export class UpstreamStatus extends response({
  name: text('Its name in the configuration.', 'work'),
  address: textOrNull('Its address; null for direct connections.', '10.0.0.1:1080'),
  protocol: textOrNull('socks5, socks5+tls, http or https; null for direct connections.', 'socks5'),
  via: textOrNull('The upstream or group through which it is reached; null: directly.', null),
  state: oneOf(
    ['unknown', 'up', 'down'],
    'Whether it accepted the proxy at the last attempt; unknown before the first.',
  ),
  suspect: flag(
    'Whether requests for three targets in a row have timed out, though it accepts the authentication: groups try it last.',
    false,
  ),
  since: time('The time of the last change of its state.'),
  down_since: timeOrNull('The time since when it has been down; null while it is not.'),
  latency_ms: property<number | null>({ type: 'number', nullable: true })(
    'Milliseconds for TCP, TLS, greeting and authentication, measured by the health checks of a group, smoothed.',
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
  selected: textOrNull('The member that was selected by hand; null: automatic.', null),
  current: textOrNull('The member that the next request tries first; null if that depends on the request.', 'work'),
}) {}

/** The last attempt to load a list or a script, which failed. */
export class ListFailure extends response({
  at: time('When it failed.'),
  message: text('Why: for operators, not for programs.', 'the server answered HTTP 503'),
}) {}

/** What a PAC script returned last. */
export class ScriptAnswer extends response({
  url: text('The URL that it was asked for.', 'https://example.com/'),
  text: text('The text that it returned, or why there is none.', 'PROXY proxy.corp.example:8080; DIRECT'),
}) {}

/** The state of a file that the configuration refers to. */
const FILE_STATUS = {
  refresh_seconds: countOrNull('The time after which its server is asked again; null for a file.', 86_400),
  checked_at: timeOrNull('When it was last read, or confirmed by its server.'),
  failures: count('Failed attempts to load it since the start.', 1),
  last_error: property<ListFailure | null>({ type: ListFailure, nullable: true })(
    'The last attempt to load it, if that failed: then its previous content is used.',
  ),
};

/** A PAC script that chooses upstreams. */
export class ScriptStatus extends response({
  name: text('The name in the configuration.', 'company'),
  source: text('The file as written, or the URL without its query.', 'http://wpad.corp.example/proxy.pac'),
  ...FILE_STATUS,
  last_answer: property<ScriptAnswer | null>({ type: ScriptAnswer, nullable: true })('Its last answer.'),
}) {}

/** The response of /upstreams. */
export class UpstreamList extends response({
  upstreams: listOf(UpstreamStatus),
  groups: listOf(GroupStatus),
  scripts: listOf(ScriptStatus, 'PAC scripts that choose upstreams.'),
}) {}

/** The response of /readyz. */
export class Readiness extends response({ status: oneOf(['ready', 'no upstream works']) }) {}

/** The result of the test of one upstream. */
export class UpstreamTest extends response({
  upstream: text('Its name.', 'work'),
  result: oneOf(RESULTS, 'Direct connections have no server to test: skipped.'),
  ms: property<number | null>({ type: 'number', nullable: true })(
    'Milliseconds for TCP, greeting and authentication.',
    12.5,
  ),
  category: textOrNull('The category of the failure, see docs/errors.md.', null),
  hint: textOrNull('What failed and what to check.', null),
}) {}

/** The response of POST /upstreams/{name}/test. */
export class UpstreamTestList extends response({
  tests: listOf(UpstreamTest, 'One for an upstream, one for each member of a group.'),
}) {}

/** The body of PUT /upstreams/{group}/member. */
export class MemberSelection extends response({
  member: textOrNull('The name of the member; null: automatic.', 'home'),
}) {}

/** A rule with the number of its requests. */
export class RuleStatus extends response({
  number: RULE_NUMBER,
  text: RULE_TEXT,
  to: text('The name of an upstream or group, direct or reject.', 'tor'),
  hits: count('Requests that it decided since the start, or since a reload added or changed it.', 12),
}) {}

/** What happens to requests that match no rule. */
export class DefaultRule extends response({
  to: text('The name of the first upstream, or reject (default: reject).', 'work'),
  hits: count('Requests that matched no rule since the start.', 1030),
}) {}

/** A list that a rule refers to. */
export class ListStatus extends response({
  rule: RULE_NUMBER,
  name: text('The file as written, or the URL without its query.', 'https://lists.example/ads.txt'),
  format: textOrNull('The format as which it was read; null while it is not loaded.', 'hosts'),
  entries: count('Names, exceptions and addresses.', 40_000),
  used_lines: count('Lines with an entry.', 40_000),
  unused_lines: count('Lines with content that is no entry.', 2),
  first_unused_line: countOrNull('The number of the first of them.', 17),
  ...FILE_STATUS,
}) {}

/** The response of /rules. */
export class RuleStatusList extends response({
  rules: listOf(RuleStatus, 'In their order: the first match applies.'),
  lists: listOf(ListStatus, 'The lists of the rules.'),
  default: property<DefaultRule>({ type: DefaultRule })(),
}) {}

/** A rule that was compared with a request. */
export class ComparedRule extends response({
  number: RULE_NUMBER,
  text: RULE_TEXT,
  matches: flag('Only the last one can match.', true),
}) {}

/** The response of /explain. */
export class RouteExplanation extends response({
  target: text('host:port as it was requested.', '0xa.1:22'),
  user: textOrNull('The user of the request.', null),
  read_as: property<readonly string[]>({ type: [String] })(
    'The canonical forms of the host, if they differ from the text.',
    ['10.0.0.1'],
  ),
  decision: oneOf(
    ['forwarded', 'rejected', 'asked', 'own_address'],
    'asked: it waits for the answer of a person (ask). rejected: by a rule, or because no rule matches (default: reject). own_address: the target is a port of this proxy itself, which is always refused.',
  ),
  rule: countOrNull('The number of the matching rule, from 1; null if none matches.', 2),
  upstream: textOrNull('The selected upstream or group, or direct; null if it is refused.', 'work'),
  member: textOrNull(
    'The member of the group that is tried first now; null if it is no group or depends on the request.',
    null,
  ),
  hops: property<readonly string[]>({ type: [String] })(
    'The upstreams on the way, in their order; more than one if the upstream is reached via others.',
    ['work'],
  ),
  pac: textOrNull('What the PAC script returned, if the upstream is one.', null),
  rules: listOf(ComparedRule, 'The rules that were compared, in their order.'),
  lines: property<readonly string[]>({ type: [String] })('The output of --explain.', ['0xa.1:22 is read as 10.0.0.1']),
}) {}

/** The data of a `step` event of POST /check. */
export class CheckStep extends response({
  step: oneOf(
    ['route', 'pac', 'hop', 'tcp', 'tls', 'ticket', 'authentication', 'connect'],
    'route: the decision of the rules. pac: what a PAC script returned. ticket: a Kerberos ticket. hop: a server on the way to the upstream. The others are those of --check.',
  ),
  upstream: textOrNull(
    'The upstream; null for the route. The members of a group are checked one after the other.',
    'work',
  ),
  result: oneOf(RESULTS),
  detail: text('The address, or what failed and what to check.', '10.0.0.1:1080'),
  ms: count('Milliseconds since the previous step.', 12),
}) {}

/** The data of the `end` event of POST /check. */
export class CheckEnd extends response({
  result: oneOf(['ok', 'failed'], 'ok if the target was reached, through at least one member of a group.'),
  ms: count('Milliseconds since the start.', 40),
}) {}

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

/** The requests for one target that one rule refused, or `default: reject`. */
export class Denial extends response({
  target: text('host:port; all spellings of an address are one target.', 'example.com:443'),
  rule: countOrNull('The number of the rule at the last refusal; null: no rule matched (default: reject).', null),
  rule_text: textOrNull('The text of that rule.', null),
  count: count('The number of refused requests.', 3),
  first_at: time('The time of the first one.'),
  last_at: time('The time of the last one.'),
  client: textOrNull('The address of its client.', '127.0.0.1'),
  user: textOrNull('Its user; null if clients need no password.', 'ci'),
  command: textOrNull(
    'The command that would allow it for an hour; null if only a change of the rules can.',
    'proxy-client allow example.com:443 --for 1h',
  ),
  allowing_rule: textOrNull(
    'The rule that would allow it, as YAML; it must be placed before the rule that refuses it. Null for a name that no rule can contain.',
    '{ hosts: ["example.com"], ports: [443], to: "work" }',
  ),
}) {}

/** The response of /denials. */
export class DenialList extends response({
  denials: listOf(Denial, 'The targets that were refused last, the newest first, at most 200.'),
}) {}

/** A permission with an end. */
export class Grant extends response({
  id: text('For DELETE /grants/{id}.', '1'),
  target: text('HOST:PORT. The host is a name, *.name or an address, as in rules.', 'example.com:443'),
  since: time('When it was granted.'),
  until: time('When it ends. Its connections are ended then, too.'),
  requests: count('The number of requests that it allowed.', 12),
}) {}

/** The response of /grants. */
export class GrantList extends response({ grants: listOf(Grant, 'Those in force, the next to end first.') }) {}

/** The body of POST /grants. */
export class GrantRequest extends response({
  target: text('HOST:PORT, as in Grant.', 'example.com:443'),
  for: text('How long, from 1s to 24h.', '1h'),
}) {}

/** An open question: may clients reach a target? */
export class Question extends response({
  id: text('For POST /asks/{id}.', '1'),
  target: text('host:port; all spellings of an address are one target.', 'example.com:443'),
  rule: countOrNull('The number of the rule that asks; null: no rule matches (default: ask).', null),
  client: textOrNull('The address of the client that asked first.', '127.0.0.1'),
  user: textOrNull('Its user; null if clients need no password.', null),
  waiting: count('The number of requests that wait.', 2),
  requests: count('The number of requests so far, including those whose client has given up.', 3),
  asked_at: time('When it was asked.'),
  until: time('When it expires.'),
  command: text('The command that allows the target for an hour.', 'proxy-client allow example.com:443 --for 1h'),
}) {}

/** The response of /asks. */
export class QuestionList extends response({ asks: listOf(Question, 'The open questions, the oldest first.') }) {}

/** The body of POST /asks/{id}. */
export class AnswerRequest extends response({
  answer: oneOf(['yes', 'no'], 'Whether the target is allowed.'),
  for: optional(
    text(
      'How long a yes applies: a duration from 1s to 24h, once (60 s, for retries), day (24 h), or always (writes a rule to the configuration). Default: 1h.',
      '1h',
    ),
  ),
  host: optional(text('Instead of the host of the question: an entry that covers it.', '*.example.com')),
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

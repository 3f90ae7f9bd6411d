import {
  count,
  countOrNull,
  flag,
  listOf,
  oneOf,
  property,
  response,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './documentation.js';

/** How a test, or a step of a check, ended. */
export const RESULTS = ['ok', 'failed', 'skipped'] as const;

export const CATEGORY = text('A category of docs/errors.md.', 'upstream_unreachable');

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
export const FILE_STATUS = {
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

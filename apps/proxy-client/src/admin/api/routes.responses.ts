import { FILE_STATUS, RESULTS } from './upstreams.responses.js';
import { count, countOrNull, flag, listOf, oneOf, property, response, text, textOrNull } from './documentation.js';

const RULE_NUMBER = property<number>({ type: 'integer', minimum: 1 })('From 1.', 4);

const RULE_TEXT = text('Its conditions and destination, as --explain shows them.', 'users ci to tor');

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

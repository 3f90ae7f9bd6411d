import { count, countOrNull, listOf, oneOf, optional, response, text, textOrNull, time } from './documentation.js';

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

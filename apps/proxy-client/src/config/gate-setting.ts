import type { ConfigLocation } from './config-faults.js';
import {
  type Defaults,
  defaultsOf,
  hasKey,
  key,
  listOf,
  object,
  type ReadKeys,
  refine,
  setting,
  titled,
  type ValueReader,
} from './setting.js';
import { duration, secret, text, valid, wholeNumber } from './value-reader.js';

const MANY = 10_000;
const MAX_TEXT = 4096;
/** The shortest timeout of a question: no person answers sooner. */
const SHORTEST_MS = 1000;

const notifyGroup = titled(
  'NotifyOptions',
  'Who is told about a request that waits for an answer: a command, or a URL.',
  object({
    command: key(
      listOf(text(MAX_TEXT), 'name a program'),
      'A program and its arguments. It gets one more argument with the request in words, and the question as JSON on standard input.',
    ),
    url: key(
      valid(text(MAX_TEXT), isWebUrl, 'must be an http or https URL'),
      'The URL that gets the question as JSON by POST.',
    ),
    secret: key(secret(MAX_TEXT), 'The key of the HMAC-SHA256 of the body, in the field X-Signature-256.'),
  }),
);

function isWebUrl(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}

/** Who is told about a question: a command, or a URL to which it is sent. */
export type NotifyConfig = ReadKeys<typeof notifyGroup.shape>;

const notify: ValueReader<NotifyConfig> = refine(notifyGroup, (read: NotifyConfig, location, value) => {
  if (hasKey(value, 'command') === hasKey(value, 'url')) {
    location.report('needs either a command or a url');
    return undefined;
  }
  if (hasKey(value, 'secret') && !hasKey(value, 'url')) location.child('secret').report('belongs to a url');
  return read;
});

/** The time limit of a question; a question without an end would hold connections for ever. */
const timeout: ValueReader<number> = setting(duration.json, (value, location: ConfigLocation) => {
  const read = duration(value, location);
  if (read === undefined || read >= SHORTEST_MS) return read;
  location.report('must be at least 1s');
  return undefined;
});

/** The keys of `gate.ask`. */
export const askGroup = titled(
  'AskOptions',
  'How requests wait for the answer of a person (`default: ask`, or a rule with `to: ask`).',
  object({
    timeout: key(timeout, 'How long a question is open; requests for the same target share it.', '30s'),
    waiting: key(wholeNumber(1, MANY), 'Requests that may wait in all; more are refused at once.', 100),
    waitingPerClient: key(wholeNumber(1, MANY), 'Requests of one client address that may wait.', 20),
    questions: key(wholeNumber(1, MANY), 'Questions that may be open.', 20),
    refusedFor: key(duration, 'How long a no is remembered, so that the same target is refused at once.', '5m'),
    notify: key(notify, 'Who is told about a question, in addition to the dashboard and the log.'),
  }),
);

/** The keys of `gate`. */
export const gateSetting = titled(
  'GateOptions',
  'The egress gate.',
  object({ ask: key(askGroup, 'How requests wait for the answer of a person.') }),
);

/** How requests wait for an answer. */
export type AskConfig = Defaults<typeof askGroup.shape> & { readonly notify?: NotifyConfig };

/** The defaults of `gate.ask`. */
export const DEFAULT_ASK: AskConfig = defaultsOf(askGroup);

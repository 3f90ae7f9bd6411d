import { parseDuration } from '../config/value-reader.js';
import type { Answer } from '../routing/gate/asks.js';
import { isGrantDuration } from '../routing/gate/grants.js';

const DEFAULT_MS = 3_600_000;

/**
 * Reads the answer to a question: `{"answer": "yes", "for": "1h"}`.
 *
 * @returns the error in it as text
 */
export function readAnswer(fields: Readonly<Record<string, unknown>>): Answer | string {
  const { answer, for: time, host } = fields;
  if (answer !== 'yes' && answer !== 'no') return 'answer must be yes or no.';
  if (host !== undefined && typeof host !== 'string') return 'host must be a name or *.name.';
  const read = readTime(time);
  if (read === undefined) return 'for must be a duration from 1s to 24h, such as 30m, or once, day or always.';
  return { answer, for: read, host };
}

function readTime(time: unknown): Answer['for'] | undefined {
  if (time === undefined) return DEFAULT_MS;
  if (time === 'once' || time === 'day' || time === 'always') return time;
  const milliseconds = typeof time === 'string' ? parseDuration(time) : undefined;
  return milliseconds !== undefined && isGrantDuration(milliseconds) ? milliseconds : undefined;
}

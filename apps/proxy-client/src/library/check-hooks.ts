import { ConfigError, FaultList } from '../config/config-faults.js';
import { unknownKey } from '../config/setting.js';

const FUNCTIONS = ['chooseUpstream', 'onEnd', 'onAsk'] as const;
const LOGGER = 'logger';
const KEYS: readonly string[] = [...FUNCTIONS, LOGGER];
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/**
 * Checks the functions that a caller of the library passes: a misspelled `chooseUpstream` would let every request pass.
 *
 * @param source - what faults name instead of a file
 * @throws {@link ConfigError} with all faults
 */
export function checkHooks(hooks: unknown, source: string): void {
  const faults = new FaultList();
  const location = faults.at(source, 'hooks');
  const given = asRecord(hooks);
  if (given === undefined) location.report('must be an object');
  else {
    for (const key of Object.keys(given)) if (!KEYS.includes(key)) location.report(unknownKey(key, KEYS));
    for (const key of FUNCTIONS) if (!isFunctionOrAbsent(given[key])) location.child(key).report('must be a function');
    const logger = given[LOGGER];
    const methods = asRecord(logger);
    if (logger !== undefined && !LEVELS.every((level) => typeof methods?.[level] === 'function')) {
      location.child(LOGGER).report(`must have the methods ${LEVELS.join(', ')}`);
    }
  }
  if (faults.faults.length > 0) throw new ConfigError(faults.faults);
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
}

function isFunctionOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'function';
}

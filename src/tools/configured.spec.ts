import { afterEach, describe, expect, it } from '@jest/globals';
import { InvalidEnvironmentError } from '#ledger-config';
import { configured } from './configured.js';

describe('the variables of a tool', () => {
  const { env } = process;
  afterEach(() => {
    process.env = env;
  });

  it('may be set by previous names, next to those of services', () => {
    process.env = {
      ...env,
      LEDGER_CHANNEL: 'trade',
      LEDGER_CHAINCODE_TWICE: 'on',
      LEDGER_API_PORT: 'tcp://10.0.0.1:3000',
    };
    expect(configured('LEDGER_CHANNEL').LEDGER_CHANNEL).toBe('trade');
  });

  it('must not be misspelt', () => {
    process.env = { ...env, LEDGER_DATA_DIRECTORY: 'elsewhere' };
    expect(() => configured('LEDGER_CHANNEL')).toThrow(
      new InvalidEnvironmentError([
        'LEDGER_DATA_DIRECTORY is not a variable of ledger-api: did you mean LEDGER_DATA_DIR?',
      ]),
    );
  });
});

import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { envExample } from './env-example.js';
import { InvalidEnvironmentError, readConfig } from './ledger-api.config.js';
import { LedgerApiEnvironment } from './ledger-api.environment.js';
import { variablesOf } from './variable.decorator.js';

function linesOf(environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof InvalidEnvironmentError) return error.lines;
    throw error;
  }
  return [];
}

describe('readConfig', () => {
  it('gives the documented defaults for an empty environment', () => {
    expect(readConfig({})).toEqual({
      logLevel: 'info',
      listen: { host: '127.0.0.1', httpPort: 3000, httpsPort: 3443, allowedHosts: ['127.0.0.1'] },
      ledger: {
        driver: 'embedded',
        dataDir: 'data/ledger',
        channel: 'mychannel',
        chaincode: 'basic',
        mspId: 'Org1MSP',
      },
    });
  });

  it('is frozen at every depth', () => {
    const config = readConfig({ LEDGER_API_TLS_CERT: 'c.pem', LEDGER_API_TLS_KEY: 'k.pem' });
    expect([config, config.listen, config.listen.tls, config.ledger].every((part) => Object.isFrozen(part))).toBe(true);
  });

  it('takes every variable from the environment', () => {
    expect(
      readConfig({
        LEDGER_API_HOST: '::1',
        LEDGER_API_PORT: '0',
        LEDGER_API_HTTPS_PORT: '0',
        LEDGER_API_ALLOWED_HOSTS: 'ledger.example,api',
        LEDGER_API_TLS_CERT: 'cert.pem',
        LEDGER_API_TLS_KEY: 'key.pem',
        LOG_LEVEL: 'debug',
        LEDGER_DRIVER: 'embedded',
        LEDGER_DATA_DIR: '/var/lib/ledger',
        LEDGER_CHANNEL: 'trade.eu-1',
        LEDGER_CHAINCODE: 'asset-transfer_2',
        LEDGER_MSP_ID: 'Org2.MSP',
      }),
    ).toEqual({
      logLevel: 'debug',
      listen: {
        host: '::1',
        httpPort: 0,
        httpsPort: 0,
        allowedHosts: ['::1', 'ledger.example', 'api'],
        tls: { certificateFile: 'cert.pem', keyFile: 'key.pem' },
      },
      ledger: {
        driver: 'embedded',
        dataDir: '/var/lib/ledger',
        channel: 'trade.eu-1',
        chaincode: 'asset-transfer_2',
        mspId: 'Org2.MSP',
      },
    });
  });

  it('treats an empty variable as absent, as a copied .env with blanks means it', () => {
    const empty = Object.fromEntries(variablesOf(LedgerApiEnvironment).map(({ name }) => [name, '']));
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  it.each([
    ['LEDGER_API_HOST', 'http://localhost'],
    ['LEDGER_API_HOST', 'a b'],
    ['LEDGER_API_HOST', '[::1]'],
    ['LEDGER_API_HOST', '-a'],
    ['LEDGER_API_PORT', '65536'],
    ['LEDGER_API_PORT', '-1'],
    ['LEDGER_API_PORT', '80a'],
    ['LEDGER_API_PORT', '0x10'],
    ['LEDGER_API_PORT', ' 80 '],
    ['LEDGER_API_PORT', '1e3'],
    ['LEDGER_API_PORT', '80.5'],
    ['LEDGER_API_HTTPS_PORT', '70000'],
    ['LEDGER_API_HTTPS_PORT', 'off'],
    ['LEDGER_API_HTTPS_PORT', '3000'],
    ['LEDGER_API_ALLOWED_HOSTS', 'ledger.example:3000'],
    ['LEDGER_API_ALLOWED_HOSTS', 'https://ledger.example'],
    ['LEDGER_API_ALLOWED_HOSTS', 'a, b'],
    ['LEDGER_API_ALLOWED_HOSTS', '*'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_LEVEL', 'INFO'],
    ['LEDGER_DRIVER', 'quorum'],
    ['LEDGER_CHANNEL', 'MyChannel'],
    ['LEDGER_CHANNEL', '../x'],
    ['LEDGER_CHANNEL', '1st'],
    ['LEDGER_CHANNEL', 'a'.repeat(250)],
    ['LEDGER_CHAINCODE', 'basic_'],
    ['LEDGER_CHAINCODE', 'a b'],
    ['LEDGER_MSP_ID', 'Org1/MSP'],
  ])('refuses %s=%s with one line that names it', (name, value) => {
    const lines = linesOf({ [name]: value });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${name} = .+: .+\\.$`));
    expect(lines[0]).toContain(JSON.stringify(value));
  });

  it.each(['LEDGER_API_TLS_CERT', 'LEDGER_API_TLS_KEY'])('refuses %s alone', (name) => {
    const missing = name === 'LEDGER_API_TLS_KEY' ? 'LEDGER_API_TLS_CERT' : 'LEDGER_API_TLS_KEY';
    expect(linesOf({ [name]: 'file.pem' })).toEqual([
      `${missing} is not set: LEDGER_API_TLS_CERT and LEDGER_API_TLS_KEY are needed together.`,
    ]);
  });

  it('reports every bad variable at once', () => {
    expect(linesOf({ LEDGER_API_PORT: 'x', LOG_LEVEL: 'y', LEDGER_DRIVER: 'z' })).toHaveLength(3);
  });
});

describe('.env.example', () => {
  it('names every variable with its default', () => {
    const parsed = parseEnv(envExample());
    expect(readConfig(parsed as NodeJS.ProcessEnv)).toEqual(readConfig({}));
    for (const { name } of variablesOf(LedgerApiEnvironment))
      expect(envExample()).toMatch(new RegExp(`^#?${name}=`, 'm'));
  });

  it('is committed as the code says', () => {
    expect(readFileSync('.env.example', 'utf8')).toContain(envExample());
  });
});

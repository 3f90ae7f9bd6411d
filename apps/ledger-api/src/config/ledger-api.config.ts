import { existsSync } from 'node:fs';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { driverConfig, fabricFaults, type DriverConfig } from './fabric.config.js';
import { LEDGER_DRIVERS, LedgerApiEnvironment, type LogLevel } from './ledger-api.environment.js';
import { variablesOf } from './variable.decorator.js';

/** Token of the frozen configuration. */
export const LEDGER_API_CONFIG = Symbol('LedgerApiConfig');

/** What ledger-api runs with: the environment, checked once and frozen. */
export interface LedgerApiConfig {
  readonly logLevel: LogLevel;
  readonly listen: {
    readonly host: string;
    /** 0: any free port. */
    readonly httpPort: number;
    /** 0: no https. */
    readonly httpsPort: number;
    /** Host names that requests may be addressed to, beside IP addresses and localhost. */
    readonly allowedHosts: readonly string[];
    /** Without it a self-signed certificate is kept in the data directory. */
    readonly tls?: { readonly certificateFile: string; readonly keyFile: string };
  };
  readonly ledger: DriverConfig & {
    readonly dataDir: string;
    readonly channel: string;
    readonly chaincode: string;
    readonly mspId: string;
  };
}

/** The environment holds values that cannot work: one line each, naming the variable. */
export class InvalidEnvironmentError extends Error {
  readonly code = 'LEDGER_API.INVALID_ENVIRONMENT';

  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

/**
 * Checks the environment and gives the frozen configuration; an empty variable counts as absent.
 * @throws {@link InvalidEnvironmentError} with one line for each bad variable
 */
export function readConfig(environment: NodeJS.ProcessEnv): LedgerApiConfig {
  const set = variablesOf(LedgerApiEnvironment)
    .map(({ name }) => [name, environment[name]] as const)
    .filter(([, value]) => value !== undefined && value !== '');
  const checked = plainToInstance(LedgerApiEnvironment, Object.fromEntries(set), { exposeUnsetFields: false });
  const lines = [...faults(checked, environment), ...samePort(checked), ...driverFaults(checked)];
  if (lines.length > 0) throw new InvalidEnvironmentError(lines);
  const isMspGiven = set.some(([name]) => name === 'LEDGER_MSP_ID');
  return toConfig(checked, isMspGiven ? checked.LEDGER_MSP_ID : undefined);
}

/** Reads `.env` of the working directory, if it is there, and the process environment, which wins. */
export function loadConfig(): LedgerApiConfig {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return readConfig(process.env);
}

function faults(checked: LedgerApiEnvironment, environment: NodeJS.ProcessEnv): string[] {
  return validateSync(checked, { stopAtFirstError: true }).map(({ property, constraints }) => {
    const value = environment[property];
    const shown = value === undefined ? 'is not set' : `= ${JSON.stringify(value)}`;
    return `${property} ${shown}: ${Object.values(constraints ?? {})[0] ?? 'is not valid'}.`;
  });
}

function samePort({ LEDGER_API_PORT: http, LEDGER_API_HTTPS_PORT: https }: LedgerApiEnvironment): string[] {
  if (http !== https || http === 0) return [];
  return [`LEDGER_API_HTTPS_PORT = "${https}": http listens there already; use another port, or 0 to turn https off.`];
}

/** What the chosen driver needs; a driver that is none is reported already. */
function driverFaults(checked: LedgerApiEnvironment): string[] {
  const { LEDGER_DRIVER: driver } = checked;
  return LEDGER_DRIVERS.includes(driver) ? fabricFaults(driver, checked) : [];
}

function toConfig(checked: LedgerApiEnvironment, givenMspId: string | undefined): LedgerApiConfig {
  const { LEDGER_API_TLS_CERT: certificateFile, LEDGER_API_TLS_KEY: keyFile } = checked;
  const tls =
    certificateFile !== undefined && keyFile !== undefined ? { tls: Object.freeze({ certificateFile, keyFile }) } : {};
  return Object.freeze({
    logLevel: checked.LOG_LEVEL,
    listen: Object.freeze({
      host: checked.LEDGER_API_HOST,
      httpPort: checked.LEDGER_API_PORT,
      httpsPort: checked.LEDGER_API_HTTPS_PORT,
      allowedHosts: Object.freeze([checked.LEDGER_API_HOST, ...(checked.LEDGER_API_ALLOWED_HOSTS?.split(',') ?? [])]),
      ...tls,
    }),
    ledger: Object.freeze({
      ...driverConfig(checked.LEDGER_DRIVER, checked, givenMspId),
      dataDir: checked.LEDGER_DATA_DIR,
      channel: checked.LEDGER_CHANNEL,
      chaincode: checked.LEDGER_CHAINCODE,
      mspId: checked.LEDGER_MSP_ID,
    }),
  });
}

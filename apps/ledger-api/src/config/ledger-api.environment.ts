import { IsIn, IsInt, IsNotEmpty, IsString, Matches, Max, Min, ValidateIf } from 'class-validator';
import { FabricEnvironment } from './fabric.environment.js';
import { DecimalDigits, Variable } from './variable.decorator.js';

export const LEDGER_DRIVERS = ['embedded', 'fabric', 'fabric-gateway'] as const;
/** Which driver stands behind the ledger port. */
export type LedgerDriver = (typeof LEDGER_DRIVERS)[number];

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const NAME = String.raw`[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?`;
const HOST =
  /^(?=.{1,253}$)([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)$/;
const PORT = { message: 'use a whole number from 0 to 65535' };
const BOTH = { message: 'LEDGER_API_TLS_CERT and LEDGER_API_TLS_KEY are needed together' };

/**
 * Every environment variable of ledger-api: its default, its rule and the sentence that `.env.example` shows.
 * The property has the variable's name, so that a fault is reported under the name that the user has to change.
 */
export class LedgerApiEnvironment extends FabricEnvironment {
  @Variable(
    'Address to listen on. There is no authentication yet: whoever reaches another address than loopback can write.',
  )
  @Matches(HOST, { message: 'use an IP address without brackets or a host name' })
  LEDGER_API_HOST = '127.0.0.1';

  @Variable('Port for http; 0 takes any free one.')
  @DecimalDigits()
  @IsInt(PORT)
  @Min(0, PORT)
  @Max(65535, PORT)
  LEDGER_API_PORT = 3000;

  @Variable('Port for https; 0 turns https off.')
  @DecimalDigits()
  @IsInt(PORT)
  @Min(0, PORT)
  @Max(65535, PORT)
  LEDGER_API_HTTPS_PORT = 3443;

  @Variable(
    'Host names that requests may be addressed to, separated by commas; IP addresses, localhost and LEDGER_API_HOST always are.',
  )
  @ValidateIf((_, value) => value !== undefined)
  @Matches(new RegExp(`^${NAME}(,${NAME})*$`), { message: 'use host names without ports, several separated by commas' })
  LEDGER_API_ALLOWED_HOSTS?: string;

  @Variable(
    'PEM file with the certificate chain for https; without it a self-signed one is kept in the data directory.',
  )
  @ValidateIf(
    ({ LEDGER_API_TLS_CERT: own, LEDGER_API_TLS_KEY: other }: LedgerApiEnvironment) => (own ?? other) !== undefined,
  )
  @IsNotEmpty(BOTH)
  @IsString(BOTH)
  LEDGER_API_TLS_CERT?: string;

  @Variable('PEM file with the private key of that certificate.')
  @ValidateIf(
    ({ LEDGER_API_TLS_CERT: other, LEDGER_API_TLS_KEY: own }: LedgerApiEnvironment) => (own ?? other) !== undefined,
  )
  @IsNotEmpty(BOTH)
  @IsString(BOTH)
  LEDGER_API_TLS_KEY?: string;

  @Variable(`What is logged: ${LOG_LEVELS.join(', ')}. Requests are logged at debug, failures at warn and error.`)
  @IsIn(LOG_LEVELS, { message: `use one of ${LOG_LEVELS.join(', ')}` })
  LOG_LEVEL: LogLevel = 'info';

  @Variable(`Which ledger: ${LEDGER_DRIVERS.join(', ')}.`)
  @IsIn(LEDGER_DRIVERS, { message: `use one of ${LEDGER_DRIVERS.join(', ')}` })
  LEDGER_DRIVER: LedgerDriver = 'embedded';

  @Variable('Directory of the embedded ledger, its keys and the self-signed certificate.')
  @IsNotEmpty({ message: 'name a directory' })
  LEDGER_DATA_DIR = 'data/ledger';

  @Variable('Name of the channel.')
  @Matches(/^[a-z][a-z0-9.-]{0,248}$/, {
    message: 'use lower-case letters, digits, dots and dashes, a letter first, at most 249 characters',
  })
  LEDGER_CHANNEL = 'mychannel';

  @Variable('Name of the chaincode.')
  @Matches(/^[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$/, {
    message: 'use letters and digits, with single dashes or underscores between them',
  })
  LEDGER_CHAINCODE = 'basic';

  @Variable('Identifier of the membership service provider that issues the identities.')
  @Matches(/^[A-Za-z0-9.-]+$/, { message: 'use letters, digits, dots and dashes' })
  LEDGER_MSP_ID = 'Org1MSP';
}

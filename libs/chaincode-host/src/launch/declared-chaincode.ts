import { join } from 'node:path';
import { readRegularFileSync } from '#files';
import { isJsonObject } from '#json';
import { SERVED_FORM, servedAddress } from './served-address.js';
import { findProgram, installationOf } from './find-program.js';
import {
  DIRECTORY_VARIABLE,
  type Connect,
  type LaunchFault,
  type LaunchPlace,
  type LaunchPlan,
} from './launch-plan.js';

/** The file in which a chaincode declares how it is started. */
export const DECLARATION = 'chaincode.json';

/** The content of a chaincode.json. */
export interface DeclaredChaincode {
  readonly command?: readonly string[];
  readonly connect?: Connect;
  readonly environment?: Readonly<Record<string, string>>;
  /** At which it is served already: then it is not started. */
  readonly address?: string;
  /** The path of its file of private collections, from its folder on. */
  readonly collections?: string;
}

/** The variables that a start sets, which a command may name as `$NAME`. */
const OWN_VARIABLES = ['CORE_PEER_ADDRESS', 'CORE_CHAINCODE_ID_NAME', 'CHAINCODE_ID', 'CHAINCODE_SERVER_ADDRESS'];
const SET_BY_US = new Set([...OWN_VARIABLES, ...['CORE_PEER_LOCALMSPID', 'CORE_PEER_TLS_ENABLED', DIRECTORY_VARIABLE]]);
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Reads the chaincode.json of a folder; undefined when there is none. */
export function readDeclaration(path: string): DeclaredChaincode | LaunchFault | undefined {
  try {
    return checkedDeclaration(JSON.parse(readRegularFileSync(join(path, DECLARATION))));
  } catch (error) {
    if (error instanceof SyntaxError) return { fault: `its ${DECLARATION} is not valid JSON.` };
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    // Without it the chaincode would run, but without its variables and collections.
    return code === 'ENOENT' ? undefined : { fault: `its ${DECLARATION} cannot be read (${code}).` };
  }
}

/** Returns how a declared command is started. */
export function planDeclared(path: string, declared: DeclaredChaincode): LaunchPlan | LaunchFault {
  const { command: [name = '', ...args] = [], connect = 'dial' } = declared;
  const program = findProgram(name, path);
  if (program === undefined) {
    const place = name.includes('/') ? 'in its folder' : 'in PATH';
    return { fault: `${DECLARATION}: command[0]: there is no program ${JSON.stringify(name)} ${place}.` };
  }
  return {
    path,
    connect,
    // A client of any language connects to a host and a port, and not every one to a Unix socket.
    transport: 'tcp',
    command: (place) => [program, ...args.map((each) => withVariables(each, connect, place))],
    environment: {},
    confinement: 'bubblewrap',
    readable: [path, installationOf(program)],
  };
}

/** Replaces a variable that is set for each start. */
function withVariables(text: string, connect: Connect, { address, id }: LaunchPlace): string {
  const values: Readonly<Record<string, string>> = {
    CORE_CHAINCODE_ID_NAME: id,
    CHAINCODE_ID: id,
    [connect === 'dial' ? 'CORE_PEER_ADDRESS' : 'CHAINCODE_SERVER_ADDRESS']: address,
  };
  return text.replaceAll(/\$([A-Z_]+)/g, (whole, name: string) => values[name] ?? whole);
}

function checkedDeclaration(value: unknown): DeclaredChaincode | LaunchFault {
  if (!isJsonObject(value)) return fault('it must be an object');
  for (const [name, check] of Object.entries(CHECKS)) {
    const reason = Object.hasOwn(value, name) ? check(value[name]) : undefined;
    if (reason !== undefined) return fault(reason);
  }
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(CHECKS, name));
  if (unknown !== undefined)
    return fault(`${JSON.stringify(unknown)} is unknown. Known: ${Object.keys(CHECKS).join(', ')}`);
  if ('connect' in value && !('command' in value)) return fault('connect belongs to a command, which is missing');
  const started = STARTED.find((name) => name in value);
  if ('address' in value && started !== undefined) {
    return fault(`${started} belongs to a chaincode that is started, and one with an address is not`);
  }
  return value;
}

/** What only a chaincode has that is started. */
const STARTED = ['command', 'connect', 'environment'] as const;

function isArgument(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

const CHECKS: Readonly<Record<keyof DeclaredChaincode, (value: unknown) => string | undefined>> = {
  command: (value) =>
    Array.isArray(value) && value.length > 0 && value.every(isArgument)
      ? undefined
      : 'command must be a list of texts without U+0000, of which the first one is the program',
  connect: (value) => (value === 'serve' || value === 'dial' ? undefined : 'connect must be "serve" or "dial"'),
  environment: environmentFault,
  address: (value) =>
    typeof value === 'string' && servedAddress(value) !== undefined ? undefined : `address must be ${SERVED_FORM}`,
  collections: (value) =>
    typeof value === 'string' && value !== '' && !value.includes('\0')
      ? undefined
      : 'collections must be the path of a file',
};

function environmentFault(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'environment must be an object';
  for (const [name, text] of Object.entries(value)) {
    if (!VARIABLE.test(name)) return `environment: ${JSON.stringify(name)} is no name of a variable`;
    if (SET_BY_US.has(name)) return `environment.${name} is set by the ledger`;
    if (typeof text !== 'string' || text.includes('\0')) return `environment.${name} must be a text`;
  }
  return undefined;
}

function fault(reason: string): LaunchFault {
  return { fault: `${DECLARATION}: ${reason}.` };
}

import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { isLoopbackAddress } from '../rules/own-places.js';
import { ConfigError, type ConfigFault, type FaultList } from './config-faults.js';
import { listenerSetting, listenPort, listenSetting, mode } from './listener-setting.js';
import { readTextFile, type FileReferences } from './references.js';
import { rulesSetting } from './rule-setting.js';
import { upstreamSetting, upstreamsSetting } from './upstream-setting.js';
import {
  byteSize,
  duration,
  host,
  listOf,
  object,
  oneOf,
  onOff,
  secret,
  text,
  wholeNumber,
  type Read,
  type ValueReader,
} from './value-reader.js';

export const logLevel = oneOf('debug', 'info', 'warn', 'error');

/** Reads a bearer token (RFC 6750) that is long enough not to be guessed. */
const adminToken: ValueReader<string> = (value, place) => {
  const given = secret(256)(value, place);
  if (given === undefined || /^[\x21-\x7e]{16,}$/.test(given)) return given;
  place.report('must be 16 to 256 printable ASCII characters without spaces');
  return undefined;
};

const adminGroup = object({ host, port: listenPort, token: adminToken });

/** Reads `off`, or the settings of the admin listener. */
export const admin: ValueReader<'off' | NonNullable<ReturnType<typeof adminGroup>>> = (value, place) => {
  if (value === 'off' || value === false) return 'off';
  const read = adminGroup(value, place);
  if (
    read?.host !== undefined &&
    !isLoopbackAddress(read.host) &&
    !(value as ReadonlyMap<unknown, unknown>).has('token')
  ) {
    place.child('host').report('is not a loopback address: others could read whom the proxy serves; set admin.token');
  }
  return read;
};

/** Reads `stdout`, or a file relative to the configuration file. */
const requestsTo: ValueReader<{ readonly file?: string }> = (value, place) => {
  if (value === 'stdout') return {};
  const path = text(4096)(value, place);
  return path === undefined ? undefined : { file: place.references?.locate(path) ?? path };
};

const logGroup = object({ requests: requestsTo, format: oneOf('json', 'common'), queries: onOff });

const log: typeof logGroup = (value, place) => {
  const read = logGroup(value, place);
  if (value instanceof Map && !value.has('requests')) {
    place.child('requests').report('is missing: specify a file, or stdout');
  }
  return read;
};

const MANY = 1_000_000;

const keys = {
  mode,
  logLevel,
  listen: listenSetting,
  listeners: listOf(listenerSetting),
  upstream: upstreamSetting,
  upstreams: upstreamsSetting,
  rules: rulesSetting,
  timeouts: object({
    read: duration,
    write: duration,
    idle: duration,
    connect: duration,
    handshake: duration,
    response: duration,
    tunnelIdle: duration,
    drain: duration,
  }),
  limits: object({ headerBytes: byteSize(1024, 16_777_216), connections: wholeNumber(1, MANY) }),
  pool: object({ idle: duration, perTarget: wholeNumber(1, MANY), total: wholeNumber(1, MANY) }),
  via: onOff,
  log,
  admin,
} satisfies Record<string, ValueReader<unknown>>;

/** Every key that a configuration file may have. */
const configFileShape = object(keys);

/** A parsed configuration file; keys that it does not set are absent. */
export type ConfigFile = Read<typeof keys>;

/** The maximum number of syntax errors that are reported; the others mostly follow from them. */
const MANY_FAULTS = 5;
/** The maximum number of expanded aliases: a few nested ones can make a document of any size. */
const MAX_ALIASES = 100;

/** The texts of syntax errors. Those of the parser may quote the file, which may contain a password. */
const SYNTAX: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'the key appears twice',
  TAB_AS_INDENT: 'indent with spaces, not tabs',
  BAD_INDENT: 'wrong indentation, or a bracket or quote is not closed',
  MISSING_CHAR: 'something is missing here: a closing quote or bracket, or a colon after a key',
  BAD_SCALAR_START: 'a value that starts with @ or ` must be quoted',
  BLOCK_AS_IMPLICIT_KEY: 'wrong indentation, or a value with a colon that must be quoted',
  MULTIPLE_DOCS: 'the file must be one document',
  RESOURCE_EXHAUSTION: 'nested too deeply',
  TAG_RESOLVE_FAILED: 'tags (words that start with !) are not supported; quote such a value',
};

/**
 * Reads a configuration file in YAML or JSON, which is a subset of YAML.
 *
 * @param path - the file as the user specified it, for faults
 * @param references - the location of the file, and the variables and files that it may refer to
 * @throws {@link ConfigError} if it cannot be parsed; faults of single keys are added to `faults`
 */
export function readConfigFile(path: string, references: FileReferences, faults: FaultList): ConfigFile {
  const read = readTextFile(references.file);
  if ('problem' in read) throw new ConfigError([{ source: path, problem: read.problem }]);
  const source = read.text;
  const document = yaml().parseDocument(source, { prettyErrors: false, keepSourceTokens: false });
  const wrong = [...document.errors, ...document.warnings].slice(0, MANY_FAULTS);
  if (wrong.length > 0) {
    throw new ConfigError(wrong.map((error) => ({ source: path, ...syntaxFault(error, source) })));
  }
  if (document.contents === null) throw new ConfigError([{ source: path, problem: 'is empty' }]);
  return configFileShape(toValue(document, path), faults.place(path, '', references)) ?? {};
}

/** Loads the parser, which is not needed without a configuration file. */
function yaml(): typeof Yaml {
  return createRequire(import.meta.url)('yaml') as typeof Yaml;
}

function toValue(document: Yaml.Document.Parsed, path: string): unknown {
  try {
    return document.toJS({ mapAsMap: true, maxAliasCount: MAX_ALIASES });
  } catch {
    throw new ConfigError([{ source: path, problem: aliasFault(document) }]);
  }
}

/** Describes why the aliases of a document cannot be resolved. */
function aliasFault(document: Yaml.Document.Parsed): string {
  const { visit } = yaml();
  const dangling: Yaml.Alias[] = [];
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document) !== undefined) return undefined;
      dangling.push(alias);
      return visit.BREAK;
    },
  });
  return dangling.length > 0
    ? 'an alias (a word that starts with *) is undefined; use quotes'
    : `aliases (words that start with *) may expand to at most ${MAX_ALIASES} values in all; write the values out`;
}

function syntaxFault(error: Yaml.YAMLError, source: string): Omit<ConfigFault, 'source'> {
  const before = source.slice(0, error.pos[0]).split(/\r\n|[\r\n]/);
  const line = before.length;
  const column = (before.at(-1)?.length ?? 0) + 1;
  const problem = `${SYNTAX[error.code] ?? `not valid YAML (${error.code})`}, line ${line}, column ${column}`;
  const key = keyOfLine(source, line);
  return key === undefined ? { problem } : { key, problem };
}

/** Returns the key that a line sets, if it starts with one. */
function keyOfLine(source: string, line: number): string | undefined {
  const text = source.split(/\r\n|[\r\n]/)[line - 1] ?? '';
  return /^[\s{]*["']?([A-Za-z]{1,20})["']?\s*:(?:\s|$)/.exec(text)?.[1];
}

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withoutServiceVariables } from '#environment';
import { copiesDirectory } from './copies-directory.js';
import { ConfigError, FaultList } from './config-faults.js';
import { readConfigFile } from './config-file.js';
import { requireHandshakes } from './handshakes.js';
import { makeConfig } from './make-config.js';
import { Overrides, reportMisspelt, type CommandLineOptions } from './overrides.js';
import type { ProxyClientConfig } from './proxy-client-config.js';
import { FileReferences, type FileMarks, type KeyPath } from './references.js';
import { inTurns, makeRules } from './rule-setting.js';

/** The file in the working directory that is used if neither option nor environment specifies one. */
export const DEFAULT_CONFIG_FILE = 'proxy-client.yaml';

/** The sources of the configuration: options override the environment, which overrides the file. */
export interface ConfigSources {
  readonly options: CommandLineOptions;
  readonly environment: NodeJS.ProcessEnv;
  /** The working directory. */
  readonly directory: string;
  /** Whether a file that is in the working directory but not specified is an error instead of being read. */
  readonly mustNameFile?: boolean;
  /** Whether the command listens elsewhere than the configuration specifies. */
  readonly hasOwnListener?: boolean;
}

/** The configuration and its files. */
export interface LoadedConfig {
  readonly config: ProxyClientConfig;
  /** The file that was read, as specified. */
  readonly file?: string;
  /** The file, even if it does not exist, and those that it names, with their marks from before they were read. */
  readonly files: FileMarks;
  /** The keys of the file whose values are paths relative to its directory. */
  readonly relativePaths: readonly KeyPath[];
  /** The environment variables that the file refers to. */
  readonly variables: ReadonlySet<string>;
  /** Set variables with the prefix of proxy-client that have no effect. */
  readonly ignoredVariables: readonly string[];
}

/**
 * Loads and freezes the configuration. It keeps no state: a reload is another call. Its certificates are not tested; see
 * {@link requireHandshakes}.
 *
 * @throws {@link ConfigError} with all faults of the command line, the environment and the file
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const loading = load(sources);
  let step = loading.next();
  while (step.done !== true) step = loading.next();
  return step.value;
}

/**
 * Loads the configuration without blocking the event loop, even for a list of a million names.
 *
 * @throws {@link ConfigError}
 */
export async function loadConfigAsync(sources: ConfigSources): Promise<LoadedConfig> {
  const loaded = await inTurns(load(sources));
  await requireHandshakes(loaded.config, loaded.files);
  return loaded;
}

/** Returns the configuration file, if there is one; reports one that is not specified and must be. */
function fileOf({ options, directory, mustNameFile }: ConfigSources, overrides: Overrides, faults: FaultList) {
  const named = options.config ?? overrides.get('config');
  if (named !== undefined || !existsSync(join(directory, DEFAULT_CONFIG_FILE))) return named;
  if (mustNameFile === true) {
    const advice = `specify it with --config ${DEFAULT_CONFIG_FILE}`;
    faults.at(DEFAULT_CONFIG_FILE).report(`is in the directory that the command may change: ${advice}`);
  }
  return DEFAULT_CONFIG_FILE;
}

function* load(sources: ConfigSources): Generator<undefined, LoadedConfig> {
  const { options, directory, hasOwnListener } = sources;
  // The file may refer to the variables of a service, such as ${SOCKS_SERVICE_HOST}.
  const environment = withoutServiceVariables(sources.environment);
  const faults = new FaultList();
  const overrides = new Overrides(options, environment, faults);
  const file = fileOf(sources, overrides, faults);
  const references = new FileReferences(resolve(directory, file ?? DEFAULT_CONFIG_FILE), sources.environment);
  try {
    const settings = file === undefined ? {} : readConfigFile(file, references, faults);
    const rules = yield* makeRules(settings.rules);
    const config = makeConfig(
      { overrides, settings, file, hasOwnListener, copies: copiesDirectory(environment) },
      rules,
      faults,
    );
    const { files, relative: relativePaths, variables } = references;
    const ignoredVariables = reportMisspelt(environment, variables, faults);
    if (faults.faults.length > 0) throw new ConfigError([]);
    return { config, ...(file !== undefined && { file }), files, relativePaths, variables, ignoredVariables };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // Faults of the other sources are reported too if the file cannot be read.
    throw new ConfigError([...faults.faults, ...error.faults], references.files);
  }
}

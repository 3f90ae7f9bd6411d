import { realpathSync, rmSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { isatty } from 'node:tty';
import { tokenDirectories, tokenDirectory } from '../admin/admin-access.js';
import { copiesDirectory } from '../config/copies-directory.js';
import type { LoadedConfig } from '../config/load-config.js';
import { PROXY_ENVIRONMENT } from '../config/overrides.js';
import type { ListenerConfig } from '../config/proxy-client-config.js';
import type { SystemdSockets } from '../config/systemd-sockets.js';
import { notify, ProxiedCommand, PROGRAMS, type CommandEnd, type Confinement } from './proxied-command.js';
import { redirectionsOf } from './sandbox/project-files.js';
import { isBelow } from './sandbox/protected-paths.js';
import { isSystem, pathOf, projectFiles, type Sandbox } from './sandbox/sandbox.js';

/** What a person may choose about a sandbox. */
export interface SandboxChoices {
  /** See {@link Sandbox.mounts}. */
  readonly mount: readonly string[];
  readonly unixSockets: boolean;
  readonly userNamespaces: boolean;
}

/** A proxy for one command. */
export interface CommandProxy {
  /** Its URL, as the command sees it. */
  readonly url: string;
  close(): Promise<void>;
}

/** The listener of a proxy for one command: on the loopback of this machine, or on that of the sandbox. */
export interface CommandListener {
  readonly listeners: readonly [ListenerConfig];
  readonly systemd: SystemdSockets;
}

/** A command, and how to run it. */
export interface CommandRequest {
  readonly command: readonly string[];
  readonly loaded: LoadedConfig;
  /** Absent: the command is not confined. */
  readonly sandbox: Sandbox | undefined;
}

/** The name of the socket that the sandbox passes. */
const PASSED = 'sandbox';
const LISTENER: ListenerConfig = { mode: 'mixed', host: '127.0.0.1', port: 0, allowedHosts: [] };
const STDIN = 0;
const STDOUT = 1;

/**
 * Runs a command whose proxy is opened by the caller.
 *
 * @returns how it ended, or why the sandbox could not be created
 */
export async function runThroughProxy(
  { command, loaded, sandbox }: CommandRequest,
  open: (listener: CommandListener) => Promise<CommandProxy>,
): Promise<{ readonly end: CommandEnd } | { readonly failure: string }> {
  const confinement = sandbox && confine(sandbox);
  const redirections = new Set(redirectionsOf(confinement?.project));
  const removeRedirections = (): void => {
    for (const file of redirectionsOf(confinement?.project)) if (!redirections.has(file)) removeRedirection(file);
  };
  // A command may crash this program by invalid messages, and must not gain from that.
  process.once('exit', removeRedirections);
  const proxied = new ProxiedCommand({
    command,
    environment: environmentOf(loaded, sandbox !== undefined),
    confinement,
    hasTerminal: isatty(STDIN) && isatty(STDOUT),
  });
  try {
    const end = await runWith(proxied, sandbox !== undefined, open);
    return end === undefined ? { failure: proxied.failure() } : { end };
  } finally {
    proxied.abort();
    process.off('exit', removeRedirections);
    removeRedirections();
  }
}

async function runWith(
  proxied: ProxiedCommand,
  isInSandbox: boolean,
  open: (listener: CommandListener) => Promise<CommandProxy>,
): Promise<CommandEnd | undefined> {
  const server = isInSandbox ? await proxied.listener() : undefined;
  if (isInSandbox && server === undefined) return undefined;
  const proxy = await open({
    listeners: [server === undefined ? LISTENER : { ...LISTENER, systemd: PASSED }],
    systemd: new Map(server === undefined ? [] : [[PASSED, [server]]]),
  });
  try {
    return await proxied.run(proxy.url);
  } finally {
    await proxy.close();
  }
}

function confine(sandbox: Sandbox): Confinement {
  const project = projectFiles(sandbox);
  if (project.isIncomplete) {
    notify('The current directory is too large: hooks and settings of editors are protected only in a part of it.');
  }
  return { sandbox, project };
}

/** Removes a file by which git would run the hooks of another directory, outside of the sandbox. */
function removeRedirection(file: string): void {
  rmSync(file, { force: true });
  notify(`removed ${file}, which the command has created: git would run programs that it names.`);
}

/** Returns the sandbox for a command in the working directory. */
export function sandboxOf({ config, files }: LoadedConfig, choices: SandboxChoices): Sandbox {
  const { mount: mounts, unixSockets, userNamespaces } = choices;
  const directory = realpathSync('.');
  const logFiles = config.requestLog?.file === undefined ? [] : [config.requestLog.file];
  return {
    ...{ directory, homes: homes(), path: variables()['PATH'] ?? '', programs: PROGRAMS },
    ...{ mounts, unixSockets, userNamespaces },
    configuration: [...files.keys()],
    gate: { files: [...files.keys(), ...logFiles], directories: gateDirectories() },
    logFile: config.requestLog?.file,
    tokens: directoryOfTokens([directory, ...mounts.map(pathOf)]),
  };
}

/** Returns the home directories by the environment and by the list of accounts, which ssh uses. */
function homes(): readonly string[] {
  const found = [homedir(), homeOfAccount()].map((home) => resolve(home));
  return [...new Set(found)].filter((home) => !isSystem(home));
}

function homeOfAccount(): string {
  try {
    return userInfo().homedir;
  } catch {
    // A user without an account, as in containers.
    return homedir();
  }
}

/** Returns the directories with tokens, and with copies of lists. */
function gateDirectories(): readonly string[] {
  const directories = [...Object.values(tokenDirectories()), copiesDirectory(variables())];
  return directories.filter((each) => each !== undefined);
}

/** Creates the directory of tokens, so that it can be hidden, if the command sees one of the directories in which it may be. */
function directoryOfTokens(visible: readonly string[]): string | undefined {
  const directories = Object.values(tokenDirectories()).filter((each) => each !== undefined);
  if (!directories.some((each) => visible.some((path) => isBelow(each, path)))) return undefined;
  try {
    return tokenDirectory();
  } catch {
    // This program cannot create a token there either.
    return undefined;
  }
}

/** Variables that every program needs, and that are no secrets. */
const COMMON = new Set(['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'TERM', 'LANG', 'TZ']);
/** They name directories that are not in the sandbox. */
const OUTSIDE = ['TMP', 'TEMP', 'XDG_RUNTIME_DIR'];

/** Returns the variables of the command: without the configuration, which may contain passwords. */
function environmentOf({ variables: referred }: LoadedConfig, isInSandbox: boolean): NodeJS.ProcessEnv {
  const configuration = [...PROXY_ENVIRONMENT.map(({ name }) => name), ...referred].filter((name) => !COMMON.has(name));
  const hidden = new Set([...configuration, ...(isInSandbox ? OUTSIDE : [])]);
  const visible = Object.entries(variables()).filter(([name]) => !hidden.has(name));
  return { ...Object.fromEntries(visible), ...(isInSandbox && { TMPDIR: '/tmp' }) };
}

/** Returns the environment of this program, which the command inherits. */
function variables(): NodeJS.ProcessEnv {
  // eslint-disable-next-line no-restricted-properties
  return process.env;
}

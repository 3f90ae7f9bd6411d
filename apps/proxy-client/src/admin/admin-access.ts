import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import type { ProxyLog } from '../failure/failure-reporter.js';
import { acceptsHttp } from '../listener/client-modes.js';
import { isLoopbackAddress } from '../routing/rules/own-addresses.js';
import type { AccessRules } from './access-rules.js';
import type { AdminListener } from './admin-listener.js';

type Configured = Pick<ProxyClientConfig, 'admin' | 'listeners' | 'rejectsByDefault'>;

/**
 * Derives from the configuration who may see the admin pages, and which of them exist. If a token is needed and none is configured, it
 * is read from a file, which is created if it does not exist (docs/adr/0084).
 */
export class AdminAccess {
  readonly #logger: ProxyLog;
  #token = newToken();
  /** Whether {@link #token} was announced in the log. */
  #isAnnounced = false;
  /** Files for ports that the system has chosen: no later start would find them. */
  readonly #temporary = new Set<string>();

  constructor(logger: ProxyLog) {
    this.#logger = logger;
  }

  /** Returns the rules of a configuration. */
  rulesOf(config: Configured): AccessRules {
    const { listeners } = config;
    const allowedHosts = new Set(listeners.flatMap((each) => each.allowedHosts).map((host) => host.toLowerCase()));
    return {
      allowedHosts,
      token: this.#tokenOf(config),
      isPacOpen: listeners.some(({ pac }) => pac === true),
      hasMonitoring: listeners.some(({ mode }) => acceptsHttp(mode)),
    };
  }

  /** Returns the generated token if the pages require it. */
  generatedTokenOf(config: Configured): string | undefined {
    return this.#tokenOf(config) === this.#token ? this.#token : undefined;
  }

  /** Applies the rules of a configuration to a listener. A deleted file of the token is replaced by one with another token. */
  apply(listener: AdminListener | undefined, config: Configured): void {
    const bound = listener?.bound;
    if (bound !== undefined && this.generatedTokenOf(config) !== undefined) {
      this.#syncToken(bound.port, config.admin?.port === 0);
    }
    listener?.setAccess(this.rulesOf(config));
  }

  /** Removes the files of tokens that no later start would find. */
  removeTemporaryFiles(): void {
    for (const file of this.#temporary) rmSync(file, { force: true });
    this.#temporary.clear();
  }

  #syncToken(port: number, isTemporary: boolean): void {
    try {
      const { token, file } = readOrCreateToken(port);
      if (isTemporary) this.#temporary.add(file);
      if (token === this.#token && this.#isAnnounced) return;
      this.#token = token;
      this.#isAnnounced = true;
      this.#logger.info({ file }, 'the admin pages require a token, which is in this file');
    } catch (err) {
      const message = 'the admin pages require a token that could not be written to a file: set admin.token';
      this.#logger.error({ err }, message);
    }
  }

  #tokenOf({ admin, listeners, rejectsByDefault }: Configured): string | undefined {
    // Programs of this machine that can use the proxy without a password can see the pages without a token. They must not grant
    // themselves what the rules refuse. The addresses of systemd's sockets are not part of the configuration.
    const isOpen = listeners.every(({ host, systemd, users }) => {
      return isLoopbackAddress(host) && systemd === undefined && users === undefined;
    });
    const isPrivate = !rejectsByDefault && isOpen;
    return admin?.token ?? (isPrivate ? undefined : this.#token);
  }
}

/** The content of the file. */
const TOKEN = /^[\w-]{43}\n$/;

const MAX_SIZE = 100;

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Reads the token of an earlier start from its file, so that a restart signs no one out. If there is no valid file, it writes another
 * token to a file that only the user of this process can read.
 *
 * @param port - the port of the admin listener, which distinguishes programs of one user
 * @throws when there is no directory that other users cannot write to, or the file cannot be created
 */
export function readOrCreateToken(port: number): { readonly token: string; readonly file: string } {
  const { token: known, file } = readToken(port);
  if (known !== undefined) return { token: known, file };
  const token = newToken();
  writeTokenFile(file, token);
  return { token, file };
}

/**
 * Reads the token of an admin listener of this user.
 *
 * @returns also the file in which it is expected
 * @throws when there is no directory that other users cannot write to
 */
export function readToken(port: number): { readonly token: string | undefined; readonly file: string } {
  const file = join(tokenDirectory(), `admin-${port}.token`);
  return { token: readTokenFile(file), file };
}

/** @returns undefined if there is no token in it, or other users may have read or written the file */
function readTokenFile(file: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const found = fstatSync(fd);
    if (!found.isFile() || !isPrivate(found) || found.size > MAX_SIZE) return undefined;
    const text = readFileSync(fd, 'utf8');
    return TOKEN.test(text) ? text.trim() : undefined;
  } finally {
    closeSync(fd);
  }
}

function writeTokenFile(file: string, token: string): void {
  rmSync(file, { force: true });
  // O_EXCL: a file or link that another user has created in the meantime is neither followed nor written.
  const fd = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    fchmodSync(fd, 0o600);
    writeSync(fd, `${token}\n`);
  } finally {
    closeSync(fd);
  }
}

/**
 * Returns systemd's RUNTIME_DIRECTORY, else an own directory in that of the user's session or in that of temporary files.
 *
 * @throws when there is no directory that other users cannot write to
 */
export function tokenDirectory(): string {
  const { service, session, temporary } = tokenDirectories();
  if (service !== undefined) return service;
  if (session !== undefined) {
    try {
      return privateDirectory(session);
    } catch {
      // After `su` it belongs to another user.
    }
  }
  return privateDirectory(temporary);
}

/** Returns the directories that {@link tokenDirectory} chooses from. */
export function tokenDirectories(): Readonly<Record<'service' | 'session', string | undefined>> & {
  readonly temporary: string;
} {
  // The system's conventions are no settings of this program.
  // eslint-disable-next-line no-restricted-properties
  const { RUNTIME_DIRECTORY: service = '', XDG_RUNTIME_DIR: session = '' } = process.env;
  return {
    service: service === '' ? undefined : service.split(':', 1)[0],
    session: session === '' ? undefined : join(session, 'proxy-client'),
    temporary: join(tmpdir(), `proxy-client-${process.getuid?.() ?? userInfo().username}`),
  };
}

/** Creates a directory that only this user can use, in one that exists; returns its path. */
function privateDirectory(directory: string): string {
  try {
    // Not recursive: on a file system that reports a directory both as missing and as existing (/proc), Node would try forever.
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const found = lstatSync(directory);
  if (!found.isDirectory() || !isPrivate(found)) throw new Error(`${directory} is not a directory of this user alone`);
  return directory;
}

/** Returns whether only the user of this process can use a file or directory. */
function isPrivate({ uid, mode }: Stats): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
}

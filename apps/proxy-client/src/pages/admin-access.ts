import { randomBytes } from 'node:crypto';
import { closeSync, constants, fchmodSync, lstatSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import type { ProxyLog } from '../failure/failure-reporter.js';
import { acceptsHttp } from '../listener/client-modes.js';
import { isLoopbackAddress } from '../rules/own-places.js';
import type { AccessRules } from './access-rules.js';
import type { AdminListener } from './admin-listener.js';

type Configured = Pick<ProxyClientConfig, 'admin' | 'listeners'>;

/**
 * Derives from the configuration who may see the admin pages, and which of them exist. Generates the admin token if one is needed and none is configured, and
 * writes it to a file (docs/adr/0084).
 */
export class AdminAccess {
  readonly #logger: ProxyLog;
  readonly #token = randomBytes(32).toString('base64url');
  /** The file of the generated token. */
  #file: string | undefined;

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

  /** Applies the rules of a configuration to a listener; writes a generated token to a file. */
  apply(listener: AdminListener | undefined, config: Configured): void {
    listener?.setAccess(this.rulesOf(config));
    const place = listener?.place;
    const token = this.generatedTokenOf(config);
    if (place === undefined || token === undefined || this.#file !== undefined) return;
    try {
      this.#file = writeTokenFile(token, place.port);
      this.#logger.info({ file: this.#file }, 'the admin pages require a token, which is in this file');
    } catch (err) {
      const message = 'the admin pages require a token that could not be written to a file: set admin.token';
      this.#logger.error({ err }, message);
    }
  }

  /** Removes the file of the token. */
  close(): void {
    if (this.#file !== undefined) rmSync(this.#file, { force: true });
  }

  #tokenOf({ admin, listeners }: Configured): string | undefined {
    // Programs of this machine that can use the proxy without a password can see the pages without a token.
    const isPrivate = listeners.every(({ host, users }) => isLoopbackAddress(host) && users === undefined);
    return admin?.token ?? (isPrivate ? undefined : this.#token);
  }
}

/**
 * Writes the token to a file that only the user of this process can read.
 *
 * @param port - the port of the admin listener, which distinguishes programs of one user
 * @returns the path of the file
 * @throws when there is no directory that other users cannot write to, or the file cannot be created
 */
export function writeTokenFile(token: string, port: number): string {
  const file = join(tokenDirectory(), `admin-${port}.token`);
  rmSync(file, { force: true });
  // O_EXCL: a file or link that another user has created in the meantime is neither followed nor written.
  const fd = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    fchmodSync(fd, 0o600);
    writeSync(fd, `${token}\n`);
  } finally {
    closeSync(fd);
  }
  return file;
}

/** Returns systemd's RUNTIME_DIRECTORY, else an own directory in that of the user's session or in that of temporary files. */
function tokenDirectory(): string {
  // The system's conventions are no settings of this program.
  // eslint-disable-next-line no-restricted-properties
  const { RUNTIME_DIRECTORY: service, XDG_RUNTIME_DIR: session } = process.env;
  if (service !== undefined && service !== '') return service.split(':', 1)[0] ?? service;
  if (session !== undefined && session !== '') {
    try {
      return privateDirectory(join(session, 'proxy-client'));
    } catch {
      // After `su` it belongs to another user.
    }
  }
  return privateDirectory(join(tmpdir(), `proxy-client-${process.getuid?.() ?? userInfo().username}`));
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
  const isOurs = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
  if (!found.isDirectory() || !isOurs) throw new Error(`${directory} is not a directory of this user alone`);
  return directory;
}

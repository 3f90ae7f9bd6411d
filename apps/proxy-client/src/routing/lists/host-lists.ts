import { open, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { ConfigError, FaultList } from '../../config/config-faults.js';
import { unreadable } from '../../config/text-files.js';
import type { ProxyLog } from '../../failure/failure-reporter.js';
import { asGetError, GetError, getThrough } from '../../upstream/http-get.js';
import type { Upstream } from '../../upstream/upstream.js';
import { HostList, type ListContent } from '../rules/host-list.js';
import type { FileSource } from '../rules/loaded-file.js';
import { type AnyFile, type FilesConfig, filesOf } from './files-of.js';
import { readPacScript } from './pac-reader.js';
import { ListCopies, type Validators } from './list-copies.js';
import { ListError, MAX_LIST_BYTES, readList } from './list-reader.js';

/** The time for a list to be loaded from its server. */
const LOAD_TIMEOUT_MS = 120_000;
/** A list that could not be loaded is requested again after this time, or its interval if that is shorter. */
const RETRY_MS = 300_000;
/** The random part of an interval, so that servers do not receive the requests of all proxies at once. */
const JITTER = 0.1;

/** The dependencies of {@link HostLists}. */
export interface HostListsParts {
  readonly logger: ProxyLog;
  /** The directory for copies of lists; absent: there is none. */
  readonly copies?: string | undefined;
  /** Instead of the built-in limit, in milliseconds. */
  readonly timeout?: number | undefined;
}

/** Returns an upstream of the configuration by its name; undefined: the first one. */
export type FindUpstream = (name: string | undefined) => Upstream;

type UrlSource = Extract<FileSource, { url: string }>;
/** Loads the lists and PAC scripts of a configuration, those with a URL periodically. Other files are watched with the configuration file. */
export class HostLists {
  readonly #parts: HostListsParts;
  readonly #copies: ListCopies | undefined;
  #lists: readonly AnyFile[] = [];
  #findUpstream: FindUpstream | undefined;
  readonly #validators = new WeakMap<AnyFile, Validators>();
  readonly #timers = new Map<AnyFile, NodeJS.Timeout>();
  readonly #closing = new AbortController();

  constructor(parts: HostListsParts) {
    this.#parts = parts;
    this.#copies = parts.copies === undefined ? undefined : new ListCopies(parts.copies);
  }

  /** The lists of the present configuration. */
  get lists(): readonly AnyFile[] {
    return this.#lists;
  }

  /**
   * Loads the lists of a configuration. Those that the present one has too are not loaded again.
   *
   * @param findUpstream - for lists with a URL and without a copy
   * @throws {@link ConfigError} with the lists that cannot be loaded
   */
  async load(config: FilesConfig, findUpstream: FindUpstream): Promise<void> {
    await this.#loadAll(config, async (list) => this.#load(list, findUpstream));
  }

  /** @param load - returns why a list cannot be loaded */
  async #loadAll(config: FilesConfig, load: (list: AnyFile) => Promise<string | undefined>): Promise<void> {
    const faults = new FaultList();
    await Promise.all(
      groupsOf(config).map(async ([list, ...others]) => {
        const problem = await load(list);
        const { source, key } = list.config.setBy;
        if (problem !== undefined) faults.at(source, key).report(problem);
        else for (const other of others) adopt(other, list);
      }),
    );
    if (faults.faults.length > 0) throw new ConfigError(faults.faults);
  }

  /**
   * Loads what needs no connection: files, and the copies of lists with a URL.
   *
   * @throws {@link ConfigError} with the files that cannot be loaded
   */
  async loadLocal(config: FilesConfig): Promise<void> {
    await this.#loadAll(config, async (list) => {
      const { source } = list.config;
      if ('file' in source) return this.#loadFile(list, source.file);
      await this.#loadCopy(list, source);
      return undefined;
    });
  }

  /** Uses the lists of a configuration that was loaded, and starts to refresh them. */
  use(config: FilesConfig, findUpstream: FindUpstream): void {
    this.#stopTimers();
    this.#lists = filesOf(config);
    this.#findUpstream = findUpstream;
    for (const [list] of groupsOf(config)) {
      if ('url' in list.config.source) this.#schedule(list, list.config.source);
    }
  }

  /** Stops for good. */
  close(): void {
    this.#closing.abort();
    this.#stopTimers();
  }

  /** @returns why it cannot be loaded; undefined if it was */
  async #load(list: AnyFile, findUpstream: FindUpstream): Promise<string | undefined> {
    const known = this.#lists.find((each) => isSame(each, list));
    if (known?.content !== undefined) {
      adopt(list, known);
      this.#validators.set(list, this.#validators.get(known) ?? {});
      return undefined;
    }
    const { source } = list.config;
    if ('file' in source) return this.#loadFile(list, source.file);
    if (await this.#loadCopy(list, source)) return undefined;
    try {
      await this.#download(list, source, findUpstream);
      return undefined;
    } catch (error) {
      const reason = reasonOf(error);
      return `${list.config.name} cannot be loaded, and there is no copy of it: ${reason.replace(/\.$/, '')}. To start without it, remove it from the configuration`;
    }
  }

  async #loadFile(list: AnyFile, path: string): Promise<string | undefined> {
    try {
      await accept(list, chunksOf(path), new Date());
      this.#report(list);
      return undefined;
    } catch (error) {
      return `${list.config.name} ${reasonOf(error)}`;
    }
  }

  async #loadCopy(list: AnyFile, { url }: UrlSource): Promise<boolean> {
    const copy = await this.#copies?.read(url);
    if (copy === undefined) return false;
    try {
      await accept(list, copy.bytes, copy.checkedAt);
    } catch (error) {
      this.#parts.logger.warn({ list: list.config.name, reason: reasonOf(error) }, 'the copy of a list is not usable');
      return false;
    }
    this.#validators.set(list, copy);
    this.#report(list);
    return true;
  }

  async #download(list: AnyFile, source: UrlSource, findUpstream: FindUpstream): Promise<void> {
    const { timeout = LOAD_TIMEOUT_MS } = this.#parts;
    const signal = AbortSignal.any([AbortSignal.timeout(timeout), this.#closing.signal]);
    const known = list.content === undefined ? undefined : this.#validators.get(list);
    const response = await getThrough(findUpstream(source.via), source.url, conditionsOf(known), signal);
    try {
      await this.#receive(list, source, response);
    } catch (error) {
      throw asGetError(error, signal);
    } finally {
      response.destroy();
    }
  }

  async #receive(list: AnyFile, { url }: UrlSource, response: IncomingMessage): Promise<void> {
    const at = new Date();
    if (response.statusCode === 304) {
      if (list.content === undefined)
        throw new GetError('the server answered HTTP 304 to a request without a condition');
      list.confirm(at);
      await this.#copies?.confirm(url, at);
      return;
    }
    const validators = { etag: response.headers.etag, lastModified: response.headers['last-modified'] };
    const copy = await this.#copies?.begin(url, validators, (err) => {
      this.#parts.logger.warn({ err }, 'no copy of a list can be stored: the next start needs its server');
    });
    const bytes = limited(response);
    try {
      await accept(list, copy?.through(bytes) ?? bytes, at, async () => copy?.finish());
    } finally {
      await copy?.discard();
    }
    this.#validators.set(list, validators);
    this.#report(list);
  }

  #schedule(list: AnyFile, source: UrlSource): void {
    const age = Date.now() - (list.checkedAt?.getTime() ?? 0);
    const pause = list.lastError === undefined ? Math.max(0, source.refresh - age) : Math.min(RETRY_MS, source.refresh);
    const jitter = 1 + JITTER * (2 * Math.random() - 1);
    this.#timers.set(list, setTimeout(() => void this.#refresh(list, source), pause * jitter).unref());
  }

  async #refresh(list: AnyFile, source: UrlSource): Promise<void> {
    const findUpstream = this.#findUpstream;
    if (findUpstream === undefined) return;
    const { logger } = this.#parts;
    const { name } = list.config;
    try {
      await this.#download(list, source, findUpstream);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      const reason = reasonOf(error);
      list.fail(reason);
      logger.warn(
        { list: name, reason, age: ageOf(list) },
        'a list could not be loaded again: its previous content is used',
      );
    }
    for (const other of this.#lists) if (other !== list && isSame(other, list)) adopt(other, list);
    // A reload may have replaced the list in the meantime.
    if (this.#lists.includes(list) && !this.#closing.signal.aborted) this.#schedule(list, source);
  }

  #report(list: AnyFile): void {
    if (list instanceof HostList && list.content !== undefined) {
      this.#parts.logger.info({ list: list.config.name }, `list loaded: ${describeContent(list.content)}`);
    } else this.#parts.logger.info({ script: list.config.name }, 'PAC script loaded');
  }

  #stopTimers(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}

/** Returns the conditions of a request for what a client has already (RFC 9110, section 13.1). */
function conditionsOf({ etag, lastModified }: Validators = {}): Readonly<Record<string, string>> {
  if (etag !== undefined) return { 'If-None-Match': etag };
  return lastModified === undefined ? {} : { 'If-Modified-Since': lastModified };
}

/** Describes how a list was read. */
export function describeContent({ format, used, unused, firstUnused }: ListContent): string {
  const first = firstUnused === undefined ? '' : `, first unused: line ${firstUnused}`;
  return `${used} of ${used + unused} lines used as ${format}${first}`;
}

/**
 * Reads a file and replaces its content, if it is usable.
 *
 * @param before - is called when the content is complete
 */
async function accept(
  file: AnyFile,
  bytes: AsyncIterable<Buffer>,
  at: Date,
  before: () => Promise<void> = async () => Promise.resolve(),
): Promise<void> {
  if (file instanceof HostList) {
    const content = await readList(bytes, file.config.format);
    await before();
    file.use(content, at);
  } else {
    const script = await readPacScript(bytes);
    await before();
    file.use(script, at);
  }
}

function isSame(one: AnyFile, other: AnyFile): boolean {
  return one.constructor === other.constructor && one.identity === other.identity;
}

/** Returns the files of a configuration; those that several rules refer to, which are loaded once, are in one group. */
function groupsOf(config: FilesConfig): readonly (readonly [AnyFile, ...AnyFile[]])[] {
  const groups: [AnyFile, ...AnyFile[]][] = [];
  for (const file of filesOf(config)) {
    const group = groups.find(([first]) => isSame(first, file));
    if (group === undefined) groups.push([file]);
    else group.push(file);
  }
  return groups;
}

/** Files with the same identity are of the same kind. */
function adopt(file: AnyFile, known: AnyFile): void {
  if (file instanceof HostList && known instanceof HostList) file.adopt(known);
  if (!(file instanceof HostList) && !(known instanceof HostList)) file.adopt(known);
}

/** Seconds since the content was known to be current. */
function ageOf({ checkedAt }: AnyFile): number | undefined {
  return checkedAt && Math.round((Date.now() - checkedAt.getTime()) / 1000);
}

async function* limited(bytes: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  let total = 0;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    total += chunk.length;
    if (total > MAX_LIST_BYTES) throw new ListError('is larger than 64 MiB');
    yield chunk;
  }
}

const READ_BYTES = 262_144;

/** Reads a file; devices and pipes may never end. */
async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  if (!(await stat(path)).isFile()) throw new ListError('is not a file');
  const file = await open(path, 'r');
  try {
    // The same memory for each chunk: a list may be large.
    const buffer = Buffer.alloc(READ_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ListError || error instanceof GetError) return error.message;
  return unreadable(error as NodeJS.ErrnoException);
}

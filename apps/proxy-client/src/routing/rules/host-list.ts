import type { IpAddress, Networks } from './addresses.js';
import type { ListFormat } from './list-formats.js';
import type { NameSet } from './name-set.js';

/** A list as it was read. */
export interface ListContent {
  readonly format: ListFormat;
  readonly names: NameSet;
  readonly exceptions: NameSet;
  readonly networks: Networks;
  /** The number of lines with an entry. */
  readonly used: number;
  /** The number of lines with content that is no entry. */
  readonly unused: number;
  /** The number of the first of them. */
  readonly firstUnused: number | undefined;
}

/** Where a list is: a file, or a URL that is loaded again periodically. */
export type ListSource =
  | { readonly file: string; readonly mark: string }
  | {
      readonly url: string;
      /** Milliseconds. */
      readonly refresh: number;
      /** The upstream through which it is loaded; absent: the first one. */
      readonly via?: string | undefined;
    };

/** Its settings. */
export interface HostListConfig {
  readonly source: ListSource;
  /** Absent: recognized. */
  readonly format?: ListFormat | undefined;
  /** The name for logs, metrics and pages: the path as written, or the URL without its query. */
  readonly name: string;
  /** The key in the configuration, for faults. */
  readonly setBy: { readonly source: string; readonly key: string };
}

/** A list that a rule refers to. Its content is replaced as a whole, so that no request sees a part of it. */
export class HostList {
  readonly config: HostListConfig;
  #content: ListContent | undefined;
  #checkedAt: Date | undefined;
  #lastError: { readonly at: Date; readonly message: string } | undefined;
  #failures = 0;

  constructor(config: HostListConfig) {
    this.config = config;
  }

  /** Lists with the same identity have the same content. */
  get identity(): string {
    const { source, format = 'auto' } = this.config;
    return JSON.stringify([source, format]);
  }

  get content(): ListContent | undefined {
    return this.#content;
  }

  /** When the content was last known to be current: read, or confirmed by its server. */
  get checkedAt(): Date | undefined {
    return this.#checkedAt;
  }

  /** The last attempt to load it, if that failed. */
  get lastError(): { readonly at: Date; readonly message: string } | undefined {
    return this.#lastError;
  }

  /** The number of attempts to load it that failed. */
  get failures(): number {
    return this.#failures;
  }

  /** Replaces the content. */
  use(content: ListContent, checkedAt: Date): void {
    this.#content = content;
    this.confirm(checkedAt);
  }

  /** The content is still current. */
  confirm(checkedAt: Date): void {
    this.#checkedAt = checkedAt;
    this.#lastError = undefined;
  }

  /** The content could not be loaded: the previous one stays in use. */
  fail(message: string): void {
    this.#lastError = { at: new Date(), message };
    this.#failures += 1;
  }

  /** Continues with the state of a list with the same identity. */
  adopt(other: HostList): void {
    this.#content = other.#content;
    this.#checkedAt = other.#checkedAt;
    this.#lastError = other.#lastError;
    this.#failures = other.#failures;
  }

  /** @param name - in lower case as A-labels, without a final dot */
  has(name: string): boolean {
    if (this.#content === undefined) return false;
    const { names, exceptions } = this.#content;
    const found = names.find(name);
    return found === 'important' || (found && exceptions.find(name) === false);
  }

  hasAddress(address: IpAddress): boolean {
    return this.#content?.networks.has(address) === true;
  }
}

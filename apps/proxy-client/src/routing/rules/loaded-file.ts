/** Where a file is: on this machine, or at a URL from which it is loaded again periodically. */
export type FileSource =
  | { readonly file: string; readonly mark: string }
  | {
      readonly url: string;
      /** Milliseconds. */
      readonly refresh: number;
      /** The upstream through which it is loaded; absent: the first one. */
      readonly via?: string | undefined;
    };

/** The settings of a {@link LoadedFile}. */
export interface FileConfig {
  readonly source: FileSource;
  /** The name for logs, metrics and pages: the path as written, or the URL without its query. */
  readonly name: string;
  /** The key in the configuration, for faults. */
  readonly setBy: { readonly source: string; readonly key: string };
}

/** The state of a file in the form of GET /rules and GET /upstreams. */
export interface FileStatus {
  readonly refresh_seconds: number | null;
  readonly checked_at: string | null;
  readonly failures: number;
  readonly last_error: { readonly at: string; readonly message: string } | null;
}

/**
 * A file that the configuration refers to. It is loaded after the configuration was read; its content is replaced as a whole, so that no
 * request sees a part of it.
 */
export class LoadedFile<Content, Config extends FileConfig = FileConfig> {
  readonly config: Config;
  #content: Content | undefined;
  #checkedAt: Date | undefined;
  #lastError: { readonly at: Date; readonly message: string } | undefined;
  #failures = 0;

  constructor(config: Config) {
    this.config = config;
  }

  /** Files with the same identity have the same content. */
  get identity(): string {
    return JSON.stringify(this.config.source);
  }

  get content(): Content | undefined {
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

  get status(): FileStatus {
    const { source } = this.config;
    return {
      refresh_seconds: 'refresh' in source ? Math.round(source.refresh / 1000) : null,
      checked_at: this.#checkedAt?.toISOString() ?? null,
      failures: this.#failures,
      last_error: this.#lastError === undefined ? null : { ...this.#lastError, at: this.#lastError.at.toISOString() },
    };
  }

  /** Replaces the content. */
  use(content: Content, checkedAt: Date): void {
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

  /** Continues with the state of a file with the same identity. */
  adopt(other: this): void {
    this.#content = other.#content;
    this.#checkedAt = other.#checkedAt;
    this.#lastError = other.#lastError;
    this.#failures = other.#failures;
  }
}

/** A PAC script. */
export class PacFile extends LoadedFile<string> {}

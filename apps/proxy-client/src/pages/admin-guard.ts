import { rmSync } from 'node:fs';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import type { ProxyLog } from '../failure/failure-reporter.js';
import { isLoopbackAddress } from '../rules/own-places.js';
import type { AdminListener } from './admin-listener.js';
import { makeToken, writeTokenFile } from './admin-token.js';
import type { PageGuard } from './proxy-view.js';

type Guarded = Pick<ProxyClientConfig, 'admin' | 'listeners'>;

/** Who may see what on the admin listener, by the configuration of the moment; it has the token, where none is set (docs/adr/0084). */
export class AdminGuard {
  readonly #logger: ProxyLog;
  readonly #token = makeToken();
  /** Where that one can be read. */
  #file: string | undefined;

  constructor(logger: ProxyLog) {
    this.#logger = logger;
  }

  /** What the pages are to ask for. */
  of(config: Guarded): PageGuard {
    const { listeners } = config;
    const allowedHosts = new Set(listeners.flatMap((each) => each.allowedHosts).map((host) => host.toLowerCase()));
    return { allowedHosts, token: this.#tokenOf(config), isPacOpen: listeners.some(({ pac }) => pac === true) };
  }

  /** The token that was made here, where it is the one that the pages ask for. */
  madeTokenOf(config: Guarded): string | undefined {
    return this.#tokenOf(config) === this.#token ? this.#token : undefined;
  }

  /** Has the pages of a listener ask for what this configuration wants; a token that was made here is put into a file. */
  guard(listener: AdminListener | undefined, config: Guarded): void {
    listener?.guard(this.of(config));
    const place = listener?.place;
    const token = this.madeTokenOf(config);
    if (place === undefined || token === undefined || this.#file !== undefined) return;
    try {
      this.#file = writeTokenFile(token, place.port);
      this.#logger.info({ file: this.#file }, 'the admin pages ask for a token, which is in this file');
    } catch (err) {
      const message = 'the admin pages ask for a token that could not be written to a file: set admin.token';
      this.#logger.error({ err }, message);
    }
  }

  /** The program ends: the file goes with the token. */
  close(): void {
    if (this.#file !== undefined) rmSync(this.#file, { force: true });
  }

  #tokenOf({ admin, listeners }: Guarded): string | undefined {
    return admin?.token ?? (isPrivate(listeners) ? undefined : this.#token);
  }
}

/** Whether only programs of this machine, which nobody asks for a password, reach the proxy: then the admin pages ask for none. */
function isPrivate(listeners: Guarded['listeners']): boolean {
  return listeners.every(({ host, users }) => isLoopbackAddress(host) && users === undefined);
}

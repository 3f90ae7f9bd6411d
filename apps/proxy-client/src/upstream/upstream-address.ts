import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { SystemLookup } from '#socks5-protocol';

const LIFETIME_MS = 30_000;

/**
 * The addresses of an upstream that is given by name: resolved once in a while instead of for every connection, the one
 * that answered last first. An upstream given by address needs none of it.
 */
export class UpstreamAddress {
  readonly host: string;
  readonly port: number;
  readonly #lookup: SystemLookup;
  readonly #literal: boolean;
  #known: LookupAddress[] | undefined;
  #expires = 0;
  #waiting: ((error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void)[] = [];

  constructor(host: string, port: number, resolve: SystemLookup = lookup) {
    this.host = host;
    this.port = port;
    this.#lookup = resolve;
    this.#literal = isIP(host) !== 0;
  }

  /** Whether it has to be resolved. */
  get isName(): boolean {
    return !this.#literal;
  }

  /** Part of the options of net.connect, which tries the addresses in turn (RFC 8305). */
  get options(): { readonly host: string; readonly port: number; readonly lookup?: LookupFunction } {
    const { host, port } = this;
    return this.#literal ? { host, port } : { host, port, lookup: this.#resolve };
  }

  /** A connection stands: its address is tried first from now on. */
  connected(socket: Socket): void {
    if (this.#known !== undefined && this.#known.length > 1) {
      const { remoteAddress } = socket;
      this.#known.sort((a, b) => Number(b.address === remoteAddress) - Number(a.address === remoteAddress));
    }
  }

  /** No address answered: the name is resolved anew next time. */
  failed(): void {
    this.#known = undefined;
  }

  readonly #resolve: LookupFunction = (_hostname, options, callback) => {
    const answer = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]): void => {
      const [first] = addresses;
      if (error !== null || first === undefined) {
        callback(error ?? new Error(`The name ${this.host} has no address.`), []);
      } else if (options.all === true) {
        callback(null, [...addresses]);
      } else {
        callback(null, first.address, first.family);
      }
    };
    if (this.#known !== undefined && performance.now() < this.#expires) {
      const known = this.#known;
      queueMicrotask(() => {
        answer(null, known);
      });
      return;
    }
    this.#waiting.push(answer);
    if (this.#waiting.length === 1) {
      this.#ask();
    }
  };

  #ask(): void {
    this.#lookup(this.host, { all: true }, (error, addresses) => {
      if (error === null) {
        this.#known = [...addresses];
        this.#expires = performance.now() + LIFETIME_MS;
      }
      for (const answer of this.#waiting.splice(0)) {
        answer(error, addresses);
      }
    });
  }
}

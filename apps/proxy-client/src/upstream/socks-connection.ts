import type { Socket } from 'node:net';
import type { ByteSource, SocketReader } from '../relay/byte-source.js';
import type { UpstreamConnection } from './upstream.js';

/** An open tunnel through a SOCKS5 server. */
export class SocksConnection implements UpstreamConnection {
  readonly rest: Buffer;
  readonly #source: ByteSource;

  constructor(source: ByteSource, rest: Buffer) {
    this.#source = source;
    this.rest = rest;
  }

  get socket(): Socket {
    return this.#source.socket;
  }

  get drained(): boolean {
    return this.#source.drained;
  }

  start(reader: SocketReader): void {
    this.#source.start(reader);
  }

  resume(): void {
    this.#source.resume();
  }

  trim(): void {
    this.#source.trim?.();
  }

  free(): void {
    this.#source.free?.();
  }
}

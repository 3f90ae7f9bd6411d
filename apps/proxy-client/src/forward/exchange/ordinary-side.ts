import type { Socket } from 'node:net';
import { writeFailure } from '../../failure/answer-failure.js';
import type { ProxyFailure } from '../../failure/proxy-failure.js';
import type { OrdinaryClient } from '../../listener/proxy-handlers.js';
import type { ClientSide } from './client-side.js';

/** A request that was read past node:http: it has no body, and was whole when it was handed over. */
export class OrdinarySide implements ClientSide {
  readonly socket: Socket;
  readonly requestComplete = true;
  readonly #client: OrdinaryClient;
  readonly #method: string;

  constructor(client: OrdinaryClient, method: string) {
    this.socket = client.socket;
    this.#client = client;
    this.#method = method;
  }

  get mayGoOn(): boolean {
    return this.#client.mayGoOn;
  }

  finish(keepAlive: boolean): void {
    if (keepAlive && this.#client.mayGoOn) this.#client.answered();
    else this.socket.destroySoon();
  }

  fail(failure: ProxyFailure): void {
    const keepAlive = this.#client.mayGoOn && !failure.row.closes;
    writeFailure(this.socket, failure, { keepAlive, withBody: this.#method !== 'HEAD' });
    this.finish(keepAlive);
  }
}

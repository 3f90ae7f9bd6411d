import type { Socket } from 'node:net';

/** Requests that may wait on one connection behind the one that is being served; those of the same read come on top. */
const MAX_QUEUED = 64;

/**
 * Keeps clients from filling the memory with pipelined requests: node:http reads on as long as the answers it knows of are
 * small, and it does not know of those that we write ourselves.
 */
export class Pipelines {
  readonly #queued = new WeakMap<Socket, number>();

  /** A request has to wait for its turn. */
  queue(socket: Socket): void {
    const queued = (this.#queued.get(socket) ?? 0) + 1;
    this.#queued.set(socket, queued);
    if (queued < MAX_QUEUED) return;
    // Later: each request that node:http parses from this read resumes the socket.
    setImmediate(() => {
      if ((this.#queued.get(socket) ?? 0) > 0) socket.pause();
    });
  }

  /** It has got its turn. */
  unqueue(socket: Socket): void {
    const queued = (this.#queued.get(socket) ?? 1) - 1;
    this.#queued.set(socket, queued);
    if (queued === 0 && socket.isPaused()) socket.resume();
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../free-port.js';

const SCRIPT = join(import.meta.dirname, 'socks-server.mjs');

/** A SOCKS5 server in its own process that is killed and comes back on the same port. */
export class MortalUpstream implements AsyncDisposable {
  readonly port: number;
  #process: ChildProcess | undefined;

  private constructor(port: number) {
    this.port = port;
  }

  static async start(): Promise<MortalUpstream> {
    const upstream = new MortalUpstream(await freePort());
    await upstream.revive();
    return upstream;
  }

  /** Starts it, and resolves when it listens. */
  async revive(): Promise<void> {
    const child = spawn(process.execPath, [SCRIPT, String(this.port)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    this.#process = child;
  }

  /** Ends it without a word (SIGKILL), and resolves when it is gone. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

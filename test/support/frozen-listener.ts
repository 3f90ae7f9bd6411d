import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const LISTEN = `require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {
  process.stdout.write(String(this.address().port));
});`;
/** More than the kernel completes for a listener of this backlog. */
const QUEUE = 4;

/**
 * A listener whose program is frozen (SIGSTOP) and whose queue is full: like a host that is gone, it answers no further
 * attempt to connect.
 */
export class FrozenListener implements AsyncDisposable {
  readonly port: number;
  readonly #process: ChildProcess;
  readonly #queued: readonly Socket[];

  private constructor(port: number, process: ChildProcess) {
    this.port = port;
    this.#process = process;
    this.#queued = Array.from({ length: QUEUE }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  }

  static async start(): Promise<FrozenListener> {
    const child = spawn(process.execPath, ['-e', LISTEN], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    child.kill('SIGSTOP');
    const frozen = new FrozenListener(Number(port), child);
    await once(frozen.#queued[0]!, 'connect');
    return frozen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#queued) socket.destroy();
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }
}

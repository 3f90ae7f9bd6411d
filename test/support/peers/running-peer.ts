import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A proxy of somebody else's, running on the loopback. */
export interface ProxyPeer extends AsyncDisposable {
  readonly port: number;
}

export interface ProxyPeerKind {
  readonly name: string;
  /** What is missing on this machine to run it. */
  readonly missing?: string | undefined;
  start(): Promise<ProxyPeer>;
}

export const CREDENTIALS = { username: 'peer-user', password: 'peer-Passw0rd' };

/** Resolves when something accepts connections on the port; fails when the process has ended before. */
async function accepting(port: number, child: ChildProcess, output: () => string): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const accepted = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => {
        resolve(true);
      });
      socket.once('error', () => {
        setTimeout(() => {
          resolve(false);
        }, 20);
      });
    });
    socket.destroy();
    if (accepted) return;
  }
  throw new Error(`The server ended before it listened: ${output()}`);
}

/** The processes of a peer, and its own directory. */
export class RunningPeer implements ProxyPeer {
  readonly port: number;
  readonly #children: ChildProcess[] = [];
  readonly directory = mkdtempSync(join(tmpdir(), 'proxy-peer-'));
  #output = '';

  constructor(port: number) {
    this.port = port;
  }

  async run(file: string, args: readonly string[], port = this.port): Promise<this> {
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#children.push(child);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => (this.#output += text.toString()));
    await accepting(port, child, () => this.#output);
    return this;
  }

  write(name: string, text: string, mode = 0o600): string {
    const file = join(this.directory, name);
    writeFileSync(file, text, { mode });
    return file;
  }

  /** Lets other users read the files of the directory. */
  openDirectory(): void {
    chmodSync(this.directory, 0o755);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children.reverse()) {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        const timer = setTimeout(() => child.kill('SIGKILL'), 2000);
        await ended;
        clearTimeout(timer);
      }
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Returns what is missing on this machine, if the program is. */
export function absent(program: string | undefined, name: string, variable: string): string | undefined {
  return program === undefined ? `${name} is neither on PATH nor named by ${variable}` : undefined;
}

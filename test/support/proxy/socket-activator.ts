import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type ListenOptions, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MAIN = 'apps/proxy-client/bundle/lib/proxy-client.js';
/** Starts the program for each line that it reads, in the process that LISTEN_PID names. */
const ACTIVATOR = `while read -r _; do sh -c 'LISTEN_PID=$$ exec "$@"' sh "$@"; done`;
const ONCE = `LISTEN_PID=$$ exec "$@"`;
const READY = '"msg":"proxy-client is ready on ';

/** A socket that the program gets, with its name. */
export interface ActivatedAddress {
  readonly name: string;
  readonly at: ListenOptions;
}

/** Keeps listening sockets open and starts proxy-client with them, as systemd does. */
export class SocketActivator implements AsyncDisposable {
  readonly directory: string;
  readonly #child: ChildProcess;
  /** The ports of the sockets; 0 for Unix sockets. */
  readonly ports: readonly number[];
  stdout = '';
  #started = 0;

  private constructor(child: ChildProcess, directory: string, ports: readonly number[]) {
    this.#child = child;
    this.directory = directory;
    this.ports = ports;
    child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
  }

  /** @param config - the configuration file */
  static async open(config: object, addresses: readonly ActivatedAddress[]): Promise<SocketActivator> {
    const directory = mkdtempSync(join(tmpdir(), 'activator-'));
    writeFileSync(join(directory, 'config.yaml'), JSON.stringify(config));
    const servers: Server[] = [];
    for (const { at } of addresses) {
      const server = createServer().listen(at);
      await once(server, 'listening');
      servers.push(server);
    }
    const args = [
      '-c',
      ACTIVATOR,
      'sh',
      process.execPath,
      join(process.cwd(), 'dist', MAIN),
      '--config',
      'config.yaml',
    ];
    const child = spawn('/bin/sh', args, {
      cwd: directory,
      env: {
        PATH: process.env['PATH'],
        LISTEN_FDS: String(addresses.length),
        LISTEN_FDNAMES: addresses.map(({ name }) => name).join(':'),
      },
      stdio: ['pipe', 'pipe', 'inherit', ...servers.map(descriptorOf)],
    });
    const ports = servers.map((server) => (server.address() as Partial<AddressInfo>).port ?? 0);
    // From here on only the activator and the program have the sockets: this process must not accept connections.
    for (const server of servers) server.close();
    return new SocketActivator(child, directory, ports);
  }

  /**
   * Starts the program once, with a client that has connected to the first socket, and waits until it exits.
   *
   * @returns its exit code and what it wrote to standard error
   */
  static async refused(config: object, { name, at }: ActivatedAddress): Promise<readonly [number | null, string]> {
    const directory = mkdtempSync(join(tmpdir(), 'activator-'));
    writeFileSync(join(directory, 'config.yaml'), JSON.stringify(config));
    const server = createServer().listen(at);
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    await once(client, 'connect');
    const main = join(process.cwd(), 'dist', MAIN);
    const child = spawn('/bin/sh', ['-c', ONCE, 'sh', process.execPath, main, '--config', 'config.yaml'], {
      cwd: directory,
      env: { PATH: process.env['PATH'], LISTEN_FDS: '1', LISTEN_FDNAMES: name },
      stdio: ['ignore', 'ignore', 'pipe', descriptorOf(server)],
    });
    let stderr = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    await once(child, 'close');
    client.destroy();
    server.close();
    rmSync(directory, { recursive: true, force: true });
    return [child.exitCode, stderr];
  }

  /** Starts the program, or requests that it is started again when it exits. */
  start(): void {
    this.#started += 1;
    this.#child.stdin!.write('\n');
  }

  /** The lines of the program's log. */
  get lines(): readonly Readonly<Record<string, unknown>>[] {
    const complete = this.stdout.split('\n').slice(0, -1);
    return complete.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Waits until the program that was started last is ready; returns its process id. */
  async ready(): Promise<number> {
    while (this.stdout.split(READY).length <= this.#started) await once(this.#child.stdout!, 'data');
    return Number(this.lines.findLast(({ msg }) => String(msg).startsWith('proxy-client is ready'))?.['pid']);
  }

  /** Restarts the program: the next one starts as soon as it has exited. */
  async restart(): Promise<void> {
    const pid = await this.ready();
    this.start();
    process.kill(pid, 'SIGTERM');
    await this.ready();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const pid = await this.ready();
    const closed = once(this.#child, 'close');
    this.#child.stdin!.end();
    process.kill(pid, 'SIGKILL');
    await closed;
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function descriptorOf(server: Server): number {
  return (server as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
}

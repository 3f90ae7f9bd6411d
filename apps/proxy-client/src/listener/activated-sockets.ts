import { readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { PassedSocket, SystemdSockets } from '../config/systemd-sockets.js';
import { Endpoint, type Accept } from './endpoint.js';
import { ListenError } from './listen-error.js';

/**
 * The listening sockets that systemd has passed (socket activation). They stay open until the program exits: systemd does not
 * pass them again when a reload uses them again.
 */
export class ActivatedSockets {
  readonly #passed: SystemdSockets;
  readonly #opened = new Map<string, readonly ActivatedSocket[]>();

  constructor(passed: SystemdSockets) {
    this.#passed = passed;
  }

  /** The names of the sockets that no listener uses. */
  get unused(): readonly string[] {
    return [...this.#passed.keys()].filter((name) => this.#opened.get(name)?.[0]?.accept === undefined);
  }

  /**
   * Returns the sockets of a name as those of a listener.
   *
   * @param settings - the settings that contain the name, for the message
   * @throws {@link ListenError}
   */
  async open(name: string, settings: string, accept: Accept): Promise<readonly Endpoint[]> {
    const sockets = this.#opened.get(name) ?? (await this.#listen(name, settings));
    this.#opened.set(name, sockets);
    for (const socket of sockets) socket.accept = accept;
    return sockets;
  }

  /** Stops accepting, at the end of the program. Connections that were not accepted wait for the next program. */
  close(): void {
    for (const socket of [...this.#opened.values()].flat()) socket.release();
  }

  async #listen(name: string, settings: string): Promise<readonly ActivatedSocket[]> {
    const descriptors = this.#passed.get(name);
    if (descriptors === undefined) throw new ListenError({ systemd: name }, settings, { code: 'ENOENT' }, this.#hint);
    const sockets = descriptors.map((passed) => ({ passed, socket: new ActivatedSocket() }));
    try {
      for (const { passed, socket } of sockets) await socket.open(passed, name);
    } catch (error) {
      throw new ListenError({ systemd: name }, settings, error, 'it is not a socket that accepts stream connections');
    }
    return sockets.map(({ socket }) => socket);
  }

  get #hint(): string {
    if (this.#passed.size === 0) return 'systemd has passed no sockets to this process: start its socket unit instead';
    return `systemd has passed only ${[...this.#passed.keys()].join(', ')} (FileDescriptorName)`;
  }
}

/** A socket of systemd. Without a listener it closes the connections that it accepts. */
class ActivatedSocket extends Endpoint {
  accept: Accept | undefined;
  #path: string | undefined;

  constructor() {
    super((socket: Socket) => {
      if (this.accept === undefined) socket.destroy();
      else this.accept(socket, this);
    });
  }

  override get path(): string | undefined {
    return this.#path;
  }

  /** Listens on a socket that was passed under a name. */
  async open(passed: PassedSocket, name: string): Promise<void> {
    await this.listen(typeof passed === 'number' ? { fd: passed } : passed);
    if (this.bound === undefined && typeof passed === 'number') this.#path = readPath(passed) ?? `systemd/${name}`;
  }

  /** Detaches the listener. */
  override close(): void {
    this.accept = undefined;
  }

  /** Closes the descriptor of this process. */
  release(): void {
    super.close();
  }
}

/** A line of /proc/net/unix (proc_pid_net(5)): the inode is the seventh column, the path the last one. */
const UNIX_SOCKET = /^(?:\S+ +){6}(?<inode>\d+) (?<path>.+)$/gm;

/**
 * Returns the path of a Unix socket that was passed as a descriptor, which Node does not report; undefined if the system does
 * not list it, as for a socket of another network namespace.
 */
function readPath(fd: number): string | undefined {
  try {
    const link = readlinkSync(`/proc/self/fd/${fd}`);
    const sockets = [...readFileSync('/proc/net/unix', 'utf8').matchAll(UNIX_SOCKET)];
    return sockets.find(({ groups }) => link === `socket:[${groups?.['inode']}]`)?.groups?.['path'];
  } catch {
    return undefined;
  }
}

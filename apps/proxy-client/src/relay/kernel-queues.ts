import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];

/** `local-remote`, the two ports: enough to tell the sockets of one process apart. */
function keyOf(localPort: number | undefined, remotePort: number | undefined): string {
  return `${String(localPort)}-${String(remotePort)}`;
}

function portOf(address: string | undefined): number {
  return parseInt(address?.slice(address.indexOf(':') + 1) ?? '', 16);
}

/** Reads the lines of /proc/net/tcp: `sl local_address rem_address st tx_queue:rx_queue …`, numbers in hex. */
function readLines(text: string, into: Map<string, number>): void {
  for (const line of text.split('\n').slice(1)) {
    const [, local, remote, , queues] = line.trim().split(/\s+/, 5);
    if (queues !== undefined) {
      into.set(keyOf(portOf(local), portOf(remote)), parseInt(queues, 16));
    }
  }
}

/** How many bytes the kernel still holds for each peer: sent or waiting, and not acknowledged. */
export class KernelQueues {
  readonly #bytes: ReadonlyMap<string, number>;

  private constructor(bytes: ReadonlyMap<string, number>) {
    this.#bytes = bytes;
  }

  /**
   * Looks at all sockets of this machine; it costs a system call for each of them, so it is for doubtful cases.
   *
   * @returns undefined where the kernel does not tell (anything but Linux)
   */
  static async look(): Promise<KernelQueues | undefined> {
    const bytes = new Map<string, number>();
    try {
      for (const table of TABLES) {
        readLines(await readFile(table, 'latin1'), bytes);
      }
    } catch {
      return bytes.size === 0 ? undefined : new KernelQueues(bytes);
    }
    return new KernelQueues(bytes);
  }

  /** The bytes held for the peer of this socket; undefined when it is not in the table. */
  heldFor(socket: Socket): number | undefined {
    return this.#bytes.get(keyOf(socket.localPort, socket.remotePort));
  }
}

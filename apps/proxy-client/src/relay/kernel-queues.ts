import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
const PORT_DIGITS = 4;
/** Between the port of the peer and the bytes for it: a blank, two digits of the state, a blank. */
const STATE_LENGTH = 4;
const QUEUE_DIGITS = 8;

/**
 * Asks the kernel how many bytes it holds for the peers of these sockets: sent or waiting, and not acknowledged. It costs a
 * system call for each socket of the machine, so it is for doubtful cases.
 *
 * @returns for each of them; undefined where the kernel does not tell (anything but Linux)
 */
export async function heldByKernel(sockets: readonly Socket[]): Promise<readonly (number | undefined)[]> {
  const keys = sockets.map(keyOf);
  const held = new Map<string, number | undefined>(keys.map((key) => [key, undefined]));
  for (const table of TABLES) readTable(await readFile(table, 'latin1').catch(() => ''), held);
  return keys.map((key) => held.get(key));
}

/** Both ports, as the kernel writes them: sockets that share them are seldom, and what is held for them is added up. */
function keyOf({ localPort = 0, remotePort = 0 }: Socket): string {
  return [localPort, remotePort].map((port) => port.toString(16).toUpperCase().padStart(PORT_DIGITS, '0')).join('');
}

/** Takes what is asked for from lines of `sl: local:port remote:port st tx_queue:rx_queue …`, all numbers in hex. */
function readTable(text: string, held: Map<string, number | undefined>): void {
  for (const line of text.split('\n')) {
    const local = line.indexOf(':', line.indexOf(':') + 1) + 1;
    const remote = line.indexOf(':', local) + 1;
    const key = line.slice(local, local + PORT_DIGITS) + line.slice(remote, remote + PORT_DIGITS);
    if (!held.has(key)) continue;
    const queue = remote + PORT_DIGITS + STATE_LENGTH;
    held.set(key, (held.get(key) ?? 0) + parseInt(line.slice(queue, queue + QUEUE_DIGITS), 16));
  }
}

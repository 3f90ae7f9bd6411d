import { connect } from 'node:net';
import { LOOPBACK } from '../plan/network-ports.js';

const TIMEOUT_MS = 1000;

/** Whether a TCP connection to the port on loopback succeeds. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect({ port, host: LOOPBACK });
  try {
    return await new Promise((resolve) => {
      socket.once('connect', () => {
        resolve(true);
      });
      socket.once('error', () => {
        resolve(false);
      });
      socket.setTimeout(TIMEOUT_MS, () => {
        resolve(false);
      });
    });
  } finally {
    socket.destroy();
  }
}

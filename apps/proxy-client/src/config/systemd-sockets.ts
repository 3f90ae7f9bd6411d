import type { Server } from 'node:net';

/** The variables of socket activation, sd_listen_fds(3). */
const VARIABLES = ['LISTEN_PID', 'LISTEN_PIDFDID', 'LISTEN_FDS', 'LISTEN_FDNAMES'] as const;
const FIRST_DESCRIPTOR = 3;
/** systemd's name for a socket without one. */
const UNNAMED = 'unknown';

/** A listening socket of another process: a descriptor, or a server that was passed to this process. */
export type PassedSocket = number | Server;

/** The listening sockets that systemd has opened, by `FileDescriptorName=`, which several may share. */
export type SystemdSockets = ReadonlyMap<string, readonly PassedSocket[]>;

/**
 * Reads the sockets that systemd has passed to this process, and removes the variables, so that neither child processes nor the
 * configuration refer to them.
 *
 * @param pid - of this process: variables for another one were inherited by mistake
 */
export function takeSystemdSockets(environment: NodeJS.ProcessEnv, pid: number): SystemdSockets {
  const { LISTEN_PID, LISTEN_FDS = '', LISTEN_FDNAMES = '' } = environment;
  for (const name of VARIABLES) Reflect.deleteProperty(environment, name);
  if (LISTEN_PID !== String(pid) || !/^\d{1,4}$/.test(LISTEN_FDS)) return new Map();
  const names = LISTEN_FDNAMES.split(':').map((name) => (name === '' ? UNNAMED : name));
  const descriptors = Array.from({ length: Number(LISTEN_FDS) }, (_, index) => index + FIRST_DESCRIPTOR);
  return Map.groupBy(descriptors, (descriptor) => names[descriptor - FIRST_DESCRIPTOR] ?? UNNAMED);
}

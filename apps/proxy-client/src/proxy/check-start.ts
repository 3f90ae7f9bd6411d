import { checkRequestLog } from '../activity/request-log.js';
import type { ListenerConfig, ProxyClientConfig } from '../config/proxy-client-config.js';
import { requireKerberos } from '../kerberos/tickets.js';
import { Endpoint } from '../listener/endpoint.js';
import { ListenError } from '../listener/listen-error.js';
import { checkUnixSocket } from '../listener/unix-socket.js';

/** The address of a listener, and the settings that contain it. */
type Listening = Pick<ListenerConfig, 'host' | 'port' | 'setBy'>;

/**
 * Checks that a start can open what the configuration names: files, Unix sockets, addresses and the library of Kerberos. It writes nothing. An address that is
 * in use is no fault, because the proxy itself may be running. The sockets of systemd exist in its service only.
 *
 * @returns what the start requires in addition, for people
 * @throws {@link ConfigError} or {@link ListenError} for the first fault, as at the start
 */
export async function checkStart(config: ProxyClientConfig): Promise<readonly string[]> {
  const { listeners, admin, requestLog } = config;
  const pipe = checkRequestLog(requestLog);
  for (const listener of listeners) {
    const { socket, systemd, setBy = 'the configuration' } = listener;
    if (socket !== undefined) checkUnixSocket(socket, setBy);
    else if (systemd === undefined) await checkAddress(listener);
  }
  if (admin !== undefined) await checkAddress(admin);
  await requireKerberos(config);
  return pipe === undefined ? [] : [pipe];
}

async function checkAddress({ host, port, setBy = 'the configuration' }: Listening): Promise<void> {
  const endpoint = new Endpoint((socket) => socket.destroy());
  try {
    await endpoint.listen({ host, port });
    endpoint.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw new ListenError({ host, port }, setBy, error);
  }
}

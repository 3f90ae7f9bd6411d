import type { AddressInfo, Server } from 'node:net';
import { formatAuthority } from '../http/authority.js';

/** The limit of connections that the kernel queues until they are accepted; net.core.somaxconn limits it too. */
const BACKLOG = 4096;

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'this user may not listen on that port',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name could not be resolved',
};

/** A listener could not be opened. The message is one line that names the address and the settings to change. */
export class ListenError extends Error {
  readonly code = 'PROXY.LISTEN';
  /** The system's error code. */
  readonly reason: string;
  readonly place: { readonly host: string; readonly port: number };
  readonly #settings: string;

  /**
   * @param settings - the settings that contain the address
   * @param explanation - replaces the explanation of the system's error code
   */
  constructor(place: ListenError['place'], settings: string, cause: unknown, explanation?: string) {
    const code = (cause as { code?: unknown }).code;
    const name = typeof code === 'string' ? code : 'unknown error';
    const why = explanation ?? REASONS[name] ?? 'the system refused';
    super(`Cannot listen on ${formatAuthority(place)}: ${why} (${name}). See ${settings}.`, { cause });
    this.name = 'ListenError';
    this.reason = name;
    this.place = place;
    this.#settings = settings;
  }

  /** Returns the error for a port that this program itself uses, which a reload cannot change. */
  asOurs(): ListenError {
    const explanation =
      'this proxy uses the port for something else, and a reload opens listeners before it closes others; restart it';
    return new ListenError(this.place, this.#settings, this.cause, explanation);
  }
}

/**
 * Starts to listen.
 *
 * @param settings - the settings that contain the address, for the message
 * @throws {@link ListenError}
 */
export async function listen(
  server: Server,
  place: { readonly host: string; readonly port: number },
  settings: string,
): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      reject(new ListenError(place, settings, error));
    };
    server.once('error', fail);
    server.listen({ host: place.host, port: place.port, backlog: BACKLOG }, () => {
      server.off('error', fail);
      resolve(server.address() as AddressInfo);
    });
  });
}

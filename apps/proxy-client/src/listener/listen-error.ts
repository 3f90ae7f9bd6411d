import { formatAuthority } from '../http/authority.js';

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'this user may not listen on that port',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name could not be resolved',
};

/** Where a listener should listen: an address, the file of a Unix socket, or the name of sockets of systemd. */
export type ListenAddress =
  | { readonly host: string; readonly port: number }
  | { readonly path: string }
  | { readonly systemd: string };

/** A listener could not be opened. The message is one line that names the address and the settings to change. */
export class ListenError extends Error {
  readonly code = 'PROXY.LISTEN';
  /** The system's error code. */
  readonly reason: string;
  readonly address: ListenAddress;
  readonly #settings: string;

  /**
   * @param settings - the settings that contain the address
   * @param explanation - replaces the explanation of the system's error code
   */
  constructor(address: ListenAddress, settings: string, cause: unknown, explanation?: string) {
    const code = (cause as { code?: unknown }).code;
    const name = typeof code === 'string' ? code : 'unknown error';
    const why = explanation ?? REASONS[name] ?? 'the system refused';
    super(`Cannot listen on ${describe(address)}: ${why} (${name}). See ${settings}.`, { cause });
    this.name = 'ListenError';
    this.reason = name;
    this.address = address;
    this.#settings = settings;
  }

  /** Returns the error for an address that this program itself uses, which a reload cannot change. */
  withOwnPortExplanation(): ListenError {
    const what = 'path' in this.address ? 'the socket with another mode or owner' : 'the port for something else';
    const explanation = `this proxy uses ${what}, and a reload opens listeners before it closes others; restart it`;
    return new ListenError(this.address, this.#settings, this.cause, explanation);
  }
}

function describe(address: ListenAddress): string {
  if ('path' in address) return address.path;
  return 'systemd' in address ? `the systemd socket "${address.systemd}"` : formatAuthority(address);
}

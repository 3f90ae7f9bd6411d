const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'this user may not listen on that port',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name could not be resolved',
};

/** A listener could not be opened. The message is one line that names the place and the settings to change. */
export class ListenError extends Error {
  readonly code = 'PROXY.LISTEN';

  /** @param settings - the settings that say where to listen */
  constructor(place: { readonly host: string; readonly port: number }, settings: string, cause: unknown) {
    const code = (cause as { code?: unknown }).code;
    const name = typeof code === 'string' ? code : 'unknown error';
    super(
      `Cannot listen on ${authority(place)}: ${REASONS[name] ?? 'the system refused'} (${name}). See ${settings}.`,
      {
        cause,
      },
    );
    this.name = 'ListenError';
  }
}

/** `host:port`, an IPv6 address in brackets. */
export function authority({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

import { ConnectError, forwardPort, openTunnel, relayStandardStreams } from './inside/connect.js';
import { notify } from './proxied-command.js';

/** A target to connect to through a proxy. */
export interface ConnectCommand {
  readonly host: string;
  readonly port: number;
  readonly proxy?: string;
  readonly listen?: number;
}

/**
 * The command `connect`: connects standard input and output with a target, or serves a port of the loopback until it is ended.
 *
 * @returns the exit code; undefined while it serves
 */
export async function connectThrough({ listen, ...target }: ConnectCommand): Promise<number | undefined> {
  const { proxy = proxyOfEnvironment() } = target;
  if (proxy === undefined) {
    notify('No proxy is known: specify --proxy, or set https_proxy.');
    return 1;
  }
  try {
    if (listen !== undefined) {
      await forwardPort(listen, { ...target, proxy }, notify);
      return undefined;
    }
    await relayStandardStreams(await openTunnel({ ...target, proxy }));
    return 0;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!(error instanceof ConnectError) && code === undefined) throw error;
    notify(code === undefined ? (error as Error).message : `port ${listen} cannot be opened (${code}).`);
    return 1;
  }
}

function proxyOfEnvironment(): string | undefined {
  // The conventions of other programs are no settings of this one.
  // eslint-disable-next-line no-restricted-properties
  const { https_proxy: tls, http_proxy: plain, HTTPS_PROXY: upper } = process.env;
  return [tls, plain, upper].find((url) => url?.startsWith('http://') === true);
}

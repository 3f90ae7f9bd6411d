import { ConfigError } from '../config/config-faults.js';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import { Tickets } from './tickets.js';

/** The name of the only upstream, if the key `upstream` specifies it. */
const SINGLE = 'upstream';

/**
 * Loads the Kerberos library if an upstream of a configuration needs it, so that a machine that lacks it is found before the first
 * request. One fault is reported, also if several upstreams need it.
 *
 * @throws {@link ConfigError}
 */
export async function requireKerberos({ upstreams }: Pick<ProxyClientConfig, 'upstreams'>): Promise<void> {
  const server = upstreams.find((each) => each.kind === 'http' && each.negotiate !== undefined);
  if (server === undefined) return;
  const tickets = new Tickets();
  try {
    const problem = await tickets.problem();
    const source = server.name === SINGLE ? SINGLE : `upstreams.${server.name}`;
    if (problem !== undefined) throw new ConfigError([{ source, problem }]);
  } finally {
    tickets.close();
  }
}

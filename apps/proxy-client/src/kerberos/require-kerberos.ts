import { ConfigError } from '../config/config-faults.js';
import { Tickets } from './tickets.js';

/**
 * Loads the Kerberos library, so that a machine that lacks it is found before the first request.
 *
 * @param upstream - the name of an upstream that needs it
 * @throws {@link ConfigError}
 */
export async function requireKerberos(upstream: string): Promise<void> {
  const tickets = new Tickets();
  try {
    const problem = await tickets.problem();
    if (problem !== undefined) throw new ConfigError([{ source: `upstream ${upstream}`, problem }]);
  } finally {
    tickets.close();
  }
}

import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Ports below the ephemeral range (Linux begins at 32768, others at 49152) that few programs use. */
const [FIRST, LAST] = [20_000, 32_000];

/**
 * A free port, for programs that need a fixed one. A port that the system has just assigned and released may be
 * assigned to a concurrent test before the program opens it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    const server = createServer();
    server.listen(port, '127.0.0.1');
    const listens = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!listens) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Ports below the ephemeral range (Linux begins at 32768, others at 49152) that few programs use. */
const [FIRST, LAST] = [20_000, 32_000];

/**
 * A free port, for programs that need a fixed one. One that the system has just given and taken back may be
 * given to a concurrent test by the time that the program opens it.
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

import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** The first of 12,000 ports below the ephemeral range (Linux begins at 32768, others at 49152) that few programs use. */
const FIRST = 20_000;
/** Each of 16 workers has its own ports: a port is free again until the program opens it, and another test may find it meanwhile. */
const [WORKERS, PER_WORKER] = [16, 750];
const OWN_FIRST = FIRST + (Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS) * PER_WORKER;

/**
 * A free port, for programs that need a fixed one. A port that the system has just assigned and released may be
 * assigned to a concurrent test before the program opens it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(OWN_FIRST, OWN_FIRST + PER_WORKER);
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

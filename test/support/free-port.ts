import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Ports that systems give to nobody who asks for any (Linux begins at 32768, others at 49152), and few programs have. */
const [FIRST, LAST] = [20_000, 32_000];

/**
 * A port that nobody listens on, for programs that must be told one. One that the system has just given and taken back may be
 * given to a test beside this one by the time that the program opens it.
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

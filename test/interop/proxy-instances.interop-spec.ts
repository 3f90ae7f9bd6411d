import { expect, it } from '@jest/globals';
import { createServer } from 'node:net';
import { NodeOrigin } from '../support/node-origin.js';
import { getThroughProxy } from '../support/get-through-proxy.js';
import { ProxyProgram } from '../support/proxy/proxy-program.js';

const INSTANCES = 12;
const [FIRST, LAST] = [9090, 9099];
const NONE = 'no admin listener: none of the ports 9090 to 9099 of 127.0.0.1 is free (admin.port names another)';

/** The free ports among those of the admin listener. */
async function freePorts(): Promise<number> {
  const ports = Array.from({ length: LAST - FIRST + 1 }, (_, index) => FIRST + index);
  const tries = ports.map(
    async (port) =>
      new Promise<number>((resolve) => {
        const server = createServer().on('error', () => {
          resolve(0);
        });
        server.listen(port, '127.0.0.1', () =>
          server.close(() => {
            resolve(1);
          }),
        );
      }),
  );
  return (await Promise.all(tries)).reduce((sum, free) => sum + free, 0);
}

it('runs twelve times side by side, as far as there are ports with an admin listener each', async () => {
  await using origin = await NodeOrigin.start((_request, response) => response.end('page'));
  const free = await freePorts();
  const config = { listen: { port: 0 }, upstream: 'embedded' };
  await using started = new AsyncDisposableStack();
  const programs = Array.from({ length: INSTANCES }, () => started.use(new ProxyProgram({ config })));
  const urls = await Promise.all(programs.map(async ({ program }) => program.ready()));
  const admins = urls.flatMap(({ admin }) => (admin === undefined ? [] : [Number(new URL(admin).port)]));
  expect([admins.length, new Set(admins).size]).toEqual([free, free]);
  for (const port of admins) expect(port >= FIRST && port <= LAST).toBe(true);
  for (const { proxy = '' } of urls) {
    expect(await getThroughProxy(proxy, `${origin.url}/`)).toEqual({ status: 200, body: 'page' });
  }
  const withoutAdmin = programs.filter(({ program }) => program.stdout.includes(NONE));
  expect(withoutAdmin).toHaveLength(INSTANCES - free);
  for (const { program } of programs) expect(program.process.exitCode).toBeNull();
});

import { setTimeout as delay } from 'node:timers/promises';
import { openTunnel, startProxy, startUpstream } from './busy-proxy.mjs';

/** Targets, and the bytes that each sends per interval. */
const TARGETS = [
  ['git.example:443', 90_000],
  ['packages.example:443', 260_000],
  ['mirror.example:443', 620_000],
  ['api.weather.example:443', 0],
  ['mail.corp.example:993', 40],
  ['video.example:443', 410_000],
  ['db.internal:5432', 900],
  ['chat.example:443', 12],
  ['wheels.example:443', 33_000],
];
const USERS = ['ci:one', 'ann:two', 'build-agent-7:three'];
/**
 * Yields the states of the dashboard.
 *
 * @param openMs - how long the page is open before a picture is taken, so that the curves have data
 */
export async function* dashboardScenes(openMs) {
  const quiet = await startProxy({ listen: { port: 0 }, upstream: 'embedded', admin: { port: 0 } });
  const live = async (page) => page.getByText('Live', { exact: true }).waitFor();
  yield {
    name: 'dashboard-empty',
    show: async (page) => {
      await page.goto(quiet.admin);
      await live(page);
      await page.locator('#set-up pre').first().waitFor();
    },
  };
  yield {
    name: 'dashboard-gone',
    show: async (page) => {
      await page.goto(quiet.admin);
      await live(page);
      await page.route('**/*', async (route) => route.abort());
      await page.context().setOffline(true);
      await page.evaluate("dispatchEvent(new Event('pagehide'))");
      await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
        Object.defineProperty(document, 'visibilityState', { value: 'visible', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));`);
      await page.getByText('The proxy is unreachable').waitFor();
    },
  };
  await quiet.end();
  yield* busy(live, openMs);
}

async function* busy(live, openMs) {
  const amounts = new Map(TARGETS.map(([target, bytes]) => [target.split(':')[0], bytes]));
  const bytesFor = (host) => Math.round((amounts.get(host) ?? 0) * (0.4 + 1.2 * Math.random()));
  const work = await startUpstream(bytesFor);
  let home = await startUpstream(bytesFor);
  const at = (server) => ({ host: '127.0.0.1', port: server.address().port });
  const users = USERS.map((user) => ({ name: user.split(':')[0], password: user.split(':')[1] }));
  const TOKEN = 'token-of-the-pictures';
  const proxy = await startProxy({
    listeners: [
      { mode: 'mixed', port: 0, users },
      { mode: 'tunnel', port: 0, to: 'db.internal:5432', via: 'work' },
    ],
    upstreams: {
      any: { of: ['work', 'home'], pick: 'failover', check: { every: '1s' } },
      work: at(work),
      home: at(home),
      tor: { host: '127.0.0.1', port: 9 },
    },
    rules: [
      { hosts: ['*.onion'], to: 'tor' },
      { hosts: ['mirror.example', 'video.example'], to: 'home' },
      { hosts: ['*.ads.example'], to: 'reject' },
    ],
    admin: { port: 0, token: TOKEN },
  });
  yield {
    name: 'dashboard-sign-in',
    show: async (page) => {
      await page.goto(proxy.admin);
      await page.getByLabel('Admin token').fill('not it');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('The token is invalid.').waitFor();
    },
  };
  const sockets = [];
  for (const [index, [target]] of TARGETS.entries()) {
    sockets.push(await openTunnel(proxy.proxy, target, USERS[index % USERS.length]));
  }
  for (const target of [
    'old.example:443',
    'closed.example:8443',
    'hidden.onion:80',
    'hidden.onion:80',
    'closed.example:22',
    'banner.ads.example:443',
  ]) {
    await openTunnel(proxy.proxy, target, USERS[0]);
  }
  const show = async (page) => {
    await page.goto(`${proxy.admin}/#t=${TOKEN}`);
    await live(page);
    const rows = page.locator('#connections tbody tr');
    await rows.nth(TARGETS.length - 1).waitFor();
    const traffic = setInterval(() => {
      for (const socket of sockets) socket.write(Buffer.alloc(Math.round(20_000 * Math.random() ** 4)));
      const target = Math.random() < 0.85 ? 'api.weather.example:443' : 'closed.example:22';
      void openTunnel(proxy.proxy, target, USERS[1]).then((socket) => socket.destroy());
    }, 250);
    await delay(openMs / 2);
    // Open tunnels continue; the health checks of the group find the upstream down, then up again.
    const { port } = home.address();
    home.close();
    await delay(openMs / 4);
    home = await startUpstream(bytesFor, port);
    await delay(openMs / 4);
    clearInterval(traffic);
  };
  yield { name: 'dashboard', show, isPicture: true };
  work.close();
  yield { name: 'dashboard-down', show };
  for (const socket of sockets) socket.destroy();
  await proxy.end();
  home.close();
}

// npm run bench:pages -- [--connections N] [--seconds S]: the dashboard of a proxy with thousands of live connections, in a real
// browser. Prints the time to the first paint, the longest task of the page while it was loaded, watched and sorted (what its
// thread worked, and what passed meanwhile: on a busy machine a thread waits for its turn), and how long a list took.
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import startBrowser from '../../browser/start.mjs';
import stopBrowser from '../../browser/stop.mjs';
import { openTunnel, startProxy, startUpstream } from '../../pages/scenes/busy-proxy.mjs';

const { values } = parseArgs({
  options: { connections: { type: 'string', default: '5000' }, seconds: { type: 'string', default: '15' } },
});
const AT_ONCE = 50;

const upstream = await startUpstream((host) => (Math.random() < 0.05 ? host.length * 10 : 0));
const proxy = await startProxy({
  listen: { port: 0 },
  upstream: { host: '127.0.0.1', port: upstream.address().port },
  admin: { port: 0 },
});
const sockets = [];
while (sockets.length < Number(values.connections)) {
  const targets = Array.from({ length: AT_ONCE }, (_, index) => `host-${sockets.length + index}.example:443`);
  sockets.push(...(await Promise.all(targets.map(async (target) => openTunnel(proxy.proxy, target)))));
}
console.log(`${sockets.length} tunnels are open`);

await startBrowser();
const browser = await chromium.connect(process.env['BROWSER_ENDPOINT'] ?? '');
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
const tracing = await browser.newBrowserCDPSession();
const events = [];
tracing.on('Tracing.dataCollected', ({ value }) => events.push(...value));
await tracing.send('Tracing.start', { traceConfig: { includedCategories: ['toplevel', '__metadata'] } });
const answers = [];
page.on('requestfinished', async (request) => {
  if (!request.url().includes('/connections?')) return;
  const { responseBodySize } = await request.sizes();
  answers.push({ milliseconds: Math.round(request.timing().responseEnd), bytes: responseBodySize });
});
await page.goto(proxy.admin);
await page.locator('#connections tbody tr').nth(99).waitFor();
const [paint] = await page.evaluate(
  "performance.getEntriesByName('first-contentful-paint').map(({ startTime }) => Math.round(startTime))",
);
const end = performance.now() + Number(values.seconds) * 1000;
for (const name of ['Received', 'Sent', 'Target', 'Age']) {
  await page.getByRole('button', { name, exact: true }).click();
  await delay((end - performance.now()) / 4);
}
const complete = new Promise((resolve) => tracing.once('Tracing.tracingComplete', resolve));
await tracing.send('Tracing.end');
await complete;
const threadOf = ({ pid, tid }) => `${pid} ${tid}`;
const named = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
const mains = new Set(named.map(threadOf));
/** `tdur` is what the thread worked, `dur` what passed; microseconds. */
const tasks = events.filter((event) => event.ph === 'X' && mains.has(threadOf(event)) && event.tdur > 0);
const longest = (field) => Math.round(Math.max(0, ...tasks.map((task) => task[field])) / 1000);
const middle = answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)[Math.floor(answers.length / 2)];
console.log(`first paint after ${paint} ms`);
console.log(`of ${tasks.length} tasks the longest worked ${longest('tdur')} ms, and took ${longest('dur')} ms`);
console.log(
  `${answers.length} lists, each ${Math.max(...answers.map(({ bytes }) => bytes))} bytes at most, ${middle} ms in the middle`,
);
await browser.close();
await stopBrowser();
for (const socket of sockets) socket.destroy();
await proxy.end();
upstream.close();
process.exit();

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeOrigin } from '../node-origin.js';
import { spawn } from 'node:child_process';

/** An entry of the net log of Chromium. */
interface NetEvent {
  readonly type: number;
  readonly source: { readonly id: number };
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Names and addresses lead nowhere, so that nothing leaves this machine; one address is for scripts that resolve addresses. */
const RESOLVER = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE 192.0.2.9';
const OPTIONS = [
  ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-web-security'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-default-apps'],
  '--disable-features=LocalNetworkAccessChecks,HttpsUpgrades',
];

/**
 * Lets Chromium request URLs with a PAC script, and returns what it chose for each as its net log reports it, such as
 * `PROXY a.test:80;DIRECT`; `error` if it used no proxy because the script has failed.
 *
 * @param program - Chromium; its headless shell has no PAC scripts
 */
export async function decisionsOfChromium(
  program: string,
  script: Uint8Array,
  urls: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const directory = mkdtempSync(join(tmpdir(), 'pac-chromium-'));
  const requested = Promise.withResolvers<undefined>();
  await using server = await NodeOrigin.start((request, response) => {
    if (request.url === '/proxy.pac') {
      response.setHeader('Content-Type', 'application/x-ns-proxy-autoconfig; charset=utf-8').end(script);
    } else if (request.url === '/page') response.setHeader('Content-Type', 'text/html').end(pageOf(urls));
    else {
      response.end();
      if (request.url === '/done') requested.resolve(undefined);
    }
  });
  const log = join(directory, 'net-log.json');
  const settings = [`--proxy-pac-url=${server.url}/proxy.pac`, `--log-net-log=${log}`, `--user-data-dir=${directory}`];
  const browser = spawn(program, [...OPTIONS, RESOLVER, ...settings, `${server.url}/page`], { stdio: 'ignore' });
  const exited = once(browser, 'exit');
  try {
    await Promise.race([requested.promise, exited]);
    browser.kill('SIGTERM');
    await exited;
    return decisionsOf(readFileSync(log, 'utf8'));
  } finally {
    browser.kill('SIGKILL');
    await exited;
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Returns a page that requests URLs, several at a time, and reports the end. */
function pageOf(urls: readonly string[]): string {
  return `<!doctype html><script type="module">
const urls = ${JSON.stringify(urls)};
const next = async () => {
  for (let url = urls.shift(); url !== undefined; url = urls.shift()) await fetch(url, { mode: 'no-cors' }).catch(() => undefined);
};
await Promise.all(Array.from({ length: 8 }, next));
await fetch('/done');
</script>`;
}

/** Reads the net log: a line with the constants, then an event a line. Its end may be missing. */
function decisionsOf(log: string): ReadonlyMap<string, string> {
  const [first = '', , ...lines] = log.split('\n');
  const { constants } = JSON.parse(`${first.replace(/,$/, '')}}`) as {
    constants: { logEventTypes: Readonly<Record<string, number>> };
  };
  const types = constants.logEventTypes;
  const urls = new Map<number, string>();
  const decisions = new Map<string, string>();
  for (const { type, source, params } of lines.flatMap((line) => eventOf(line) ?? [])) {
    if (type === types['HTTP_STREAM_JOB_CONTROLLER'] && typeof params?.['url'] === 'string') {
      urls.set(source.id, params['url']);
    }
    const url = urls.get(source.id);
    if (type !== types['PROXY_RESOLUTION_SERVICE_RESOLVED_PROXY_LIST'] || params === undefined || url === undefined)
      continue;
    const chosen = params['proxy_info'];
    decisions.set(url, typeof chosen === 'string' ? chosen : 'error');
  }
  return decisions;
}

function eventOf(line: string): NetEvent | undefined {
  try {
    return JSON.parse(line.replace(/(?:\]\}?)?,?\s*$/, '')) as NetEvent;
  } catch {
    return undefined;
  }
}

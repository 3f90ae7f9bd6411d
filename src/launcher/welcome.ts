import type { Urls } from './launcher-policy.js';

/** A curl command that uses both programs; its page needs no key. */
function example(urls: ReadonlyMap<string, Urls>): string[] {
  const ledger = urls.get('ledger-api')?.['http'];
  const proxy = urls.get('proxy-client')?.['proxy'];
  return ledger && proxy ? ['', 'Try it:', `  curl -x ${proxy} ${ledger}/health`] : [];
}

/** Returns the text that lists the addresses of all programs, ordered by name. */
export function welcome(urls: ReadonlyMap<string, Urls>): string {
  const byName = [...urls].sort(([one], [other]) => one.localeCompare(other));
  const rows = byName.flatMap(([app, addresses]) =>
    Object.entries(addresses).map(([name, url], index) => [index === 0 ? app : '', name, url] as const),
  );
  const width = (column: 0 | 1): number => Math.max(...rows.map((row) => row[column].length));
  const lines = rows.map(([app, name, url]) => `  ${app.padEnd(width(0))}  ${name.padEnd(width(1))}  ${url}`);
  return ['', 'Ready:', ...lines, ...example(urls), '', 'Press Ctrl-C to stop both.', ''].join('\n');
}

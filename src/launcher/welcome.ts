import type { Urls } from './launcher-policy.js';

/** A curl that proves that both programs work, when both are there: of a page that needs no key, whoever may call. */
function tryIt(urls: ReadonlyMap<string, Urls>): string[] {
  const ledger = urls.get('ledger-api')?.['http'];
  const proxy = urls.get('proxy-client')?.['proxy'];
  return ledger && proxy ? ['', 'Try it:', `  curl -x ${proxy} ${ledger}/health`] : [];
}

/** The one text that says where everything is, in the order of the names whichever was ready first. */
export function welcome(urls: ReadonlyMap<string, Urls>): string {
  const byName = [...urls].sort(([one], [other]) => one.localeCompare(other));
  const rows = byName.flatMap(([app, places]) =>
    Object.entries(places).map(([what, url], index) => [index === 0 ? app : '', what, url] as const),
  );
  const width = (column: 0 | 1): number => Math.max(...rows.map((row) => row[column].length));
  const lines = rows.map(([app, what, url]) => `  ${app.padEnd(width(0))}  ${what.padEnd(width(1))}  ${url}`);
  return ['', 'Ready:', ...lines, ...tryIt(urls), '', 'Ctrl-C ends both.', ''].join('\n');
}

// `npm run build`: bundles the programs and builds their pages, into dist. Types are checked by `npm run check:types`.
import process from 'node:process';
import { build as bundle } from 'rolldown';
import { build as buildPage } from 'vite';
import programs from '../rolldown.config.mjs';

const started = performance.now();
const pages = ['ledger-api', 'proxy-client'].map((app) => ({
  configFile: 'vite.config.mjs',
  root: `apps/${app}/pages`,
  build: { outDir: `../../../dist/apps/${app}/pages` },
}));
process.chdir(`${import.meta.dirname}/..`);
await Promise.all([bundle(programs), ...pages.map(buildPage)]);
// Into the folder of the first page, which was emptied.
await buildPage({ ...pages[0], mode: 'single-file' });
console.log(`Built in ${((performance.now() - started) / 1000).toFixed(1)} s.`);

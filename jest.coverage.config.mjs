// The unit run of `npm test`: what `npm run test:unit` runs, and how much of the code it reaches. Processes that tests start are not
// counted, nor are worker threads, so what only a program of its own can run is left out below.
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import config from './jest.config.mjs';

const whole = { statements: 100, lines: 100, branches: 100, functions: 100 };

/** Whether nothing is left of a source file without its types: there is nothing to run in it. */
function holdsOnlyTypes(file) {
  try {
    const code = stripTypeScriptTypes(readFileSync(file, 'utf8'));
    return code.replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, '').trim() === '';
  } catch {
    // Decorators cannot be stripped: they are code.
    return false;
  }
}

export default {
  ...config,
  projects: config.projects.map((project) => ({
    ...project,
    testEnvironment: '<rootDir>/test/support/coverage-environment.mjs',
  })),
  collectCoverage: true,
  coverageProvider: 'v8',
  coverageDirectory: 'coverage',
  coverageReporters: ['text-summary', 'json'],
  collectCoverageFrom: [
    '{apps,libs}/*/src/**/*.ts',
    'src/**/*.ts',
    '!**/*.spec.ts',
    '!**/testing/**',
    // What only a browser runs; the tests of the pages do.
    '!libs/pages-kit/src/{components/**,chart/**,secret.ts,index.ts}',
    // Entries of programs and threads, and what reads their command lines.
    '!**/main.ts',
    '!**/{cli,command-line}.ts',
    '!**/*.worker.ts',
    // Writers of generated files, which `npm run check:generated` runs.
    '!src/generate.ts',
    // What only Fabric's own programs can answer to: the interop tests run it.
    '!src/tools/fabric/{up,endorsement-probe,deploy,components,make-files}.ts',
    ...globSync('{apps,libs,src}/**/*.ts')
      .filter(holdsOnlyTypes)
      .map((file) => `!${file}`),
  ],
  coverageThreshold: {
    './libs/socks5-protocol/src/codec/': whole,
    './libs/socks5-protocol/src/handshake/': whole,
    './libs/ledger-gateway/src/fabric-blocks/': whole,
    './libs/asset-contract/src/contract/': whole,
    './libs/metrics/src/': whole,
    // All the rest.
    global: { lines: 90, branches: 90 },
  },
};

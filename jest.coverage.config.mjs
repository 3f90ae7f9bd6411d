// `npm run test:coverage`: the unit tests, with coverage. Processes and worker threads that tests start are not counted, so code that only
// they run is excluded below.
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import config from './jest.config.mjs';

const whole = { statements: 100, lines: 100, branches: 100, functions: 100 };

/** Returns whether a source file contains only types, so that there is nothing to run in it. */
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
  coverageReporters: ['text-summary'],
  collectCoverageFrom: [
    '{apps,libs}/*/src/**/*.ts',
    'src/**/*.ts',
    '!**/*.spec.ts',
    '!**/testing/**',
    // Run by browsers only, in the tests of the pages.
    '!libs/pages-kit/src/{components/**,chart/**,secret.ts,index.ts}',
    // Entry files of programs and threads, and their command lines.
    '!**/main.ts',
    '!**/{cli,command-line}.ts',
    '!**/*.worker.ts',
    // Run by `npm run check:generated`.
    '!src/generate.ts',
    // Needs Fabric's own programs; run by the interop tests.
    '!src/tools/fabric/{up,deploy}.ts',
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

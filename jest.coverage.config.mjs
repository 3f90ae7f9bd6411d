// `npm run test:coverage`: the unit tests of the folders that must be covered completely, with coverage.
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import config from './jest.config.mjs';

const whole = { statements: 100, lines: 100, branches: 100, functions: 100 };
const COVERED = [
  'libs/asset-contract/src/contract',
  'libs/ledger-gateway/src/fabric-blocks',
  'libs/metrics/src',
  'libs/socks5-protocol/src/codec',
  'libs/socks5-protocol/src/handshake',
];

/** Returns whether a source file contains only types, so that there is nothing to run in it. */
function holdsOnlyTypes(file) {
  const code = stripTypeScriptTypes(readFileSync(file, 'utf8'));
  return code.replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, '').trim() === '';
}

export default {
  ...config,
  collectCoverage: true,
  coverageProvider: 'v8',
  coverageDirectory: 'coverage',
  coverageReporters: ['text-summary'],
  collectCoverageFrom: [
    ...COVERED.map((folder) => `${folder}/**/*.ts`),
    '!**/{*.spec,index}.ts',
    '!**/testing/**',
    ...COVERED.flatMap((folder) => globSync(`${folder}/**/*.ts`))
      .filter(holdsOnlyTypes)
      .map((file) => `!${file}`),
  ],
  coverageThreshold: Object.fromEntries(COVERED.map((folder) => [`./${folder}/`, whole])),
};

// `npm run test:coverage`: the unit tests of the folders that must be covered completely, with coverage. Babel counts: V8
// would count in all scripts, those of Jest included, and cost 56 s of CPU instead of 37 s.
import config from './jest.config.mjs';

const whole = { statements: 100, lines: 100, branches: 100, functions: 100 };
const COVERED = [
  'apps/proxy-client/src/stats',
  'libs/asset-contract/src/contract',
  'libs/fabric-codec/src',
  'libs/metrics/src',
  'libs/receipts/src',
  'libs/socks5-protocol/src/codec',
  'libs/socks5-protocol/src/handshake',
];

export default {
  ...config,
  collectCoverage: true,
  coverageDirectory: 'coverage',
  coverageReporters: ['text-summary'],
  collectCoverageFrom: [
    ...COVERED.map((folder) => `${folder}/**/*.ts`),
    '!**/{*.spec,index}.ts',
    '!**/{browser,certificates,testing}/**',
  ],
  coverageThreshold: Object.fromEntries(COVERED.map((folder) => [`./${folder}/`, whole])),
};

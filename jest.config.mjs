import { availableParallelism } from 'node:os';

/** Folders whose own tests reach every branch of the pure code in them: it reads or writes untrusted bytes. */
const COVERED = [
  'apps/proxy-client/src/stats',
  'libs/asset-contract/src',
  'libs/fabric-codec/src',
  'libs/metrics/src',
  'libs/receipts/src',
  'libs/socks5-protocol/src',
];

const shared = {
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: '<rootDir>/test/support/environment.mjs',
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^fast-check$': '<rootDir>/test/support/fast-check.mjs',
  },
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  // Examples are run as processes; some packages of them have the names of fixtures.
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/docs/'],
};

export default {
  // Long enough for a busy machine. Tests wait for events, so this ends only a test that hangs.
  testTimeout: 240_000,
  // Tests wait for processes, sockets and timers for half of their time. This is not in the scripts, where a second
  // --maxWorkers on the command line would be read as a list. Jest reads more than 100 % as a number of workers.
  maxWorkers: availableParallelism() + 2,
  // Tests of one `describe` that run at once (it.concurrent): they wait for timeouts, and take no CPU meanwhile.
  maxConcurrency: 20,
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['{apps,libs,src}/**', 'test/api-contract/**'].map((folder) => `<rootDir>/${folder}/*.spec.ts`),
      // In a testMatch that starts with "!" Jest does not replace <rootDir>, so it would exclude nothing.
      testPathIgnorePatterns: ['/node_modules/', ...COVERED.map((folder) => `<rootDir>/${folder}/`)],
    },
    // Run by `npm run test:coverage`.
    { ...shared, displayName: 'covered', testMatch: COVERED.map((folder) => `<rootDir>/${folder}/**/*.spec.ts`) },
    // Run by `npm run check:rules`.
    { ...shared, displayName: 'rules', testMatch: ['<rootDir>/test/boundaries/**/*.spec.ts'] },
    { ...shared, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.e2e-spec.ts'] },
    {
      ...shared,
      displayName: 'pages',
      testMatch: ['<rootDir>/test/pages/**/*.pages-spec.ts'],
      globalSetup: '<rootDir>/test/browser/start.mjs',
      globalTeardown: '<rootDir>/test/browser/stop.mjs',
    },
    {
      ...shared,
      displayName: 'interop',
      testMatch: ['<rootDir>/test/interop/**/*.interop-spec.ts'],
      globalSetup: '<rootDir>/test/browser/start.mjs',
      globalTeardown: '<rootDir>/test/browser/stop.mjs',
    },
  ],
};

import base from './.dependency-cruiser.mjs';

/**
 * Folders form floors: no two import each other, directly or round about, at any depth. Of production only: specs stand
 * beside what they test and use suites that use it.
 */
export default {
  forbidden: [
    {
      name: 'floors',
      comment: 'Two folders that import each other are one folder in two places.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(libs|apps/ledger-api|src)/' },
      to: { circular: true },
    },
  ],
  options: { ...base.options, exclude: { path: ['\\.spec\\.ts$', '/testing(/|$)', 'node_modules'] } },
};

import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import node from 'eslint-plugin-n';
import tseslint from 'typescript-eslint';
import { noSliceOnBytes } from './src/lint/no-slice-on-bytes.mjs';

const environmentIsReadInConfigOnly = [
  'error',
  ...['env', 'argv'].map((property) => ({
    object: 'process',
    property,
    message: 'Read it in config/ or cli.ts only and inject the frozen result.',
  })),
];

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', 'node_modules/', 'data/', 'docs/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { workspace: { rules: { 'no-slice-on-bytes': noSliceOnBytes } } },
    rules: {
      'workspace/no-slice-on-bytes': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/require-array-sort-compare': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // Nest's option objects and DTO classes are shapes: plain objects are handed over for them everywhere.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // `private` keywords and index signatures under noPropertyAccessFromIndexSignature want the bracket form.
      '@typescript-eslint/dot-notation': 'off',
    },
  },
  {
    plugins: { n: node },
    languageOptions: { globals: node.configs['flat/recommended-module'].languageOptions.globals },
    rules: {
      complexity: ['error', 10],
      eqeqeq: 'error',
      'n/no-deprecated-api': 'error',
      'n/prefer-node-protocol': 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'],
    ignores: ['**/config/**', '**/cli.ts', '**/*.spec.ts'],
    rules: { 'no-restricted-properties': environmentIsReadInConfigOnly },
  },
  {
    files: ['**/*.spec.ts', '**/*.e2e-spec.ts', '**/*.interop-spec.ts', 'test/**/*.ts', '**/testing/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      'no-console': 'off',
      complexity: 'off',
    },
  },
  {
    files: ['src/**', '**/cli.ts', '**/cli/**', 'test/bench/**'],
    rules: { 'no-console': 'off' },
  },
  prettier,
);

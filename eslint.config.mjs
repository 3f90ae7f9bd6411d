import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import svelte from 'eslint-plugin-svelte';
import node from 'eslint-plugin-n';
import redos from 'eslint-plugin-redos';
import tseslint from 'typescript-eslint';
import { noSliceOnBytes } from './test/boundaries/no-slice-on-bytes.mjs';

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
  svelte.configs.recommended,
  svelte.configs.prettier,
  {
    files: ['**/*.svelte'],
    languageOptions: { parserOptions: { parser: tseslint.parser } },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      'no-unused-vars': 'off',
      '@typescript-eslint/no-unused-vars': 'error',
      // svelte-check does, with types.
      'no-undef': 'off',
      'svelte/button-has-type': 'error',
      'svelte/no-target-blank': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: 'SvelteAttribute[key.name="style"]',
          message: 'The Content-Security-Policy refuses it: write a class, or style:NAME={value}.',
        },
      ],
    },
  },
  {
    files: ['**/*.svelte.ts'],
    // Types are asked for, which Svelte's own parser does not hand on.
    languageOptions: { parser: tseslint.parser },
    // It takes a Map that one call makes and forgets for a state.
    rules: { 'svelte/prefer-svelte-reactivity': 'off' },
  },
  {
    files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'],
    ignores: ['**/config/**', '**/cli.ts', '**/*.spec.ts'],
    rules: { 'no-restricted-properties': environmentIsReadInConfigOnly },
  },
  {
    files: ['apps/ledger-api/src/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: '@nestjs/swagger',
          importNames: ['IntersectionType', 'OmitType', 'PartialType', 'PickType'],
          message: 'They load class-validator a second time at the start: inherit or repeat the properties.',
        },
      ],
    },
  },
  {
    // Untrusted text must be read in linear time.
    files: ['apps/**', 'libs/**', 'src/**'],
    ignores: ['**/*.spec.ts', '**/testing/**'],
    plugins: { redos },
    rules: { 'redos/no-vulnerable': ['error', { timeout: 10_000, cache: false }] },
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
    files: ['src/**', '**/cli.ts', '**/cli/**', 'test/bench/**', 'test/browser/**', 'test/pages/*.mjs'],
    rules: { 'no-console': 'off' },
  },
  prettier,
);

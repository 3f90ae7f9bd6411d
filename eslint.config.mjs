// The rules for Svelte components and their modules, which oxlint does not have. All other rules are in .oxlintrc.json.
import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import svelte from 'eslint-plugin-svelte';
import node from 'eslint-plugin-n';
import redos from 'eslint-plugin-redos';
import tseslint from 'typescript-eslint';

export default [
  { ignores: ['dist/', 'coverage/', 'node_modules/', 'data/', 'docs/', '**/*.mjs'] },
  { files: ['**/*.svelte'], rules: js.configs.recommended.rules },
  ...svelte.configs.recommended,
  ...svelte.configs.prettier,
  { files: ['{apps/*/pages,libs/pages-kit}/**/*.ts'], languageOptions: { parser: tseslint.parser } },
  {
    files: ['**/*.svelte.ts'],
    // It takes a Map that one call makes and forgets for a state.
    rules: { 'svelte/prefer-svelte-reactivity': 'off' },
  },
  {
    files: ['**/*.svelte'],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: {
      globals: node.configs['flat/recommended-module'].languageOptions.globals,
      parserOptions: { parser: tseslint.parser },
    },
    plugins: { '@typescript-eslint': tseslint.plugin, n: node, redos },
    rules: {
      'no-unused-vars': 'off',
      '@typescript-eslint/no-unused-vars': 'error',
      // svelte-check does, with types.
      'no-undef': 'off',
      complexity: ['error', 10],
      eqeqeq: 'error',
      'n/no-deprecated-api': 'error',
      'n/prefer-node-protocol': 'error',
      'no-console': 'error',
      // Untrusted text must be read in linear time.
      'redos/no-vulnerable': ['error', { timeout: 10_000, cache: false }],
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
  prettier,
];

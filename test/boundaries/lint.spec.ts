import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import js from '@eslint/js';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import tseslint from 'typescript-eslint';

interface Override {
  files: string[];
  rules: Record<string, unknown>;
}
interface Configuration {
  rules: Record<string, unknown>;
  overrides: Override[];
}

const COMPILER = { strict: true, module: 'nodenext', target: 'es2024', types: ['node'], skipLibCheck: true };

/** The rules of the presets that oxlint lacks. */
const MISSING = [
  // Syntax errors in modules.
  'no-octal',
  'no-dupe-args',
  // Prettier formats the code.
  'no-unexpected-multiline',
  // The workspace declares no enums.
  '@typescript-eslint/no-unsafe-enum-assignment',
  // Nest's option objects and DTO classes are shapes: plain objects are used as instances everywhere.
  '@typescript-eslint/no-unsafe-class-instance-assignment',
  // `private` keywords and index signatures under noPropertyAccessFromIndexSignature require the bracket form.
  '@typescript-eslint/dot-notation',
];

let workspace: string;

beforeAll(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'lint-')));
  for (const folder of ['node_modules', 'test']) symlinkSync(join(process.cwd(), folder), join(workspace, folder));
  for (const file of ['.oxlintrc.json', 'eslint.config.mjs']) copyFileSync(file, join(workspace, file));
  writeFileSync(join(workspace, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER }));
});

afterAll(() => {
  rmSync(workspace, { recursive: true });
});

/** Writes a file and returns the rules that it breaks, as `LINE RULE`, in the order of the lines. */
function violations(file: string, code: string): string[] {
  mkdirSync(dirname(join(workspace, file)), { recursive: true });
  writeFileSync(join(workspace, file), code);
  const linter = file.endsWith('.svelte') ? 'eslint/bin/eslint.js' : 'oxlint/bin/oxlint';
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(process.cwd(), 'node_modules', linter), '--format', 'json', file],
    { cwd: workspace, encoding: 'utf8' },
  );
  if (stdout === '') throw new Error(stderr);
  const found = file.endsWith('.svelte') ? eslintMessages(stdout) : oxlintMessages(stdout);
  return found.toSorted((a, b) => a.line - b.line).map(({ line, rule }) => `${String(line)} ${rule}`);
}

function eslintMessages(output: string): { line: number; rule: string }[] {
  const [file] = JSON.parse(output) as { messages: { line: number; ruleId: string }[] }[];
  return (file?.messages ?? []).map(({ line, ruleId }) => ({ line, rule: ruleId }));
}

function oxlintMessages(output: string): { line: number; rule: string }[] {
  const { diagnostics } = JSON.parse(output) as {
    diagnostics: { code?: string; message: string; labels: { span: { line: number } }[] }[];
  };
  return diagnostics.map(({ code, message, labels }) => ({ line: labels[0]?.span.line ?? 0, rule: code ?? message }));
}

describe('npm run lint', () => {
  it('has every rule of the presets of ESLint and typescript-eslint', () => {
    const text = readFileSync('.oxlintrc.json', 'utf8');
    const { rules, overrides } = JSON.parse(text.replaceAll(/^ *\/\/.*$/gm, '')) as Configuration;
    const configured = new Set([
      ...Object.keys(rules),
      ...overrides.flatMap(({ files, rules: more }) =>
        /^\*\*\/\*\.(ts|mjs)$/.test(String(files)) ? Object.keys(more) : [],
      ),
    ]);
    const presets = [
      js.configs.recommended,
      ...tseslint.configs.strictTypeChecked,
      ...tseslint.configs.stylisticTypeChecked,
    ];
    const wanted = presets.flatMap((preset) =>
      Object.entries(preset.rules ?? {}).filter(([, severity]) => severity !== 'off'),
    );
    const missing = new Set(wanted.map(([name]) => name).filter((name) => !configured.has(name)));
    expect(missing).toEqual(new Set(MISSING));
  });

  it('reports violations of rules about syntax and about types, and of the rules of plugins', () => {
    const code = [
      "import { readFileSync } from 'fs';",
      'export const equal = (a: number, b: number): boolean => a == b;',
      'export function start(): void { Promise.resolve(readFileSync); }',
      'export const pattern = /^(a|a)*$/;',
      'export const home = process.env;',
      'export const old = new Buffer(1);',
      '// eslint-disable-next-line eqeqeq',
      'export const unused = 1;',
      'export const disabled = (value: any): unknown => value; // eslint-disable-line @typescript-eslint/no-explicit-any',
      `export function branches(n: number): void { ${'if (n) start();'.repeat(10)} }`,
    ];
    expect(violations('libs/a/src/code.ts', code.join('\n'))).toEqual([
      '1 n(prefer-node-protocol)',
      '2 eslint(eqeqeq)',
      '3 typescript(no-floating-promises)',
      '4 redos(no-vulnerable)',
      '5 eslint(no-restricted-properties)',
      '6 n(no-deprecated-api)',
      '6 typescript(no-deprecated)',
      '7 Unused eslint-disable directive (no problems were reported).',
      '9 typescript(explicit-module-boundary-types)',
      '10 eslint(complexity)',
    ]);
  });

  it('reports an import that an application must not have', () => {
    const code = "import { PickType } from '@nestjs/swagger';\nexport const used = PickType;";
    expect(violations('apps/ledger-api/src/code.ts', code)).toEqual(['1 eslint(no-restricted-imports)']);
  });

  it('reports violations in Svelte components', () => {
    const code = '<script lang="ts">\n  let a = 1;\n</script>\n<button style="color: red">{1 == 2}</button>';
    expect(violations('apps/a/pages/code.svelte', code)).toEqual([
      '2 @typescript-eslint/no-unused-vars',
      '4 svelte/button-has-type',
      '4 no-restricted-syntax',
      '4 eqeqeq',
    ]);
  });
});

describe('no-slice-on-bytes', () => {
  it('reports slice on every value that may be bytes, and on no other', () => {
    const code = [
      'export const plain = (bytes: Uint8Array) => bytes.slice();',
      'export const pooled = (bytes: Buffer) => bytes.slice(1);',
      'export const either = (bytes: string | Uint8Array) => bytes.slice(1);',
      'export const maybe = (bytes?: Uint8Array) => bytes?.slice(1);',
      'export const handed = (bytes: Uint8Array) => [bytes].map((each) => each.slice);',
      'export function generic<Bytes extends Uint8Array>(bytes: Bytes) { return bytes.slice(); }',
      'export const text = (name: string) => name.slice(1);',
      'export const list = (names: readonly string[]) => names.slice(1);',
      'export const view = (bytes: Uint8Array) => bytes.subarray(1);',
    ];
    const found = violations('libs/a/src/bytes.ts', code.join('\n')).filter((each) => each.includes('no-slice'));
    expect(found.map((each) => Number.parseInt(each))).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

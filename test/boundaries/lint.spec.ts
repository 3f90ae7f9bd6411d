import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The rule as in eslint.config.mjs, in a workspace of one file: the types of the whole workspace take ten times as long. */
const CONFIG = `
import tseslint from 'typescript-eslint';
import { noSliceOnBytes } from ${JSON.stringify(join(process.cwd(), 'test/boundaries/no-slice-on-bytes.mjs'))};
export default [{
  files: ['**/*.ts'],
  plugins: { workspace: { rules: { 'no-slice-on-bytes': noSliceOnBytes } } },
  languageOptions: { parser: tseslint.parser, parserOptions: { projectService: true } },
  rules: { 'workspace/no-slice-on-bytes': 'error' },
}];
`;
const COMPILER = { strict: true, module: 'nodenext', target: 'es2024', types: ['node'], skipLibCheck: true };

let workspace: string;

beforeAll(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'lint-')));
  symlinkSync(join(process.cwd(), 'node_modules'), join(workspace, 'node_modules'));
  writeFileSync(join(workspace, 'eslint.config.mjs'), CONFIG);
  writeFileSync(join(workspace, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER }));
});

afterAll(() => {
  rmSync(workspace, { recursive: true });
});

/** Returns the numbers of the lines of `code` that break the rule. */
function brokenLines(code: string): number[] {
  writeFileSync(join(workspace, 'code.ts'), code);
  const eslint = join(process.cwd(), 'node_modules/eslint/bin/eslint.js');
  const { stdout, stderr } = spawnSync(process.execPath, [eslint, '--format', 'json', 'code.ts'], {
    cwd: workspace,
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  const [file] = JSON.parse(stdout) as { messages: { line: number; message: string }[] }[];
  return (file?.messages ?? []).map(({ line }) => line);
}

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
    expect(brokenLines(code.join('\n'))).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

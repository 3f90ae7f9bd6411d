import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LedgerApi } from './ledger-api.js';
import { until } from './until.js';

/** How a command of `npm run ledger` ended. */
export interface ToolResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built `ledger` tool on a data directory. */
export async function ledgerTool(dataDir: string, ...args: readonly string[]): Promise<ToolResult> {
  return await spawnLedgerTool(dataDir, ...args).result();
}

/** Starts the built `ledger` tool on a data directory. Its result must be requested at once. */
export function spawnLedgerTool(dataDir: string, ...args: readonly string[]) {
  const child = spawn(
    process.execPath,
    [join(process.cwd(), 'dist/apps/ledger-api/bundle/lib/ledger-tool.js'), ...args],
    {
      env: { PATH: process.env['PATH'], LEDGER_DATA_DIR: dataDir },
    },
  );
  return { process: child, result: () => resultOf(child) };
}

async function resultOf(child: ChildProcessWithoutNullStreams): Promise<ToolResult> {
  const result = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (result.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (result.stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...result };
}

/** Adds a caller and returns its key. */
export async function addCaller(dataDir: string, name: string, ...options: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await ledgerTool(dataDir, 'callers', 'add', name, ...options);
  if (code !== 0) throw new Error(`no caller ${name}: ${stderr}`);
  return stdout.trim();
}

/**
 * Changes the callers of a running API, and waits until it has loaded them. A request with a new key would be a failed
 * login before, and too many of those are refused with 429.
 */
export async function changeCallers<T>({ program }: LedgerApi, change: () => Promise<T>): Promise<T> {
  const logged = program.stdout.length;
  const result = await change();
  await until(() => program.stdout.includes('"callers":', logged));
  return result;
}

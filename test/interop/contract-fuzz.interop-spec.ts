import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LedgerApi } from '../support/ledger-api.js';
import { findProgram } from '../support/peers/find-program.js';
import { ProxyProgram, type RunningProxy } from '../support/proxy/proxy-program.js';
import { runTool, type ToolResult } from '../support/proxy/run-tool.js';

const schemathesis = findProgram('SCHEMATHESIS', 'schemathesis', 'st');
const title = `the API documents${schemathesis === undefined ? ' (skipped: no schemathesis on PATH or in SCHEMATHESIS)' : ''}`;

/** Seconds for one seed; schemathesis continues with new data until they are over. */
const BUDGET_S = 45;
const SLOW_MS = 4 * BUDGET_S * 1000;
/** The contract makes an update of a missing asset a 400, so data that fits the schema may be refused. */
const UNTRUE_HERE = 'positive_data_acceptance';

(schemathesis === undefined ? describe.skip : describe)(title, () => {
  let api: LedgerApi;
  let proxy: RunningProxy;
  let directory: string;

  beforeAll(async () => {
    [api, proxy] = await Promise.all([LedgerApi.start(), ProxyProgram.start({ admin: { port: 0 } })]);
    directory = mkdtempSync(join(tmpdir(), 'contract-fuzz-'));
  }, SLOW_MS);

  afterAll(async () => {
    await Promise.all([api.stop(), proxy[Symbol.asyncDispose]()]);
    rmSync(directory, { recursive: true, force: true });
  });

  /** Every phase and every other check of schemathesis against a running program, by the document it serves. */
  function fuzz(origin: string, seed: number, seconds: number): Promise<ToolResult> {
    const data = ['--seed', String(seed), '--max-time', String(seconds), '--continue-on-failure'];
    const checks = ['--checks', 'all', '--exclude-checks', UNTRUE_HERE];
    return runTool(schemathesis!, ['run', `${origin}/docs-json`, '--origin', origin, ...checks, ...data], {
      cwd: directory,
      env: { NO_COLOR: '1', PYTHONIOENCODING: 'utf-8' },
    });
  }

  it.each([1, 2, 3])(
    'are correct for all ten operations of ledger-api, seed %i',
    async (seed) => {
      const { code, stdout } = await fuzz(api.origin, seed, BUDGET_S);
      expect(stdout).toContain('Selected: 10/10\n  Tested: 10\n');
      expect(stdout).toMatch(/Test cases:\n {2}(\d+) generated, \1 passed\n/);
      expect(code).toBe(0);
    },
    SLOW_MS,
  );

  it(
    'are correct for the two pages of proxy-client',
    async () => {
      const { code, stdout } = await fuzz(proxy.admin!, 1, BUDGET_S / 3);
      expect(stdout).toContain('Selected: 2/2\n  Tested: 2\n');
      expect(stdout).toMatch(/Test cases:\n {2}(\d+) generated, \1 passed\n/);
      expect(code).toBe(0);
    },
    SLOW_MS,
  );
});

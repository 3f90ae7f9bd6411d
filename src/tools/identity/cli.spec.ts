import { jest } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { runCli } from './cli.js';

/** Runs a command line; returns its exit code, and its output on standard output. */
async function run(...argv: readonly string[]): Promise<{ readonly code: number; readonly stdout: string }> {
  let stdout = '';
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  try {
    return { code: await runCli(argv), stdout };
  } finally {
    write.mockRestore();
  }
}

it('has --version, which was missing', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  expect(await run('--version')).toEqual({ code: 0, stdout: `${version}\n` });
});

it('shows the command that exists in this installation', async () => {
  const { code, stdout } = await run('--help');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Usage: npm run identity -- /)]);
});

it('prints help and version also if the environment is invalid', async () => {
  process.env['LEDGER_MSP_ID'] = 'not valid';
  try {
    expect([(await run('--help')).code, (await run('--version')).code, (await run('list')).code]).toEqual([0, 0, 1]);
  } finally {
    delete process.env['LEDGER_MSP_ID'];
  }
});

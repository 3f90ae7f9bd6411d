import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { createProgram } from './cli.js';

/** Runs a command line that only prints; returns the exit code and the text. */
async function run(
  ...argv: readonly string[]
): Promise<{ readonly exitCode: number | undefined; readonly text: string }> {
  let text = '';
  const program = createProgram().configureOutput({ writeOut: (written) => (text += written) });
  const end: unknown = await program.parseAsync(argv, { from: 'user' }).catch((error: unknown) => error);
  return { exitCode: end instanceof CommanderError ? end.exitCode : undefined, text };
}

it('has --version, which was missing', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  expect(await run('--version')).toEqual({ exitCode: 0, text: `${version}\n` });
});

it('shows the command that exists in this installation', async () => {
  expect(await run('--help')).toEqual({
    exitCode: 0,
    text: expect.stringMatching(/^Usage: npm run identity -- /) as string,
  });
});

it('prints help and version also if the environment is invalid, and refuses it for a command', async () => {
  process.env['LEDGER_MSP_ID'] = 'not valid';
  try {
    expect([(await run('--help')).exitCode, (await run('--version')).exitCode]).toEqual([0, 0]);
    await expect(createProgram().parseAsync(['list'], { from: 'user' })).rejects.toMatchObject({
      code: 'LEDGER_API.INVALID_ENVIRONMENT',
    });
  } finally {
    delete process.env['LEDGER_MSP_ID'];
  }
});

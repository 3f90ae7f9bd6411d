import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { readSecret, type SecretSource } from './identity-commands.js';

/** A terminal, or a pipe, on which the user types; all that is shown is kept. */
function terminal(
  isTTY: boolean,
): SecretSource & { readonly type: (text: string) => void; readonly shown: () => string } {
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode: () => input });
  const output = new PassThrough({ encoding: 'utf8' });
  let shown = '';
  output.on('data', (text: string) => (shown += text));
  return {
    input: input as unknown as NodeJS.ReadStream,
    output: output as unknown as NodeJS.WriteStream,
    type: (text) => input.write(text),
    shown: () => shown,
  };
}

describe('a secret', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'secret-'));
    file = join(directory, 'secret');
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it('is read from a file, without its line end, before anything else', async () => {
    writeFileSync(file, 'from the file\n');
    expect(await readSecret('?', { ...terminal(true), file, environment: 'no' })).toBe('from the file');
  });

  it('is read from the environment before the user is prompted', async () => {
    expect(await readSecret('?', { ...terminal(true), environment: 'from outside' })).toBe('from outside');
  });

  it('is typed by the user, who does not see it', async () => {
    const user = terminal(true);
    const secret = readSecret('Secret of admin: ', user);
    user.type('typed\r');
    expect(await secret).toBe('typed');
    expect(user.shown()).toBe('Secret of admin: \n');
  });

  it('is not prompted for without a terminal', async () => {
    await expect(readSecret('?', terminal(false))).rejects.toThrow('specify --secret-file, or FABRIC_CA_SECRET');
  });

  it('that is empty, or in a file that is not there, is refused', async () => {
    writeFileSync(file, '\n');
    await expect(readSecret('?', { ...terminal(true), file })).rejects.toThrow('The secret is empty.');
    await expect(readSecret('?', { ...terminal(true), file: `${file}s` })).rejects.toThrow(
      'cannot be read: no such file or directory (ENOENT)',
    );
  });
});

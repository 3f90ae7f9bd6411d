import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { IdentityError, readText } from './identity-store.js';

/** Where a secret may come from; never the command line, which other users of the machine can read. */
export interface SecretSource {
  readonly file?: string | undefined;
  /** FABRIC_CA_SECRET. */
  readonly environment?: string | undefined;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/** Takes a secret from a file, else from the environment, else from the user, who does not see it. */
export async function readSecret(question: string, source: SecretSource): Promise<string> {
  const secret = await (source.file === undefined
    ? (source.environment ?? ask(question, source))
    : readText(source.file));
  const line = secret.replace(/\r?\n$/, '');
  if (line === '') throw new IdentityError('The secret is empty.');
  return line;
}

async function ask(question: string, { input, output }: SecretSource): Promise<string> {
  if (!input.isTTY) {
    throw new IdentityError(
      'No terminal to ask for the secret: give --secret-file, or FABRIC_CA_SECRET in the environment.',
    );
  }
  output.write(question);
  const silent = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const lines = createInterface({ input, output: silent, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    output.write('\n');
  }
}

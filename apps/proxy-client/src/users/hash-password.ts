import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { hashPassword } from './password-hash.js';

/** RFC 1929, section 2: the length of a password is one byte. */
const MAX_BYTES = 255;

/** The streams of the terminal, or of a pipe. */
export interface HashPasswordStreams {
  readonly input: NodeJS.ReadStream;
  /** For the prompts: standard output is for the hash. */
  readonly questions: NodeJS.WritableStream;
}

/**
 * Hashes a password that is typed twice without echo, or that is the first line of standard input.
 *
 * @returns the hash, or the error
 */
export async function hashGivenPassword({
  input,
  questions,
}: HashPasswordStreams): Promise<{ readonly hash: string } | { readonly fault: string }> {
  const [password = '', again = password] = await read(input, questions);
  const bytes = Buffer.byteLength(password);
  if (bytes === 0 || bytes > MAX_BYTES) return { fault: `The password must have 1 to ${MAX_BYTES} bytes.` };
  if (again !== password) return { fault: 'The two passwords differ.' };
  return { hash: await hashPassword(password) };
}

async function read(input: NodeJS.ReadStream, questions: NodeJS.WritableStream): Promise<readonly string[]> {
  const silent = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const lines = createInterface({ input, output: silent, terminal: input.isTTY });
  // Raw mode turns Ctrl-C into a character: the process ends as it would by the signal.
  lines.once('SIGINT', () => {
    lines.close();
    questions.write('\n');
    process.kill(process.pid, 'SIGINT');
  });
  const given: string[] = [];
  try {
    if (input.isTTY) questions.write('Password: ');
    for await (const line of lines) {
      given.push(line);
      if (input.isTTY) questions.write(given.length === 1 ? '\nRepeat the password: ' : '\n');
      if (!input.isTTY || given.length === 2) break;
    }
  } finally {
    lines.close();
  }
  return given;
}

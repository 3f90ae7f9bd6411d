import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import type { Question } from '../../admin/api/responses.js';

/** A command, or a URL with the key of its signature. */
export interface Notified {
  readonly command?: readonly string[];
  readonly url?: string;
  readonly secret?: string;
}

const TIMEOUT_MS = 10_000;
/** The maximum size of an answer. */
const MAX_ANSWER = 4096;

/**
 * Tells the operator's command or URL about a question. Either may answer it: the command by its output, the URL by its response, with the
 * JSON of POST /asks/{id}. Otherwise the output is ignored.
 *
 * @param timeout - in milliseconds, for the command: a person may need all of the question's time
 * @returns the answer, if there is one
 * @throws if it could not be told
 */
export async function notify(config: Notified, question: Question, timeout: number): Promise<string | undefined> {
  const body = JSON.stringify(question);
  const text =
    config.url === undefined
      ? await runCommand(config.command ?? [], question, body, timeout)
      : await post(config.url, config.secret, body);
  return text.trimStart().startsWith('{') ? text : undefined;
}

async function runCommand(
  [file = '', ...args]: readonly string[],
  { target, client, user }: Question,
  body: string,
  timeout: number,
): Promise<string> {
  const who = user ?? client ?? 'a client';
  const child = spawn(file, [...args, `${who} wants to reach ${target}`], {
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout,
  });
  // It need not read the question.
  child.stdin.on('error', () => undefined).end(body);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < MAX_ANSWER) text += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(text);
      else reject(new Error(signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`));
    });
  });
}

async function post(url: string, secret: string | undefined, body: string): Promise<string> {
  const headers = {
    'Content-Type': 'application/json',
    ...(secret !== undefined && {
      'X-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    }),
  };
  const response = await fetch(url, {
    ...{ method: 'POST', headers, body, redirect: 'error' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString('utf8');
    if (text.length > MAX_ANSWER) break;
  }
  if (!response.ok) throw new Error(`it answered with status ${response.status}`);
  return text;
}

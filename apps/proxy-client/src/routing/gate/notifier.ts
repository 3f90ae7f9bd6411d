import { spawn, type ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import type { Question } from '../../admin/api/gate.responses.js';

/** A command, or a URL with the key of its signature. */
export interface Notified {
  readonly command?: readonly string[];
  readonly url?: string;
  readonly secret?: string;
}

/** The maximum length of an answer. */
const MAX_ANSWER = 4096;

/**
 * Notifies the operator's command or URL of a question. Either may answer it: the command by its output, the URL by its response, with the
 * JSON of POST /asks/{id}. Otherwise the output is ignored.
 *
 * @param signal - ends the command or request: when the time of the question is over, and when the proxy closes
 * @returns the answer, if there is one
 * @throws if the notification has failed
 */
export async function notify(config: Notified, question: Question, signal: AbortSignal): Promise<string | undefined> {
  const body = JSON.stringify(question);
  const text =
    config.url === undefined
      ? await runCommand(config.command ?? [], question, body, signal)
      : await post(config.url, config.secret, body, signal);
  return text.trimStart().startsWith('{') ? text : undefined;
}

async function runCommand(
  [file = '', ...args]: readonly string[],
  { target, client, user }: Question,
  body: string,
  signal: AbortSignal,
): Promise<string> {
  const who = user ?? client ?? 'a client';
  // A separate process group, so that it can be ended with its own children: they may hold its output open.
  const child = spawn(file, [...args, `${who} wants to reach ${target}`], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const kill = (): void => {
    killGroup(child);
    // A process that has left the group may hold it open.
    child.stdout.destroy();
  };
  signal.addEventListener('abort', kill);
  // It need not read the question.
  child.stdin.on('error', () => undefined).end(body);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < MAX_ANSWER) text += chunk;
  });
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, by) => {
        if (code === 0) resolve(text);
        else reject(new Error(by === null ? `it exited with code ${code}` : `it was ended by ${by}`));
      });
    });
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of its processes have exited.
  }
}

async function post(url: string, secret: string | undefined, body: string, signal: AbortSignal): Promise<string> {
  const headers = {
    'Content-Type': 'application/json',
    ...(secret !== undefined && {
      'X-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    }),
  };
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal });
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString('utf8');
    if (text.length > MAX_ANSWER) break;
  }
  if (!response.ok) throw new Error(`it answered with status ${response.status}`);
  return text;
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { EventReader } from './event-reader.js';
import { LedgerApi } from './ledger-api.js';
import { until } from './until.js';

const DOCUMENT = 'docs/events.md';

/** A program printed in docs/events.md, run unchanged. */
class Consumer {
  stderr = '';
  readonly lines: string[];
  readonly #child: ChildProcess;

  constructor(command: readonly string[], lines: string[]) {
    const [file = '', ...args] = command;
    this.lines = lines;
    this.#child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    let rest = '';
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    });
  }

  async kill(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

/**
 * Runs a consumer of docs/events.md against the built program through restarts of both.
 * @returns what it printed, one line an event, and what it should have
 */
export async function runConsumer(
  language: 'ts' | 'python',
  interpreter: string,
): Promise<{ readonly printed: readonly string[]; readonly events: readonly string[] }> {
  const [, code = ''] =
    new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(readFileSync(DOCUMENT, 'utf8')) ?? [];
  const port = { LEDGER_API_PORT: String(await freePort()) };
  let api = await LedgerApi.start(port);
  const [program, position] = [`follow.${language === 'ts' ? 'mts' : 'py'}`, 'position.txt'].map((name) =>
    join(api.dataDir, name),
  );
  writeFileSync(program!, code);
  const url = `${api.origin}/api/v1/events?from=0`;
  const printed: string[] = [];
  const start = (): Consumer => new Consumer([interpreter, program!, url, position!], printed);
  const received = (id: string): Promise<void> => until(() => printed.some((line) => line.endsWith(` ${id}`)));
  let consumer = start();
  try {
    await api.create('first');
    await received('first');
    await api.program.end('SIGKILL');
    api = await LedgerApi.start(port, api.dataDir);
    await api.create('behind-a-restart');
    await received('behind-a-restart');
    // What it has not saved arrives again, by its own documentation.
    await until(() => existsSync(position!) && readFileSync(position!, 'utf8').startsWith('2:end:'));
    await consumer.kill();
    await api.create('while-away');
    consumer = start();
    await received('while-away');
    const reader = await EventReader.open(url);
    await until(() => reader.messages.some(({ data }) => data['assetId'] === 'while-away'));
    const { messages } = reader;
    const end = messages.length + Number(messages.at(-1)?.event !== 'block');
    await reader.count(end);
    await until(() => printed.length >= end);
    await reader.close();
    const events = messages.map(
      ({ id, event, data }) => `${id} ${event} ${(data['assetId'] as string | undefined) ?? ''}`,
    );
    return { printed, events };
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${consumer.stderr}`, { cause: error });
  } finally {
    await consumer.kill();
    await api.stop();
  }
}

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** `ledger-writer.mjs` as a process: a ledger that can be killed. */
export class LedgerProcess {
  readonly process: ChildProcessWithoutNullStreams;
  /** Every line that it has written. */
  readonly lines: string[] = [];
  readonly ended: Promise<void>;
  stderr = '';
  readonly #waiting = new Set<() => void>();
  #hasEnded = false;

  /** @param under - a program, with its arguments, that runs it */
  constructor(dataDir: string, under: readonly string[] = []) {
    const [program, ...args] = [...under, process.execPath, join(import.meta.dirname, 'ledger-writer.mjs'), dataDir];
    this.process = spawn(program, args);
    this.process.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#wake();
    });
    // What is written to a process that has just been killed is lost, as it should be.
    this.process.stdin.on('error', () => undefined);
    createInterface({ input: this.process.stdout }).on('line', (line) => {
      this.lines.push(line);
      this.#wake();
    });
    this.ended = once(this.process, 'close').then(() => {
      this.#hasEnded = true;
      this.#wake();
    });
  }

  /** Starts a ledger and waits until it is open. */
  static async open(dataDir: string): Promise<LedgerProcess> {
    const ledger = new LedgerProcess(dataDir);
    await ledger.line(/^ready /);
    return ledger;
  }

  send(command: string): void {
    this.process.stdin.write(`${command}\n`);
  }

  /** Sends a command and waits for the line that answers it. */
  async ask(command: string, answer: RegExp): Promise<string> {
    const from = this.lines.length;
    this.send(command);
    return this.line(answer, from);
  }

  /** The first line from `from` on that matches, as soon as it is there. */
  async line(pattern: RegExp, from = 0): Promise<string> {
    let read = from;
    for (;;) {
      for (; read < this.lines.length; read++) {
        const line = this.lines[read] ?? '';
        if (pattern.test(line)) return line;
      }
      if (this.#hasEnded)
        throw new Error(`ended without ${String(pattern)}:\n${this.lines.join('\n')}\n${this.stderr}`);
      await this.#next();
    }
  }

  /** Resolves when that many lines match. Tests each line once, because a stream of writes has thousands of them. */
  async count(pattern: RegExp, wanted: number): Promise<void> {
    let [read, matching] = [0, 0];
    for (;;) {
      for (; read < this.lines.length; read++) if (pattern.test(this.lines[read] ?? '')) matching++;
      if (matching >= wanted || this.#hasEnded) return;
      await this.#next();
    }
  }

  /** Resolves when it has printed that much to stderr. */
  async logged(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.stderr)) {
      if (this.#hasEnded) throw new Error(`ended without logging ${String(pattern)}:\n${this.stderr}`);
      await this.#next();
    }
  }

  /** The text after the first word of each line of the kind. */
  all(kind: 'acked' | 'refused' | 'moved' | 'kept' | 'purging' | 'purged'): string[][] {
    return this.lines.filter((line) => line.startsWith(`${kind} `)).map((line) => line.split(' ').slice(1));
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.ended;
  }

  async close(): Promise<void> {
    this.send('close');
    await this.ended;
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
    });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import process from 'node:process';

/** A folder in which the commands of a page are run as they are printed: it has the programs and packages of the workspace. */
export class DocumentedStart {
  /** The working directory; a page may also name folders next to it. */
  readonly path: string;
  readonly #home = mkdtempSync(join(tmpdir(), 'documented-start-'));
  #shell: ChildProcess | undefined;
  #url = '';

  constructor() {
    this.path = join(this.#home, 'workspace');
    // The page's commands name both below the working directory.
    mkdirSync(this.path);
    for (const name of ['node_modules', 'dist']) symlinkSync(resolve(name), join(this.path, name));
  }

  /** Runs the commands of a page, of which the last one starts the ledger, until that is ready. */
  async run(page: string): Promise<void> {
    const [, commands = ''] = /^```sh\n([^]*?)^```$/m.exec(readFileSync(page, 'utf8')) ?? [];
    const env = {
      ...process.env,
      LEDGER_API_PORT: '0',
      LEDGER_API_HTTPS_PORT: '0',
      // Far from the folder of the chaincode, which may not contain it.
      LEDGER_DATA_DIR: join(this.#home, 'data'),
    };
    // A group of its own, since the shell waits for the ledger. Errors end it.
    const shell = spawn('bash', ['-e', '-c', commands], {
      cwd: this.path,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#shell = shell;
    for await (const line of createInterface({ input: shell.stdout })) {
      const { msg = '', http = '' } = parsed(line);
      if (!msg.startsWith('ledger-api is ready')) continue;
      this.#url = http;
      shell.stdout.resume();
      return;
    }
    throw new Error(`The commands of ${page} ended before the ledger was ready.`);
  }

  /** Calls a function of a chaincode. */
  async call(
    kind: 'evaluate' | 'submit',
    chaincode: string,
    name: string,
    ...args: readonly string[]
  ): Promise<object> {
    return this.send(kind, chaincode, { function: name, arguments: args });
  }

  /** Sends a call to a chaincode. */
  async send(kind: 'evaluate' | 'submit', chaincode: string, body: object): Promise<object> {
    const response = await fetch(`${this.#url}/contracts/${chaincode}/${kind}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, ...((await response.json()) as object) };
  }

  /** Ends the ledger and removes the folder. */
  async stop(): Promise<void> {
    const { pid, exitCode } = this.#shell ?? {};
    if (this.#shell !== undefined && pid !== undefined && exitCode === null) {
      process.kill(-pid, 'SIGTERM');
      await once(this.#shell, 'exit');
    }
    rmSync(this.#home, { recursive: true, force: true });
  }
}

function parsed(line: string): { readonly msg?: string; readonly http?: string } {
  try {
    return JSON.parse(line) as { readonly msg?: string; readonly http?: string };
  } catch {
    // Of a command before the ledger.
    return {};
  }
}

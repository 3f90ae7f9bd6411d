import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program, type Ended } from '../program.js';

const MAIN = 'apps/proxy-client/bundle/lib/proxy-client.js';

export interface ProxySettings {
  /** The content of a configuration file, to be named by --config. */
  readonly config?: string | object;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** How many files it may open at once. */
  readonly openFiles?: number;
  /** Further files of the working directory. */
  readonly files?: Readonly<Record<string, string>>;
}

/** proxy-client as a process in its own working directory. */
export class ProxyProgram implements AsyncDisposable {
  readonly program: Program;
  readonly #directory = mkdtempSync(join(tmpdir(), 'proxy-client-'));

  /** The path of {@link ProxySettings.config}. */
  get configFile(): string {
    return join(this.#directory, 'config.yaml');
  }

  constructor({ config, args = [], env = {}, files = {}, openFiles }: ProxySettings) {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(this.#directory, name), content);
    if (config !== undefined)
      writeFileSync(this.configFile, typeof config === 'string' ? config : JSON.stringify(config));
    this.program = new Program({
      main: MAIN,
      args: [...(config === undefined ? [] : ['--config', 'config.yaml']), ...args],
      env,
      cwd: this.#directory,
      ...(openFiles !== undefined && { openFiles }),
    });
  }

  /** Starts a proxy on a free port, through the embedded upstream unless the configuration specifies another one. */
  static async start(
    config: object = {},
    env: Readonly<Record<string, string>> = {},
    args: readonly string[] = [],
  ): Promise<RunningProxy> {
    const started = new ProxyProgram({
      config: { listen: { port: 0 }, upstream: 'embedded', admin: 'off', ...config },
      env,
      args,
    });
    const urls = await started.program.ready();
    return Object.assign(started, { url: urls['proxy']!, admin: urls['admin'] });
  }

  /** Waits for a program that exits without a signal. */
  async outcome(): Promise<Ended & { readonly stdout: string; readonly stderr: string }> {
    const ended = await this.program.ended;
    const { stdout, stderr } = this.program;
    return { ...ended, stdout, stderr };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.program.process.exitCode === null && this.program.process.signalCode === null) {
      await this.program.end('SIGKILL');
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

export type RunningProxy = ProxyProgram & {
  readonly url: string;
  readonly admin: string | undefined;
};

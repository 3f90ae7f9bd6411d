import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { isAlive, stopProcess, type RecordedProcess } from '../../src/fabric-network/processes.js';
import type { ComponentName } from '../../src/fabric-network/network-record.js';
import { readNetwork } from './fabric-client.js';
import { Program } from './program.js';
import { until } from './until.js';

const PORTS_FREE_MS = 120_000;

/** A network of a test's own, on free ports, whose parts can be stopped, frozen and started again. */
export class FabricNetwork {
  /** Folder with `.env`, connection profiles, `wallet` and `pem`. */
  readonly directory: string;
  readonly #home: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(home: string, env: Readonly<Record<string, string>>) {
    this.#home = home;
    this.directory = join(home, 'network');
    this.#env = env;
  }

  /**
   * Makes a network.
   * @param env what the Fabric binaries are found by, see `fabricRelease`
   * @param args further options of `npm run fabric -- up`
   */
  static async up(env: Readonly<Record<string, string>>, ...args: string[]): Promise<FabricNetwork> {
    const network = new FabricNetwork(mkdtempSync(join(tmpdir(), 'fabric-network-')), env);
    await network.#run('up', '--first-port', '0', ...args);
    return network;
  }

  /** The settings for ledger-api in its `.env`. */
  get env(): Readonly<Record<string, string>> {
    return parseEnv(readFileSync(join(this.directory, '.env'), 'utf8')) as Record<string, string>;
  }

  /** Ends one part and waits until it has gone. */
  async stop(name: ComponentName): Promise<void> {
    await stopProcess(this.#part(name));
  }

  /** Ends one part at once, as a crash does, and waits until it has gone. */
  async kill(name: ComponentName): Promise<void> {
    const part = this.#part(name);
    process.kill(-part.pid, 'SIGKILL');
    await until(() => !isAlive(part));
  }

  /** Freezes one part, with its connections open. */
  freeze(name: ComponentName): void {
    process.kill(-this.#part(name).pid, 'SIGSTOP');
  }

  /** Lets a frozen part continue. */
  thaw(name: ComponentName): void {
    process.kill(-this.#part(name).pid, 'SIGCONT');
  }

  /** Starts again what was stopped and waits until it listens; the peers may not endorse yet. */
  async startStopped(): Promise<void> {
    // A port without a listener may be used by any process: the system may have assigned it to a connection, even to one to that port.
    await until(async () => {
      try {
        await this.#run('up', '--no-probe');
        return true;
      } catch (error) {
        if (String(error).includes('EADDRINUSE')) return false;
        throw error;
      }
    }, PORTS_FREE_MS);
  }

  async down(): Promise<void> {
    await this.#run('down', '--remove-data');
    rmSync(this.#home, { recursive: true, force: true });
  }

  #part(name: ComponentName): RecordedProcess {
    const found = readNetwork(this.directory).processes.findLast(
      (process) => process.name === name && isAlive(process),
    );
    if (found === undefined) throw new Error(`the ${name} does not run`);
    return found;
  }

  async #run(command: string, ...args: string[]): Promise<void> {
    const program = new Program({
      main: 'src/fabric.js',
      args: [command, '--dir', this.directory, ...args],
      env: this.#env,
    });
    const { code } = await program.ended;
    if (code !== 0) throw new Error(`fabric ${command} ended with ${code ?? 'a signal'}: ${program.stderr}`);
  }
}

/** A network as its clients see it. */
export type TestNetwork = Pick<FabricNetwork, 'directory' | 'env' | 'down'>;

/** Makes a network for one suite. */
export function fabricNetworkUp(env: Readonly<Record<string, string>>, ...args: string[]): Promise<FabricNetwork> {
  return FabricNetwork.up(env, ...args);
}

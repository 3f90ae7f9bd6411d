import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { homedir } from 'node:os';
import { readOnly, SEPARATED, systemMounts, WITHOUT_USER_NAMESPACES } from '#bubblewrap';

/** What a confined process can use. */
export interface Confinement {
  /** The files and folders that it may read, besides the system's own. */
  readonly readable: readonly string[];
  /** The directory that it may write. */
  readonly directory: string;
  /** Whether it is reached by TCP; otherwise it has no network. */
  readonly hasNetwork: boolean;
  /** The working directory, which is one of those above. */
  readonly workingDirectory: string;
}

/** Confines processes by bubblewrap: they see the system, their own files and nothing else, and have a network only on demand. */
export class Isolation {
  readonly #mounts: readonly string[];

  private constructor(mounts: readonly string[]) {
    this.#mounts = mounts;
  }

  /** Tries bubblewrap. @returns why it does not work, when it does not */
  static async probe(): Promise<Isolation | string> {
    // The home directory contains keys, also when it is /root, which is not below a directory that is hidden already.
    const isolation = new Isolation([...systemMounts(), ...['--tmpfs', homedir()]]);
    const command = isolation.wrap(['/bin/true'], {
      readable: [],
      directory: '/tmp',
      ...{ hasNetwork: false, workingDirectory: '/tmp' },
    });
    const child = spawn(command[0] ?? '', command.slice(1), { stdio: ['ignore', 'ignore', 'pipe'] });
    let message = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (message += text));
    try {
      const [code] = (await once(child, 'close')) as [number | null];
      return code === 0 ? isolation : message.trim();
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'bwrap is not installed' : (error as Error).message;
    }
  }

  /** Returns the command line that starts another one confined. */
  wrap(
    command: readonly string[],
    { readable, directory, hasNetwork, workingDirectory }: Confinement,
  ): readonly string[] {
    // Parents before what is below them, which they would hide.
    const visible = [...readable].sort((a, b) => a.length - b.length);
    return [
      ...['bwrap', ...SEPARATED, ...WITHOUT_USER_NAMESPACES],
      ...(hasNetwork ? [] : ['--unshare-net']),
      ...this.#mounts,
      ...visible.flatMap(readOnly),
      ...['--bind', directory, directory],
      ...['--chdir', workingDirectory, '--', ...command],
    ];
  }
}

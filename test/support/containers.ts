import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { findProgram } from './peers/find-program.js';
import { runTool, type ToolResult } from './proxy/run-tool.js';

/** The configuration with which an image is run. */
export interface ImageConfig {
  readonly User: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd?: readonly string[];
  readonly Env: readonly string[];
  readonly WorkingDir: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

/** What the images are built with and run by, if it is on this machine. */
export const BUILDAH = findProgram('BUILDAH', 'buildah');

/** The programs that a step of a build, or the base itself, calls. */
const PROGRAMS = ['sh', 'env', 'mkdir', 'chown', 'ln', 'touch'];

/** A separate storage for images that are built here, on a base that is made of this machine's own files. */
export class Images implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'images-'));
  readonly #buildah: string;

  constructor(buildah: string) {
    this.#buildah = buildah;
    this.#makeBase();
  }

  /** Builds an image. */
  build(dockerfile: string, context: string, name: string): ImageConfig {
    const options = [
      '--isolation',
      'chroot',
      '--format',
      'docker',
      '--build-arg',
      'BASE=localhost/base',
      '--pull-never',
      '--build-arg',
      'VERSION=1.2.3',
    ];
    this.#run('bud', ...options, '--tag', name, '--file', dockerfile, context);
    const shown = JSON.parse(this.#run('inspect', '--type', 'image', `localhost/${name}`)) as {
      readonly Docker: { readonly config: ImageConfig };
    };
    return shown.Docker.config;
  }

  /** The root of a container of the image. */
  mount(name: string): string {
    const container = this.#run('from', '--pull-never', `localhost/${name}`).trim();
    return this.#run('mount', container).trim();
  }

  [Symbol.dispose](): void {
    this.#run('rm', '--all');
    this.#run('rmi', '--all', '--force');
    rmSync(this.directory, { recursive: true, force: true });
  }

  #run(...args: readonly string[]): string {
    const storage = ['--root', join(this.directory, 'root'), '--runroot', join(this.directory, 'run')];
    const options = [...storage, '--storage-driver', 'vfs', ...args];
    return execFileSync(this.#buildah, options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Node, a shell, and what they are linked with. */
  #makeBase(): void {
    const root = join(this.directory, 'base');
    const files = [process.execPath, ...PROGRAMS.map((name) => findProgram('', name)!)];
    for (const [index, file] of files.entries()) {
      const to = join(root, index === 0 ? 'usr/local/bin' : 'usr/bin');
      mkdirSync(to, { recursive: true });
      copyFileSync(file, join(to, basename(file)));
      const libraries = execFileSync('ldd', [file], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
      for (const library of libraries) {
        mkdirSync(join(root, dirname(library)), { recursive: true });
        copyFileSync(library, join(root, library));
      }
    }
    for (const folder of ['etc', 'dev', 'proc', 'tmp', 'var/lib']) mkdirSync(join(root, folder), { recursive: true });
    symlinkSync('usr/bin', join(root, 'bin'));
    chmodSync(join(root, 'tmp'), 0o1777);
    const container = this.#run('from', 'scratch').trim();
    this.#run('copy', container, root, '/');
    const path = 'PATH=/usr/local/bin:/usr/bin:/bin';
    this.#run('config', '--env', path, container);
    this.#run('commit', container, 'base');
  }
}

export interface RunOptions {
  readonly root: string;
  readonly config: ImageConfig;
  /** Files or folders of this machine, by where they are in the container. */
  readonly mounts: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Commands of a shell, run next to the program once it is healthy; `inside` runs one in the container. */
  readonly script: string;
}

/** Single quotes around a word of a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * Runs a container as its image and the compose file want it: its own network and processes, a root that is read-only, its
 * user without a capability; then the script, then SIGTERM. What the script prints is followed by `ended with` and the code.
 */
export async function runContainer({ root, config, mounts, env = {}, script }: RunOptions): Promise<ToolResult> {
  const { User, Entrypoint, Cmd = [], Env, WorkingDir, Healthcheck } = config;
  const variables = [...Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)].map(quoted);
  // To be another user than root is to be without a capability; it cannot be got back either.
  const enter = `setpriv --no-new-privs /usr/sbin/chroot --userspec=${User} ${quoted(root)}`;
  const command = (words: readonly string[]) =>
    `/usr/bin/env -i ${variables.join(' ')} ${enter} ${words.map(quoted).join(' ')}`;
  const program = command(['/bin/sh', '-c', 'cd "$0" && exec "$@"', WorkingDir, ...Entrypoint, ...Cmd]);
  const lines = [
    'set -eu',
    `mount --bind ${quoted(root)} ${quoted(root)}`,
    ...Object.entries(mounts).flatMap(([at, from]) => [`mount --bind ${quoted(from)} ${quoted(join(root, at))}`]),
    `mount -o remount,bind,ro ${quoted(root)}`,
    `mount -t tmpfs tmpfs ${quoted(join(root, 'tmp'))}`,
    `mount -t proc proc ${quoted(join(root, 'proc'))}`,
    `mount --rbind /dev ${quoted(join(root, 'dev'))}`,
    'ip link set lo up',
    `inside() { /usr/bin/env -i ${variables.join(' ')} ${enter} "$@"; }`,
    `healthy() { ${command(Healthcheck.Test.slice(1))}; }`,
    `${program} >&2 & pid=$!`,
    'tries=0; until healthy; do tries=$((tries + 1)); [ $tries -lt 100 ]; kill -0 $pid; sleep 0.2; done',
    script,
    'kill -TERM $pid; code=0; wait $pid || code=$?; echo "ended with $code"',
  ];
  const file = join(dirname(root), 'run.sh');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return runTool('unshare', ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', file]);
}

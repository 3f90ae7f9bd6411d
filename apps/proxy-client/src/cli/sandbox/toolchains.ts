import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isBelow } from './protected-paths.js';

/** Directories of the home directory with programs, and where else these programs have files. None of them contains secrets. */
const TOOLCHAINS: Readonly<Record<string, readonly string[]>> = {
  '.cargo/bin': ['.rustup'],
  '.local/bin': ['.local/lib', '.local/pipx', '.local/share/pipx', '.local/share/uv'],
  '.sdkman/candidates': [],
  '.bun/bin': [],
  '.deno/bin': [],
  'go/bin': [],
  ...Object.fromEntries(
    ['.pyenv', '.rbenv', '.nodenv', '.goenv', '.jenv', '.nvm', '.fnm', '.volta', '.asdf', '.juliaup', '.ghcup']
      .concat(['.local/share/mise', '.local/share/fnm', '.local/share/pnpm', 'miniconda3', 'anaconda3', 'miniforge3'])
      .map((root) => [root, []]),
  ),
};

/**
 * Returns the directories of version managers and tools that PATH names in the home directory, which is otherwise empty in the sandbox:
 * the command finds the same programs as outside.
 *
 * @param path - the variable PATH
 */
export function toolchainsOf(home: string, path: string): readonly string[] {
  const programs = path.split(':');
  return Object.entries(TOOLCHAINS)
    .filter(([root]) => programs.some((directory) => isBelow(directory, join(home, root))))
    .flatMap(([root, others]) => [root, ...others].map((name) => join(home, name)))
    .filter((directory) => existsSync(directory));
}

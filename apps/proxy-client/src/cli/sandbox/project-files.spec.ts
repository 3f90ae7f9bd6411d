import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { redirectionsOf, searchProject } from './project-files.js';
import { toolchainsOf } from './toolchains.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'project-files-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function files(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
  }
}

const below = (paths: readonly string[]): readonly string[] => paths.map((path) => path.slice(root.length + 1)).sort();

describe('searchProject', () => {
  it('finds hooks and settings of repositories, also of nested ones, of submodules and of bare ones', () => {
    for (const git of ['.git', 'a/b/.git', '.git/modules/sub', 'bare.git']) {
      files(`${git}/HEAD`, `${git}/config`, `${git}/objects/x`, `${git}/index`);
    }
    files('.git/hooks/pre-commit', 'a/b/.git/config.worktree', 'a/HEAD');
    const found = searchProject(root);
    expect(below(found.executed)).toEqual([
      ...['.git/config', '.git/hooks', '.git/modules/sub/config', 'a/b/.git/config', 'a/b/.git/config.worktree'],
      'bare.git/config',
    ]);
    expect(below(found.missing)).toEqual(['.git/modules/sub/hooks', 'a/b/.git/hooks', 'bare.git/hooks']);
    files('a/b/.git/commondir');
    expect(below(redirectionsOf(found))).toEqual(['a/b/.git/commondir', 'a/b/.git/config.worktree']);
    expect(redirectionsOf(undefined)).toEqual([]);
  });

  it('finds the files of worktrees and submodules that name a repository, and those by which a worktree names its own', () => {
    files('.git/HEAD', '.git/config', '.git/objects/x', '.git/hooks/x', 'tree/.git', 'sub/.git');
    files('.git/worktrees/tree/HEAD', '.git/worktrees/tree/commondir', '.git/worktrees/tree/gitdir');
    const found = searchProject(root);
    expect(below(found.executed)).toEqual([
      ...['.git/config', '.git/hooks', '.git/worktrees/tree/commondir', 'sub/.git', 'tree/.git'],
    ]);
    expect(found.missing).toEqual([]);
    files('.git/worktrees/tree/config.worktree', '.git/config.worktree');
    expect(below(redirectionsOf(found))).toEqual(
      expect.arrayContaining(['.git/config.worktree', '.git/worktrees/tree/config.worktree']),
    );
  });

  it('finds start files of shells, settings of editors and sockets; it follows no links', async () => {
    files('.bashrc', 'deep/er/.envrc', 'deep/.vscode/tasks.json', 'node_modules/x/.bashrc', 'src/index.ts');
    symlinkSync('/etc', join(root, 'link'));
    symlinkSync(join(root, '.bashrc'), join(root, '.profile'));
    const server = createServer().listen(join(root, 'deep/s'));
    await once(server, 'listening');
    const found = searchProject(root);
    server.close();
    expect(below(found.executed)).toEqual(['.bashrc', 'deep/.vscode', 'deep/er/.envrc']);
    expect(below(found.sockets)).toEqual(['deep/s']);
    expect(found.isIncomplete).toBe(false);
  });

  it('ends after a number of directories, and states that', () => {
    files('a/b/c/d/.bashrc');
    expect(searchProject(root, 3)).toMatchObject({ executed: [], isIncomplete: true });
  });
});

describe('toolchainsOf', () => {
  it('returns the directories of tools that PATH names, and what their programs need', () => {
    files(
      '.cargo/bin/cargo',
      '.rustup/settings.toml',
      '.pyenv/shims/pip',
      '.nvm/versions/node/v1/bin/npm',
      '.aws/bin/x',
    );
    const path = ['/usr/bin', `${root}/.cargo/bin`, `${root}/.nvm/versions/node/v1/bin`, `${root}/.aws/bin`].join(':');
    expect(below(toolchainsOf(root, path))).toEqual(['.cargo/bin', '.nvm', '.rustup']);
  });
});

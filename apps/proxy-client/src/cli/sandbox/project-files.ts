import { accessSync, constants, existsSync, readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';

/** Files and directories of a project through which a command could later run programs outside of the sandbox. */
export interface ProjectFiles {
  /** Hooks and settings of git, start files of shells, settings of editors. */
  readonly executed: readonly string[];
  /** Hooks of repositories that have no such directory: they must not appear. */
  readonly missing: readonly string[];
  /** The directories of repositories. */
  readonly repositories: readonly string[];
  /** Unix sockets: other programs answer on them. */
  readonly sockets: readonly string[];
  /** Whether the search was ended because there are too many directories. */
  readonly isIncomplete: boolean;
}

/** Start files of shells, and settings of editors and tools from which they run commands. */
const START_FILES = new Set([
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.profile', '.envrc', '.kshrc', '.cshrc', '.tcshrc'],
  ...['.zshrc', '.zprofile', '.zshenv', '.zlogin', '.zlogout', '.inputrc', '.tmux.conf', '.screenrc', '.gdbinit'],
  ...['.gitconfig', '.hgrc', '.ripgreprc', '.vimrc', '.exrc', '.nvimrc', '.nvim.lua', '.emacs', '.dir-locals.el'],
  // Of a worktree or a submodule: the repository that it names has hooks.
  ...['.mcp.json', '.git'],
]);
/** Directories with settings of editors, from which they run commands. */
const EDITORS = new Set(['.vscode', '.idea', '.fleet', '.zed', '.vim', '.nvim', '.cursor', '.claude', '.devcontainer']);

/** Directories that contain many files and no repository of a person. */
const SKIPPED = new Set(['node_modules', 'objects']);
/** The search takes about a second for as many. */
const MAX_DIRECTORIES = 50_000;

/** Searches a directory that a command may change. Symbolic links are not followed. */
export function searchProject(root: string, limit = MAX_DIRECTORIES): ProjectFiles {
  const found = {
    executed: [] as string[],
    missing: [] as string[],
    repositories: [] as string[],
    sockets: [] as string[],
  };
  // Directories near the root come first.
  const queue = [root];
  let searched = 0;
  for (const directory of queue) {
    if (searched === limit) break;
    searched += 1;
    const entries = entriesOf(directory);
    const repository = repositoryIn(directory, new Set(entries.map(({ name }) => name)));
    found.repositories.push(...repository.repositories);
    found.missing.push(...repository.missing);
    found.executed.push(...repository.executed, ...entries.filter(isExecuted).map(pathOf));
    found.sockets.push(...entries.filter((entry) => entry.isSocket()).map(pathOf));
    queue.push(...entries.filter(isSearched).map(pathOf));
  }
  return { ...found, isIncomplete: searched < queue.length };
}

const NO_REPOSITORY = { repositories: [], executed: [], missing: [] };

/** Files by which a repository uses settings and hooks of another directory. */
const REDIRECTIONS = ['commondir', 'config.worktree'];

/**
 * Finds the settings and hooks of a repository, if a directory is that of one: `.git`, that of a submodule, a bare one, or that of a
 * worktree, which has neither objects nor hooks of its own.
 */
function repositoryIn(
  directory: string,
  names: ReadonlySet<string>,
): Pick<ProjectFiles, 'repositories' | 'executed' | 'missing'> {
  const isWhole = ['HEAD', 'config', 'objects'].every((name) => names.has(name));
  if (!isWhole && !['HEAD', 'commondir'].every((name) => names.has(name))) return NO_REPOSITORY;
  const settings = ['config', 'hooks', ...REDIRECTIONS].filter((name) => names.has(name));
  return {
    repositories: [directory],
    executed: settings.map((name) => join(directory, name)),
    missing: !isWhole || names.has('hooks') || !canChange(directory) ? [] : [join(directory, 'hooks')],
  };
}

function pathOf({ parentPath, name }: Dirent): string {
  return join(parentPath, name);
}

function isExecuted(entry: Dirent): boolean {
  return entry.isDirectory() ? EDITORS.has(entry.name) : entry.isFile() && START_FILES.has(entry.name);
}

function isSearched(entry: Dirent): boolean {
  return entry.isDirectory() && !EDITORS.has(entry.name) && !SKIPPED.has(entry.name);
}

/** Returns the files by which repositories use settings and hooks of another directory: git looks for them first. */
export function redirectionsOf(project: Pick<ProjectFiles, 'repositories'> | undefined): readonly string[] {
  const repositories = project?.repositories ?? [];
  const files = repositories.flatMap((repository) => REDIRECTIONS.map((name) => join(repository, name)));
  return files.filter((file) => existsSync(file));
}

function canChange(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // A directory of another user, which the command cannot read either.
    return [];
  }
}

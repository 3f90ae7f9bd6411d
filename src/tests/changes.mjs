// Finds what has changed in the working tree, and which of the programs the changes concern.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, readdirSync } from 'node:fs';

/** Where a clone finds the main line; the first that exists counts. */
const MAIN_LINES = ['origin/HEAD', 'origin/main', 'main'];

function git(root, args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  return status === 0 ? stdout : undefined;
}

/**
 * Lists the files that differ from the commit at which this branch left the main line: committed, not committed, not added and deleted.
 *
 * @returns undefined if there is no such commit, as in a copy without history
 */
export function changesSinceMainLine(root) {
  const mainLine = MAIN_LINES.find((name) => git(root, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]));
  const base = mainLine && git(root, ['merge-base', 'HEAD', mainLine])?.trim();
  if (!base) return undefined;
  const changed = git(root, ['diff', '--name-only', '--no-renames', '-z', base]);
  const added = git(root, ['ls-files', '--others', '--exclude-standard', '-z']);
  if (changed === undefined || added === undefined) return undefined;
  return {
    mainLine,
    base,
    files: `${changed}${added}`
      .split('\0')
      .filter((file) => file !== '')
      .sort(),
  };
}

/** The folder whose files count as one unit: an app, a lib or a folder of src; undefined for other files. */
function unitOf(path) {
  return /^(?:apps|libs|src)\/[^/]+(?=\/)/.exec(path)?.[0];
}

/** The libs that each unit imports, in its code and its tests. */
function importsOfUnits(root) {
  const imports = new Map();
  for (const path of globSync('{apps,libs,src}/*/**/*.{ts,svelte,mjs}', { cwd: root })) {
    const unit = unitOf(path);
    if (!imports.has(unit)) imports.set(unit, new Set());
    const text = readFileSync(`${root}/${path}`, 'utf8');
    for (const [, name] of text.matchAll(/['"]#([a-z0-9-]+)(?:\/[a-z-]+)?['"]/g)) imports.get(unit).add(`libs/${name}`);
  }
  return imports;
}

/** The units that a unit needs, with itself. */
function closure(imports, unit, found = new Set()) {
  if (found.has(unit)) return found;
  found.add(unit);
  for (const needed of imports.get(unit) ?? []) closure(imports, needed, found);
  return found;
}

/** Assigns files to the programs that they concern, by the imports of the libs. */
export class Programs {
  #units;

  /** The names of the folders of `apps`. */
  names;

  constructor(root) {
    this.names = readdirSync(`${root}/apps`).sort();
    const imports = importsOfUnits(root);
    const needed = new Map(this.names.map((name) => [name, closure(imports, `apps/${name}`)]));
    const usersOf = (unit) => this.names.filter((name) => needed.get(name).has(unit));
    this.#units = new Map([...imports.keys()].map((unit) => [unit, usersOf(unit)]));
    // A tool belongs to the program whose own libs it imports.
    for (const unit of [...imports.keys()].filter((name) => name.startsWith('src/'))) {
      const own = [...closure(imports, unit)].flatMap((lib) => (usersOf(lib).length === 1 ? usersOf(lib) : []));
      if (own.length > 0) this.#units.set(unit, [...new Set(own)].sort());
    }
  }

  /** Returns the programs that a file concerns: none for files that no program uses, such as scripts and fixtures. */
  of(path) {
    const unit = unitOf(path);
    if (unit !== undefined) return this.#units.get(unit) ?? [];
    // Tests of processes are in folders that have the name of a program or of a lib.
    const folders = path.split('/').slice(0, -1);
    const named = folders.flatMap((name) =>
      this.names.includes(name) ? [name] : (this.#units.get(`libs/${name}`) ?? []),
    );
    return [...new Set(named)].sort();
  }

  /** Returns whether any part of the workspace may depend on a file: a lib of all programs, or a file of the workspace itself. */
  isShared(path) {
    if (unitOf(path) !== undefined) return this.of(path).length === this.names.length;
    return !/^(?:test|docs|deploy)\//.test(path) && !path.endsWith('.md') && path !== 'LICENSE';
  }
}

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

interface Changes {
  readonly mainLine: string;
  readonly files: readonly string[];
}
interface Programs {
  of(path: string): readonly string[];
  isShared(path: string): boolean;
}
interface Input {
  readonly changed: readonly string[];
  readonly specs: readonly string[];
  readonly programs: (path: string) => readonly string[];
}
type Selection = Readonly<Record<'chosen' | 'long' | 'others', readonly string[]>>;
interface ChangeInput extends Input {
  readonly related: readonly string[];
  readonly text: (spec: string) => string;
  readonly seconds: (spec: string) => number;
}

// The scripts are plain JavaScript, which has no types: they run before anything is built.
const [CHANGES, SELECTION] = ['./changes.mjs', './selection.mjs'];
const { changesSinceMainLine, Programs } = (await import(CHANGES)) as {
  readonly changesSinceMainLine: (root: string) => Changes | undefined;
  readonly Programs: new (root: string) => Programs;
};
const { selectForChange, selectForPrograms } = (await import(SELECTION)) as {
  readonly selectForChange: (input: ChangeInput) => Selection;
  readonly selectForPrograms: (input: Input) => { readonly chosen: readonly string[]; readonly skipped: number };
};

/** A workspace with two programs, a lib that both use, and one of each. */
const WORKSPACE: Readonly<Record<string, string>> = {
  'apps/api/src/a.ts': "import '#common';\nimport '#ledger';\n",
  'apps/proxy/src/p.ts': "import '#common/testing';\nimport '#codec';\n",
  'libs/common/src/index.ts': '',
  'libs/codec/src/index.ts': '',
  'libs/ledger/src/index.ts': "import '#chain';\n",
  'libs/chain/src/index.ts': '',
  'src/tools/main.ts': "import '#common';\nimport '#ledger';\n",
  'package.json': '{}',
};
const SPECS = [
  'apps/api/src/a.spec.ts',
  'apps/proxy/src/p.spec.ts',
  'apps/proxy/src/slow.spec.ts',
  'libs/chain/src/chain.spec.ts',
  'test/e2e/api/start.e2e-spec.ts',
  'test/e2e/launcher/start.e2e-spec.ts',
  'test/e2e/proxy/start.e2e-spec.ts',
  'test/pages/proxy/list.pages-spec.ts',
];

let root: string;
let programs: Programs;

function git(...args: string[]): void {
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', '-c', 'core.hooksPath=/dev/null'];
  execFileSync('git', [...author, ...args], { cwd: root, stdio: 'pipe' });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'selection-'));
  for (const [path, text] of Object.entries(WORKSPACE)) write(path, text);
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '-m', 'first');
  programs = new Programs(root);
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

function select(changed: readonly string[], related: readonly string[] = [], slow: readonly string[] = []) {
  const seconds = (spec: string) => (slow.includes(spec) ? 30 : 0);
  const text = (spec: string) => (spec === 'apps/api/src/a.spec.ts' ? "readFileSync('docs/guide.md')" : '');
  return selectForChange({ changed, specs: SPECS, related, text, seconds, programs: (path) => programs.of(path) });
}

describe('changesSinceMainLine', () => {
  it('lists what was committed, changed, added and deleted since the branch left the main line', () => {
    expect(changesSinceMainLine(root)).toMatchObject({ mainLine: 'main', files: [] });
    git('switch', '--quiet', '--create', 'topic');
    write('apps/api/src/a.ts', 'changed');
    git('commit', '--quiet', '--all', '-m', 'second');
    write('libs/codec/src/index.ts', 'changed');
    write('apps/api/src/new file.ts', '');
    rmSync(join(root, 'libs/chain/src/index.ts'));
    expect(changesSinceMainLine(root)?.files).toEqual([
      'apps/api/src/a.ts',
      'apps/api/src/new file.ts',
      'libs/chain/src/index.ts',
      'libs/codec/src/index.ts',
    ]);
  });

  it('finds nothing to compare with where there is no main line, no common commit and no repository', () => {
    git('branch', '--move', 'topic');
    expect(changesSinceMainLine(root)).toBeUndefined();
    git('branch', 'main');
    git('switch', '--quiet', '--orphan', 'other');
    expect(changesSinceMainLine(root)).toBeUndefined();
    rmSync(join(root, '.git'), { recursive: true });
    expect(changesSinceMainLine(root)).toBeUndefined();
  });
});

describe('Programs', () => {
  it.each([
    ['apps/api/src/a.ts', ['api']],
    ['libs/codec/src/index.ts', ['proxy']],
    ['libs/chain/src/index.ts', ['api']],
    ['libs/common/src/index.ts', ['api', 'proxy']],
    ['src/tools/main.ts', ['api']],
    ['test/e2e/proxy/start.e2e-spec.ts', ['proxy']],
    ['test/e2e/chain/start.e2e-spec.ts', ['api']],
    ['test/e2e/launcher/start.e2e-spec.ts', []],
    ['docs/proxy.md', []],
  ])('finds the programs of %s: %j', (path, names) => {
    expect(programs.of(path)).toEqual(names);
  });

  it.each([
    ['libs/common/src/index.ts', true],
    ['package.json', true],
    ['src/build.mjs', true],
    ['libs/chain/src/index.ts', false],
    ['test/support/until.ts', false],
    ['README.md', false],
  ])('knows whether %s may concern every test: %j', (path, isShared) => {
    expect(programs.isShared(path)).toBe(isShared);
  });
});

describe('selectForChange', () => {
  it('takes the related specs without the long ones, and names the folders of processes', () => {
    expect(select(['apps/proxy/src/p.ts'], SPECS.slice(1, 3), ['apps/proxy/src/slow.spec.ts'])).toEqual({
      chosen: ['apps/proxy/src/p.spec.ts'],
      long: ['apps/proxy/src/slow.spec.ts'],
      others: ['test/e2e/launcher', 'test/e2e/proxy', 'test/pages/proxy'],
    });
  });

  it('never leaves out a changed spec or the spec of a changed file', () => {
    const slow = SPECS.slice(2, 3);
    expect(select(['apps/proxy/src/slow.ts'], slow, slow).chosen).toEqual(slow);
    expect(select(slow, [], slow).chosen).toEqual(slow);
  });

  it('takes the page specs of a program whose page has changed', () => {
    expect(select(['apps/proxy/pages/List.svelte']).chosen).toEqual(['test/pages/proxy/list.pages-spec.ts']);
  });

  it('takes the unit tests of the closest folder when no spec imports the file', () => {
    expect(select(['apps/api/src/data/types.ts']).chosen).toEqual(['apps/api/src/a.spec.ts']);
    expect(select(['libs/chain/src/types.ts']).chosen).toEqual(['libs/chain/src/chain.spec.ts']);
  });

  it('takes the unit tests of the program when there are none around the file', () => {
    expect(select(['libs/ledger/src/index.ts']).chosen).toEqual(['apps/api/src/a.spec.ts', SPECS[3]]);
    expect(select(['README.md']).chosen).toEqual(SPECS.slice(0, 4));
  });

  it('takes the specs that name a page of the documentation', () => {
    expect(select(['docs/guide.md']).chosen).toEqual(['apps/api/src/a.spec.ts']);
    expect(select(['docs/guide.md', 'apps/proxy/src/p.ts'], SPECS.slice(1, 2)).chosen.toSorted()).toEqual(
      SPECS.slice(0, 2),
    );
  });
});

describe('selectForPrograms', () => {
  it('leaves out what concerns only programs without a change', () => {
    const of = (path: string) => programs.of(path);
    const { chosen, skipped } = selectForPrograms({ changed: ['apps/api/src/a.ts'], specs: SPECS, programs: of });
    expect([chosen, skipped]).toEqual([[SPECS[0], ...SPECS.slice(3, 6)], 4]);
    expect(selectForPrograms({ changed: ['docs/x.md'], specs: SPECS, programs: of }).skipped).toBe(0);
  });
});

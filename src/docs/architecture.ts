// Writes the module graph into docs/architecture.md, or with --check says whether it is stale.
import { execFileSync } from 'node:child_process';
import { writeOrCheck } from './write-or-check.js';
import { readFileSync } from 'node:fs';

const FILE = 'docs/architecture.md';
const BEGIN = '<!-- module graph: written by `npm run architecture` -->';
const END = '<!-- end of the module graph -->';
const DEPCRUISE = 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs';

interface Cruise {
  readonly modules: readonly {
    readonly source: string;
    readonly dependencies: readonly { readonly resolved: string }[];
  }[];
}

/** `libs/metrics/src/stats/a.ts` belongs to `libs/metrics/stats`, a file in `src` itself to its app or lib. */
function folder(file: string): string | undefined {
  const [, kind, name, inner] = /^(apps|libs)\/([^/]+)\/src\/(?:([^/]+)\/)?/.exec(file) ?? [];
  if (kind === undefined || name === undefined) return file.startsWith('src/') ? 'src' : undefined;
  return inner === undefined ? `${kind}/${name}` : `${kind}/${name}/${inner}`;
}

function edgesOf(cruise: Cruise): string[] {
  const edges = new Set<string>();
  for (const { source, dependencies } of cruise.modules) {
    for (const { resolved } of dependencies) {
      const [from, to] = [folder(source), folder(resolved)];
      if (from !== undefined && to !== undefined && from !== to) edges.add(`${from} ${to}`);
    }
  }
  return [...edges].sort((a, b) => (a < b ? -1 : 1));
}

/** Mermaid: a subgraph an app or lib, an arrow for «imports». */
function mermaid(edges: readonly string[]): string {
  const names = [...new Set(edges.flatMap((edge) => edge.split(' ')))].sort((a, b) => (a < b ? -1 : 1));
  const id = (name: string): string => name.replace(/[^a-z0-9]/g, '_');
  const groups = Map.groupBy(names, (name) => name.split('/').slice(0, 2).join('/'));
  const boxes = [...groups].flatMap(([group, members]) => [
    `  subgraph ${id(group)}_group["${group}"]`,
    ...members.map((name) => `    ${id(name)}["${name.split('/').slice(2).join('/') || 'index'}"]`),
    '  end',
  ]);
  const arrows = edges.map((edge) => edge.split(' ').map(id).join(' --> '));
  return ['```mermaid', 'flowchart LR', ...boxes, ...arrows.map((arrow) => `  ${arrow}`), '```'].join('\n');
}

const output = execFileSync(
  process.execPath,
  [DEPCRUISE, 'src', 'apps', 'libs', '--config', '--exclude', '(\\.spec\\.ts$|/testing/|node_modules)', '-T', 'json'],
  { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
);
const text = readFileSync(FILE, 'utf8');
const [before, after] = [text.split(BEGIN)[0] ?? '', text.split(END)[1] ?? ''];
const graph = mermaid(edgesOf(JSON.parse(output) as Cruise));
writeOrCheck(FILE, `${before}${BEGIN}\n${graph}\n${END}${after}`, 'npm run architecture');

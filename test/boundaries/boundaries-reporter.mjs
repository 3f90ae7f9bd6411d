// The reporter of `npm run check:boundaries`: lists what breaks the rules of .dependency-cruiser.mjs, folders that import each other
// (dependency-cruiser does not find cycles between a folder and the folders in it), and where docs/architecture.md differs from the
// imports: every folder is drawn, and the arrows are the imports.
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The libs that both programs use, or only the proxy: the picture of ledger-api does not show what they import. */
const SHARED = ['logging', 'metrics', 'page-files', 'pages-kit', 'socks5-protocol'];

/** The folders in which the names in a program's picture are looked up, in this order. */
const PROGRAMS = {
  'ledger-api': ['apps/ledger-api/src', 'libs'],
  'proxy-client': ['apps/proxy-client/src'],
};

const isProduction = (file) => /^(apps|libs|src)\//.test(file) && !/\.spec\.ts$|\/testing\//.test(file);

/** Returns a map from each folder to the folders that it imports, of production code only: specs import suites that import them. */
function folderGraph(modules) {
  const graph = new Map();
  for (const { source, dependencies } of modules.filter((module) => isProduction(module.source))) {
    const folder = dirname(source);
    const imported = dependencies.map(({ resolved }) => resolved).filter(isProduction);
    const others = imported.map((file) => dirname(file)).filter((other) => other !== folder);
    graph.set(folder, new Set([...(graph.get(folder) ?? []), ...others]));
  }
  return graph;
}

/** Returns a shortest cycle through a folder that contains no folder sorted before it, so that each cycle is found once. */
function cycleFrom(start, graph) {
  const paths = [[start]];
  const seen = new Set();
  for (const path of paths) {
    for (const next of graph.get(path.at(-1)) ?? []) {
      if (next === start) return path;
      if (next < start || seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
  return undefined;
}

/** Returns the nodes of a flowchart (folder → id) and its arrows (id → ids). */
function parseFlowchart(text, roots) {
  const boxes = [...text.matchAll(/^ {2}(\w+)\["([^"<]+)/gm)];
  const folderOf = (name) =>
    [name === 'root' ? roots[0] : '', ...roots.map((root) => `${root}/${name}`)].find(existsSync);
  const nodes = new Map(boxes.flatMap(([, id, names]) => names.split(' · ').map((name) => [folderOf(name), id])));
  const arrows = new Map(boxes.map(([, id]) => [id, new Set()]));
  for (const [line] of text.matchAll(/^.* --> .*$/gm)) {
    const groups = line.split(' --> ').map((group) => group.trim().split(' & '));
    for (const [index, to] of groups.slice(1).entries()) {
      for (const from of groups[index]) for (const id of to) arrows.get(from)?.add(id);
    }
  }
  return { nodes, arrows };
}

/** Returns the ids that a node's arrows lead to, directly or through others. */
function reachable(from, arrows) {
  const found = new Set([from]);
  for (const id of found) for (const next of arrows.get(id) ?? []) found.add(next);
  return found;
}

/** Returns the differences between the picture of a program and its imports, which are pairs of folders. */
function faultsOfPicture(picture, roots, imports) {
  const { nodes, arrows } = parseFlowchart(picture, roots);
  /** Returns the node that names a folder, or the closest folder above it within the program. */
  const nodeOf = (folder) => {
    const above = dirname(folder);
    return nodes.get(folder) ?? ([...roots, '.'].includes(above) ? undefined : nodeOf(above));
  };
  const own = imports.filter(
    ([from]) => roots.some((root) => `${from}/`.startsWith(`${root}/`)) && !SHARED.includes(from.split('/')[1]),
  );
  const used = new Set();
  const faults = new Set();
  for (const [from, to] of own) {
    const [upper, lower] = [nodeOf(from), nodeOf(to)];
    used.add(`${upper} --> ${lower}`);
    if (upper === undefined) faults.add(`${from} is not drawn`);
    if (upper === undefined || lower === undefined) continue;
    if (!reachable(upper, arrows).has(lower)) faults.add(`no arrow leads from ${from} to ${to}`);
  }
  const drawn = [...arrows].flatMap(([from, ids]) => [...ids].map((to) => `${from} --> ${to}`));
  for (const arrow of drawn.filter((each) => !used.has(each))) faults.add(`nothing is imported along ${arrow}`);
  return [...faults].map((fault) => `architecture-page: ${fault}`);
}

export default function report({ modules, summary }) {
  const broken = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
  const graph = folderGraph(modules);
  const cycles = [...graph.keys()].map((folder) => cycleFrom(folder, graph)).filter((cycle) => cycle !== undefined);
  const imports = [...graph].flatMap(([from, folders]) => [...folders].map((to) => [from, to]));
  const sections = readFileSync('docs/architecture.md', 'utf8').split(/^## /m);
  const lines = [
    ...broken,
    ...cycles.map((cycle) => `folder-cycle: ${[...cycle, cycle[0]].join(' → ')}`),
    ...Object.entries(PROGRAMS).flatMap(([program, roots]) => {
      const picture = sections.find((section) => section.startsWith(program)) ?? '';
      return faultsOfPicture(picture, roots, imports);
    }),
  ];
  const counts = `${modules.length} modules, ${lines.length} violations`;
  return { output: `${[...lines, counts].join('\n')}\n`, exitCode: lines.length === 0 ? 0 : 1 };
}

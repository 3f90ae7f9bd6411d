// The reporter of `npm run check:boundaries`: lists what breaks the rules of .dependency-cruiser.mjs, folders that import each other, and
// where docs/architecture.md differs from the imports.
// dependency-cruiser's own check of folders does not find cycles between a folder and the folders in it.
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { architectureFaults } from './architecture-page.mjs';

const isProduction = (file) => /^(apps|libs|src)\//.test(file) && !/\.spec\.ts$|\/testing\//.test(file);

/** Returns a map from each folder to the folders that it imports, of production code only: specs import suites that import them. */
function folderGraph(modules) {
  const graph = new Map();
  for (const { source, dependencies } of modules.filter((module) => isProduction(module.source))) {
    const imported = graph.get(dirname(source)) ?? new Set();
    graph.set(dirname(source), imported);
    for (const { resolved } of dependencies.filter((dependency) => isProduction(dependency.resolved))) {
      if (dirname(resolved) !== dirname(source)) imported.add(dirname(resolved));
    }
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

export default function report({ modules, summary }) {
  const broken = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
  const graph = folderGraph(modules);
  const cycles = [...graph.keys()].map((folder) => cycleFrom(folder, graph)).filter((cycle) => cycle !== undefined);
  const imports = [...graph].flatMap(([from, folders]) => [...folders].map((to) => [from, to]));
  const page = readFileSync('docs/architecture.md', 'utf8');
  const lines = [
    ...broken,
    ...cycles.map((cycle) => `folder-cycle: ${[...cycle, cycle[0]].join(' → ')}`),
    ...architectureFaults(page, imports),
  ];
  const counts = `${modules.length} modules, ${lines.length} violations`;
  return { output: `${[...lines, counts].join('\n')}\n`, exitCode: lines.length === 0 ? 0 : 1 };
}

// Compares docs/architecture.md with the imports: every folder is drawn, and the arrows are the imports.
import { dirname } from 'node:path';

/** Where the names in the picture of a program are looked up: its section's heading, and the folders. */
const PROGRAMS = {
  'ledger-api': ['apps/ledger-api/src', 'libs/ledger-gateway/src', 'libs'],
  'proxy-client': ['apps/proxy-client/src'],
};

/** Returns the nodes of a flowchart (id → names of folders) and its arrows (id → ids). */
function parseFlowchart(text) {
  const lines = text.split('\n').map((line) => line.trim());
  const boxes = lines.map((line) => /^(\w+)\["([^"]+)"\]$/.exec(line)).filter((box) => box !== null);
  const nodes = new Map(boxes.map(([, id, label]) => [id, label.split('<br/>')[0].split(' · ')]));
  const arrows = new Map([...nodes.keys()].map((id) => [id, new Set()]));
  for (const line of lines.filter((line) => line.includes(' --> '))) {
    const groups = line.split(' --> ').map((group) => group.split(' & '));
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

/** Returns the node of each folder: the one that names it, or the closest folder above it. */
function nodeFinder(nodes, roots, folders) {
  const drawn = new Map();
  for (const [id, names] of nodes) {
    for (const name of names) {
      const folder =
        name === 'root' ? roots[0] : roots.map((root) => `${root}/${name}`).find((path) => folders.has(path));
      if (folder !== undefined) drawn.set(folder, id);
    }
  }
  return (folder) => {
    if (folder === roots[0]) return drawn.get(folder);
    for (let path = folder; !roots.includes(path) && path !== '.'; path = dirname(path)) {
      if (drawn.has(path)) return drawn.get(path);
    }
    return undefined;
  };
}

function faultsOfProgram(section, roots, imports) {
  const { nodes, arrows } = parseFlowchart(section);
  const own = imports.filter(([from]) =>
    roots.slice(0, 2).some((root) => from === root || from.startsWith(`${root}/`)),
  );
  const folders = new Set(imports.flat().flatMap((folder) => [folder, dirname(folder), dirname(dirname(folder))]));
  const nodeOf = nodeFinder(nodes, roots, folders);
  const undrawn = own.map(([from]) => from).filter((folder) => folder !== roots[1] && nodeOf(folder) === undefined);
  const against = own.filter(([from, to]) => {
    const [upper, lower] = [nodeOf(from), nodeOf(to)];
    return upper !== undefined && lower !== undefined && !reachable(upper, arrows).has(lower);
  });
  const used = new Set(own.map(([from, to]) => `${nodeOf(from)} --> ${nodeOf(to)}`));
  const drawn = [...arrows].flatMap(([from, ids]) => [...ids].map((to) => `${from} --> ${to}`));
  return [
    ...drawn
      .filter((arrow) => !used.has(arrow))
      .map((arrow) => `architecture-page: nothing is imported along ${arrow}`),
    ...new Set(undrawn.map((folder) => `architecture-page: ${folder} is not drawn`)),
    ...new Set(against.map(([from, to]) => `architecture-page: no arrow leads from ${from} to ${to}`)),
  ];
}

/**
 * Returns the differences between the page and the code.
 * @param page - the text of docs/architecture.md
 * @param imports - pairs of folders, importer and imported
 */
export function architectureFaults(page, imports) {
  const sections = page.split(/^## /m).map((section) => [section.split('\n', 1)[0], section]);
  return Object.entries(PROGRAMS).flatMap(([program, roots]) => {
    const section = sections.find(([title]) => title === program)?.[1] ?? '';
    return faultsOfProgram(section, roots, imports);
  });
}

// Chooses the tests of a change. Specs are named by their path from the root of the workspace.
import { basename, dirname } from 'node:path';

/** A spec that needs more seconds is left out after a small change, unless it, or the file next to it, has changed. */
const LONG_SECONDS = 4;

/** The tests of the pages of one program need a browser, and each of them loads most of the components. */
const isPageSpec = (spec) => spec.endsWith('.pages-spec.ts');
const isUnitSpec = (spec) => spec.endsWith('.spec.ts');
const isPage = (path) => /^apps\/[^/]+\/pages\//.test(path);
/** Code is found by its imports; specs name other files, such as pages of the documentation. */
const isCode = (path) => /\.(?:[cm]?[jt]s|svelte)$/.test(path);

/** Returns whether the specs of processes and pages must be built for. */
export function needsBuild(specs) {
  return specs.some((spec) => !isUnitSpec(spec));
}

/**
 * Chooses the specs that `npm test` runs after a small change, and lists those that it leaves out.
 *
 * @param changed the changed files
 * @param specs every spec of the workspace
 * @param related the specs that import a changed file, directly or not
 * @param text reads a spec
 * @param seconds returns how long a spec takes
 * @param programs returns the programs of a file
 */
export function selectForChange({ changed, specs, related, text, seconds, programs }) {
  const concerned = programsOf(changed, programs);
  const all = new Set(specs);
  const own = changed
    .flatMap((file) => [file, file.replace(/\.(?:ts|mjs)$/, '.spec.ts')])
    .filter((file) => all.has(file));
  const pagesOf = new Set(changed.filter(isPage).flatMap(programs));
  const ofPages = specs.filter((spec) => isPageSpec(spec) && programs(spec).some((name) => pagesOf.has(name)));
  const otherFiles = changed.filter((file) => !isCode(file)).map((file) => basename(file));
  const naming = otherFiles.length === 0 ? [] : specs.filter((spec) => includesAny(text(spec), otherFiles));
  let candidates = new Set([...own, ...related, ...naming, ...ofPages]);
  // A file with types only, a deleted one, a script: the tests closest to it.
  if (candidates.size === 0)
    candidates = new Set(changed.flatMap((file) => closest(file, specs.filter(isUnitSpec), programs)));
  const isLong = (spec) => seconds(spec) > LONG_SECONDS && !own.includes(spec) && !isPageSpec(spec);
  const chosen = [...candidates].filter((spec) => !isLong(spec));
  const others = specs.filter((spec) => !candidates.has(spec) && !isUnitSpec(spec) && isOf(concerned, programs(spec)));
  return { chosen, long: [...candidates].filter(isLong), others: [...new Set(others.map(dirname))].sort() };
}

function includesAny(text, words) {
  return words.some((word) => text.includes(word));
}

/** Returns the specs of the closest folder around a file that has any; outside of apps and libs all specs of its programs. */
function closest(file, specs, programs) {
  for (let folder = dirname(file); folder.includes('/'); folder = dirname(folder)) {
    const found = specs.filter((spec) => spec.startsWith(`${folder}/`));
    if (found.length > 0) return found;
  }
  return specs.filter((spec) => isOf(programs(file), programs(spec)));
}

/** Chooses every spec but those that only concern programs without a change. */
export function selectForPrograms({ changed, specs, programs }) {
  const concerned = programsOf(changed, programs);
  const chosen = specs.filter((spec) => isOf(concerned, programs(spec)));
  return { chosen, skipped: specs.length - chosen.length, concerned };
}

/** Returns the programs that the files concern; an empty list stands for all. */
function programsOf(files, programs) {
  const lists = files.map(programs);
  return lists.some((names) => names.length === 0) ? [] : [...new Set(lists.flat())].sort();
}

function isOf(concerned, names) {
  return concerned.length === 0 || names.length === 0 || names.some((name) => concerned.includes(name));
}

/** Reads how long specs take: by the name of their file, so that a spec keeps its figure when its folder is renamed. */
export function durationsBy(names) {
  return (spec) => names[basename(spec)] ?? 0;
}

// npm run release-notes -- VERSION: prints the section of CHANGELOG.md, the notes of a release. It refuses a version that is not that of
// package.json, or that has no section: a tag in the wrong place would release the wrong thing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const ROOT = join(import.meta.dirname, '..');
const [version] = process.argv.slice(2);

/** Returns the section of a version, without its heading. */
function sectionOf(changelog, wanted) {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`${wanted} (`));
  return section?.slice(section.indexOf('\n')).trim();
}

function fail(message, code) {
  console.error(`release-notes: ${message}`);
  process.exit(code);
}

if (version === undefined) fail('name the version, such as 0.3.0', 2);
const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
if (version !== own) fail(`package.json has the version ${own}, not ${version}.`, 1);
const notes = sectionOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
if (notes === undefined) fail(`CHANGELOG.md has no section "## ${version} (DATE)".`, 1);
console.log(notes);

// Checks the header of a commit message: `type(scope): imperative` (Conventional Commits), 72 characters at most.
import { readFileSync } from 'node:fs';
import process from 'node:process';

const header = readFileSync(process.argv[2] ?? '', 'utf8').split('\n', 1)[0] ?? '';
const wanted = /^(feat|fix|perf|refactor|test|docs|build|ci|chore|revert)(\([a-z0-9-]+\))?!?: \S.*$/;

if (!/^(Merge|Revert|fixup!)/.test(header) && (!wanted.test(header) || header.length > 72)) {
  console.error(`The commit header "${header}" is not «type(scope): imperative» within 72 characters.`);
  process.exit(1);
}

// Counts words of the project's previous private dialect in comments, code, titles of tests and docs. `npm run check:english`
// fails when they are more frequent than LIMITS per 1,000 words, and lists where they are with --list. They are no terms of the
// field, so a reader who searches for "returns", "default" or "timeout" does not find what they describe.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

/** Occurrences per 1,000 words that are accepted; good codebases of the field have about 0. Most words of code are not text. */
const LIMITS = { comments: 0.2, code: 0.2, titles: 0.2, docs: 0.2 };
const WORDS = new RegExp(
  String.raw`\b(?:${[
    ...['anew', 'at hand', 'beside', 'judged?', 'judges', 'nobody', 'said', 'says', 'stands', 'stood', 'tells', 'told'],
    ...['twins', 'under way', 'whoever', '(?:go|goes|going|went) on', 'so many(?! [a-z]+ that)', 'what is wrong with'],
  ].join('|')})\b`,
  'giu',
);
/** The beginning of the title of a test or of a group of tests, if it is on the line of its call. */
const TITLE = /(?:\b(?:describe|it|test)|\]\))\(['"`]/u;
const WORD = /\p{L}+(?:['’-]\p{L}+)*/gu;

/** Returns the kinds of text in a file, and the lines of each. */
function linesOf(path, text) {
  const lines = text.split('\n');
  if (path.endsWith('.md')) return { docs: lines };
  if (path.endsWith('.svelte')) return { code: lines };
  if (/\.(?:css|ya?ml|service|sh|Dockerfile)$/u.test(path)) return { comments: lines };
  if (!/\.(?:ts|mjs)$/u.test(path)) return {};
  const { comments = [], code = [] } = Object.groupBy(lines, (line) =>
    /^\s*(?:\/?\*|\/\/)/u.test(line) ? 'comments' : 'code',
  );
  if (!/spec\.ts$|suite\.ts$/u.test(path)) return { comments, code };
  return { comments, code, titles: code.filter((line) => TITLE.test(line)) };
}

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !/\/fixtures\/|\/openapi\/|plain-english\.mjs$/.test(path));

const totals = Object.fromEntries(Object.keys(LIMITS).map((kind) => [kind, { words: 0, hits: 0 }]));
for (const path of files) {
  for (const [kind, lines] of Object.entries(linesOf(path, readFileSync(path, 'utf8')))) {
    for (const line of lines) {
      const hits = line.match(WORDS) ?? [];
      totals[kind].words += line.match(WORD)?.length ?? 0;
      totals[kind].hits += hits.length;
      if (hits.length > 0 && process.argv.includes('--list')) console.log(`${path} (${kind}): ${line.trim()}`);
    }
  }
}

for (const [kind, { words, hits }] of Object.entries(totals)) {
  const rate = (hits * 1000) / words;
  console.log(`${kind}: ${rate.toFixed(2)} per 1,000 words (${hits} of ${words}; at most ${LIMITS[kind]})`);
  if (rate > LIMITS[kind]) process.exitCode = 1;
}
if (process.exitCode === 1) console.error('Rewrite the sentences in plain English; --list names them.');

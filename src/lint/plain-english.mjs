// Counts words of the project's former private dialect in comments, texts and docs: `npm run check:english` fails when they
// are more frequent than LIMIT per 1,000 words, and lists where they are with --list. They are no terms of the field, so a
// reader who searches for "returns", "default" or "timeout" does not find what they describe.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

/** Occurrences per 1,000 words that are accepted; good codebases of the field have about 0. */
const LIMIT = 0.7;
const WORDS = /\b(?:stands|stood|nobody|whoever|anew|beside|tells|told|twins|judges)\b/giu;
const WORD = /\p{L}+(?:['’-]\p{L}+)*/gu;

/** The parts of a script that a person reads: its comments, and its texts. */
const COMMENT = /\/\*[^]*?\*\/|(?<=^|[\s;{])\/\/.*$/gm;
const TEXT = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** Returns the kinds of text in a file, and the parts of each. */
function partsOf(path, text) {
  if (/\.md$/u.test(path)) return { docs: [text] };
  if (/\.svelte$/u.test(path)) return { texts: [text] };
  if (/\.(?:css|ya?ml|service|sh|Dockerfile)$/u.test(path)) return { comments: [text] };
  if (!/\.(?:ts|mjs)$/u.test(path)) return {};
  return { comments: text.match(COMMENT) ?? [], texts: text.replaceAll(COMMENT, '').match(TEXT) ?? [] };
}

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !/\/fixtures\/|\/openapi\/|plain-english\.mjs$/.test(path));

const totals = { comments: { words: 0, hits: 0 }, texts: { words: 0, hits: 0 }, docs: { words: 0, hits: 0 } };
for (const path of files) {
  for (const [kind, parts] of Object.entries(partsOf(path, readFileSync(path, 'utf8')))) {
    for (const part of parts) {
      const hits = part.match(WORDS) ?? [];
      totals[kind].words += part.match(WORD)?.length ?? 0;
      totals[kind].hits += hits.length;
      if (hits.length > 0 && process.argv.includes('--list'))
        console.log(`${path}: ${hits.join(', ')} (${kind}): ${part.slice(0, 80)}`);
    }
  }
}

for (const [kind, { words, hits }] of Object.entries(totals)) {
  const rate = (hits * 1000) / words;
  console.log(`${kind}: ${rate.toFixed(2)} per 1,000 words (${hits} of ${words}; at most ${LIMIT})`);
  if (rate > LIMIT) process.exitCode = 1;
}
if (process.exitCode === 1) console.error('Rewrite the sentences in plain English; --list names them.');

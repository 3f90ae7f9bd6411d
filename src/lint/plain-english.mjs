// Counts words of the project's former private dialect in comments, texts and docs: `npm run check:english` fails when they
// are more frequent than LIMIT per 1,000 words, and lists where they are with --list. They are no terms of the field, so a
// reader who searches for "returns", "default" or "timeout" does not find what they describe.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import ts from 'typescript';

/** Occurrences per 1,000 words that are accepted; good codebases of the field have about 0. */
const LIMIT = 0.7;
const WORDS = /\b(?:stands|stood|nobody|whoever|anew|beside|tells|told|twins|judges)\b/giu;
const WORD = /\p{L}+(?:['’-]\p{L}+)*/gu;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !path.includes('/fixtures/') && path !== 'src/lint/plain-english.mjs');

/** Returns comments and texts of a script, each with its position, as TypeScript's scanner finds them. */
function* partsOfScript(text) {
  const source = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true);
  const seen = new Set();
  const comments = function* (position, find) {
    for (const { pos, end } of find(text, position) ?? []) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      yield { kind: 'comments', at: pos, text: text.substring(pos, end) };
    }
  };
  const visit = function* (node) {
    yield* comments(node.getFullStart(), ts.getLeadingCommentRanges);
    yield* comments(node.end, ts.getTrailingCommentRanges);
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      yield { kind: 'texts', at: node.getStart(), text: node.text };
    for (const child of node.getChildren()) yield* visit(child);
  };
  yield* visit(source);
}

/** Returns the parts of a file that a person reads. */
function* partsOf(path) {
  const text = readFileSync(path, 'utf8');
  if (/\.md$/u.test(path)) yield { kind: 'docs', at: 0, text };
  else if (/\.(?:ts|mjs)$/u.test(path)) yield* partsOfScript(text);
  else if (/\.svelte$/u.test(path)) yield { kind: 'texts', at: 0, text };
  else if (/\.(?:css|ya?ml|service|sh|Dockerfile)$/u.test(path)) yield { kind: 'comments', at: 0, text };
}

const totals = new Map();
const found = [];
for (const path of files.filter((each) => !each.endsWith('package-lock.json') && !each.includes('/openapi/'))) {
  for (const { kind, at, text } of partsOf(path)) {
    const total = totals.get(kind) ?? { words: 0, hits: 0 };
    totals.set(kind, total);
    total.words += text.match(WORD)?.length ?? 0;
    for (const hit of text.matchAll(WORDS)) {
      total.hits += 1;
      found.push({ path, kind, at: at + hit.index, word: hit[0] });
    }
  }
}

if (process.argv.includes('--list')) {
  for (const { path, kind, at, word } of found) {
    const line = readFileSync(path, 'utf8').substring(0, at).split('\n').length;
    console.log(`${path}:${line} ${word} (${kind})`);
  }
}
let failed = false;
for (const [kind, { words, hits }] of totals) {
  const rate = (hits * 1000) / words;
  failed ||= rate > LIMIT;
  console.log(`${kind}: ${rate.toFixed(2)} per 1,000 words (${hits} of ${words}; at most ${LIMIT})`);
}
if (failed) {
  console.error('Rewrite the sentences in plain English; --list names them.');
  process.exitCode = 1;
}

import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { ConfigError, type FaultList } from './config-faults.js';
import { type ConfigFile, configFileShape } from './proxy-client-config.js';
import type { FileReferences } from './references.js';
import { readTextFile } from './text-files.js';

/** The maximum number of syntax errors that are reported; the others mostly follow from them. */
const MANY_FAULTS = 5;
/** The maximum number of expanded aliases: a few nested ones can make a document of any size. */
const MAX_ALIASES = 100;

/** The texts of syntax errors. Those of the parser may quote the file, which may contain a password. */
const SYNTAX: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'the key appears twice',
  TAB_AS_INDENT: 'indent with spaces, not tabs',
  BAD_INDENT: 'wrong indentation, or a bracket or quote is not closed',
  MISSING_CHAR: 'something is missing here: a closing quote or bracket, or a colon after a key',
  BAD_SCALAR_START: 'a value that starts with @ or ` must be quoted',
  BLOCK_AS_IMPLICIT_KEY: 'wrong indentation, or a value with a colon that must be quoted',
  MULTIPLE_DOCS: 'the file must be one document',
  RESOURCE_EXHAUSTION: 'nested too deeply',
  TAG_RESOLVE_FAILED: 'tags (words that start with !) are not supported; quote such a value',
};

/**
 * Reads a configuration file in YAML or JSON, which is a subset of YAML.
 *
 * @param path - the file as the user specified it, for faults
 * @param references - the location of the file, and the variables and files that it may refer to
 * @throws {@link ConfigError} if it cannot be parsed; faults of single keys are added to `faults`
 */
export function readConfigFile(path: string, references: FileReferences, faults: FaultList): ConfigFile {
  const read = readTextFile(references.file);
  if ('problem' in read) throw new ConfigError([{ source: path, problem: read.problem }]);
  const { LineCounter, parseDocument } = yaml();
  const lineCounter = new LineCounter();
  // The parser compares each key with all others of its map, which takes 10 s for 20,000 keys.
  const options = { prettyErrors: false, keepSourceTokens: false, uniqueKeys: false, lineCounter };
  const document = parseDocument(read.text, options);
  const wrong = [...document.errors, ...document.warnings, ...repeatedKeys(document)]
    .sort((a, b) => a.pos[0] - b.pos[0])
    .slice(0, MANY_FAULTS);
  if (wrong.length > 0) {
    throw new ConfigError(
      wrong.map(({ code, pos }) => {
        const { line, col } = lineCounter.linePos(pos[0]);
        const problem = `${SYNTAX[code] ?? `not valid YAML (${code})`}, line ${line}, column ${col}`;
        const key = keyOfLine(read.text, line);
        return { source: path, problem, ...(key !== undefined && { key }) };
      }),
    );
  }
  if (document.contents === null) throw new ConfigError([{ source: path, problem: 'is empty' }]);
  return configFileShape(toValue(document, path), faults.at(path, '', references)) ?? {};
}

/** Loads the parser, which is not needed without a configuration file. */
function yaml(): typeof Yaml {
  return createRequire(import.meta.url)('yaml') as typeof Yaml;
}

/** Returns an error for each key that a map contains already, like those of the parser. */
function repeatedKeys(document: Yaml.Document.Parsed): readonly Pick<Yaml.YAMLError, 'code' | 'pos'>[] {
  const { isScalar, visit } = yaml();
  const repeated: Pick<Yaml.YAMLError, 'code' | 'pos'>[] = [];
  visit(document, {
    Map: (_key, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const [start = 0, end = start] = key.range ?? [];
        if (seen.has(key.value)) repeated.push({ code: 'DUPLICATE_KEY', pos: [start, end] });
        seen.add(key.value);
      }
    },
  });
  return repeated;
}

function toValue(document: Yaml.Document.Parsed, path: string): unknown {
  try {
    return document.toJS({ mapAsMap: true, maxAliasCount: MAX_ALIASES });
  } catch (error) {
    const problem = String(error).includes('Unresolved alias')
      ? 'an alias (a word that starts with *) is undefined; use quotes'
      : `aliases (words that start with *) may expand to at most ${MAX_ALIASES} values in all; write the values out`;
    throw new ConfigError([{ source: path, problem }]);
  }
}

/** Returns the key that a line sets, if it starts with one. */
function keyOfLine(source: string, line: number): string | undefined {
  const text = source.split('\n')[line - 1] ?? '';
  return /^[\s{]*["']?([A-Za-z]{1,20})["']?\s*:(?:\s|$)/.exec(text)?.[1];
}

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { LineCounter, parseDocument, type YAMLError } from 'yaml';
import { configFileShape, type ConfigFile } from './config-file-shape.js';
import { ConfigError } from './config-error.js';
import type { FaultList } from './fault-list.js';

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'may not be read by this user',
  EISDIR: 'is a directory',
  ENOTDIR: 'there is no such file',
};

/** The parser's texts may quote the file, which may hold a password: only what stands here is ever said. */
const SYNTAX: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'the key stands there twice',
  TAB_AS_INDENT: 'indent with spaces, not tabs',
  BAD_INDENT: 'wrong indentation, or a bracket or quote is not closed',
  MISSING_CHAR: 'something is missing here: a closing quote or bracket, or a colon after a key',
  BAD_SCALAR_START: 'a value that starts with @ or ` must stand in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'wrong indentation, or a value with a colon that must stand in quotes',
  MULTIPLE_DOCS: 'the file must be one document',
  TAG_RESOLVE_FAILED: 'tags (words that start with !) are not used here; put such a value in quotes',
};

/**
 * Reads a configuration file in YAML or JSON, which YAML includes.
 *
 * @param path - the file as the user named it; every fault is reported under this name
 * @param directory - what a relative path starts from
 * @throws {@link ConfigError} when nothing of it can be used; lesser faults go to `faults`
 */
export function readConfigFile(path: string, directory: string, faults: FaultList): ConfigFile {
  const lines = new LineCounter();
  const source = readText(path, directory);
  const document = parseDocument(source, { prettyErrors: false, lineCounter: lines, keepSourceTokens: false });
  const wrong = [...document.errors, ...document.warnings];
  if (wrong.length > 0) {
    throw new ConfigError(wrong.map((error) => ({ source: path, ...syntaxFault(error, source, lines) })));
  }
  if (document.contents === null) throw new ConfigError([{ source: path, problem: 'is empty' }]);
  return configFileShape(toValue(document, path), faults.place(path)) ?? {};
}

function readText(path: string, directory: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(resolve(directory, path)));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const problem = code.startsWith('ERR_') ? 'is not UTF-8 text' : (UNREADABLE[code] ?? `cannot be read (${code})`);
    throw new ConfigError([{ source: path, problem }]);
  }
}

function toValue(document: ReturnType<typeof parseDocument>, path: string): unknown {
  try {
    return document.toJS({ mapAsMap: true, maxAliasCount: 100 });
  } catch {
    throw new ConfigError([
      { source: path, problem: 'an alias (a word that starts with *) names nothing; use quotes' },
    ]);
  }
}

function syntaxFault(error: YAMLError, source: string, lines: LineCounter): { key?: string; problem: string } {
  const { line, col } = lines.linePos(error.pos[0]);
  const problem = `${SYNTAX[error.code] ?? `not valid YAML (${error.code})`}, line ${line}, column ${col}`;
  const key = keyOfLine(source, line);
  return key === undefined ? { problem } : { key, problem };
}

/** The key that the line sets, if it starts with what looks like one. */
function keyOfLine(source: string, line: number): string | undefined {
  const text = source.split(/\r\n|[\r\n]/)[line - 1] ?? '';
  return /^[\s{]*["']?([A-Za-z]{1,20})["']?\s*:(?:\s|$)/.exec(text)?.[1];
}

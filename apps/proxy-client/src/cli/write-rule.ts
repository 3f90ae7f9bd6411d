import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isMap, isSeq, parseDocument } from 'yaml';
import { isBelow } from './sandbox/protected-paths.js';

/** The configuration file that gets a rule. */
export interface RuleFile {
  /** Its path; undefined: the configuration is not in a file. */
  readonly file: string | undefined;
  /** The upstream of the rule. */
  readonly to: string;
  /** Directories that a command can change, so that no rule is written there. */
  readonly writable: readonly string[];
}

/**
 * Writes a rule that allows a target to a configuration file: before the rule that asks, or as the last one.
 *
 * @param target - `HOST:PORT`
 * @param rule - the number of the rule that asks; undefined: no rule matches
 * @returns why it cannot be written
 */
export function writeRule(
  { file, to, writable }: RuleFile,
  target: string,
  rule: number | undefined,
): string | undefined {
  if (file === undefined) return 'the configuration is not in a file';
  try {
    // The file itself, not a link to it, is replaced.
    const path = realpathSync(file);
    if (writable.some((directory) => isBelow(path, directory))) {
      return `${path} is in a directory that the command may change. Move it outside`;
    }
    replaceFile(path, withRule(readFileSync(path, 'utf8'), ruleFor(target, to), rule));
    return undefined;
  } catch (error) {
    return `${file} (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`;
  }
}

function ruleFor(target: string, to: string) {
  const colon = target.lastIndexOf(':');
  return { hosts: [target.slice(0, colon)], ports: [Number(target.slice(colon + 1))], to };
}

function withRule(source: string, rule: object, before: number | undefined): string {
  const document = parseDocument(source);
  if (document.errors.length > 0) throw new Error('it is not valid YAML any more');
  const rules = isMap(document.contents) ? document.get('rules') : undefined;
  if ((document.contents !== null && !isMap(document.contents)) || (rules !== undefined && !isSeq(rules))) {
    throw new Error('it is not a configuration any more');
  }
  const node = document.createNode(rule, { flow: true });
  if (rules === undefined) document.set('rules', document.createNode([node]));
  else rules.items.splice(before === undefined ? rules.items.length : before - 1, 0, node);
  // Of what is there, nothing is wrapped, and a file in JSON stays one.
  return document.toString({ lineWidth: 0, ...(isJson(source) && QUOTED) });
}

const QUOTED = { defaultKeyType: 'QUOTE_DOUBLE', defaultStringType: 'QUOTE_DOUBLE' } as const;

function isJson(source: string): boolean {
  return source.trimStart().startsWith('{');
}

/** Replaces a file as a whole, so that a full disk or a crash leaves the previous one. */
function replaceFile(path: string, content: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, content, { flag: 'wx', mode: statSync(path).mode & 0o777 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

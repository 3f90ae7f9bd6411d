import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import type * as Re2 from 're2js';
import { badArgument, MangoError } from './mango-error.js';
import { translatePattern } from './translate-pattern.js';

/** Most characters of a pattern, and most steps of the program that RE2 makes of it. */
const MAX_LENGTH = 4096;
const MAX_SIZE = 1000;

const NOT_ASCII = /[^\0-\x7F]/;

/** A pattern that can be searched. */
export interface Pattern {
  /** Returns whether the pattern occurs in a text. */
  readonly search: (text: string) => boolean;
  /** Steps for each character. */
  readonly cost: number;
}

/**
 * Compiles a pattern of `$regex`, which is PCRE in CouchDB and may take exponential time there. RE2 searches it in linear time.
 * As in CouchDB, a character is a byte of the UTF-8.
 * @throws {@link MangoError} for an invalid pattern, and by its name for a construct that RE2 does not have
 */
export function compilePattern(pattern: string): Pattern {
  if (pattern.length > MAX_LENGTH) throw unsupported(`a pattern of more than ${MAX_LENGTH} characters`);
  const { expression, hasEnd, unsupported: construct } = translatePattern(bytesOf(pattern));
  if (construct !== undefined) throw unsupported(construct);
  const program = compileExpression(expression, pattern);
  const search = (text: string): boolean => {
    const bytes = bytesOf(text);
    if (program.test(bytes)) return true;
    // In PCRE, the end is also before a newline that is the last character.
    return hasEnd && bytes.endsWith('\n') && program.test(bytes.slice(0, -1));
  };
  return { search, cost: program.programSize() };
}

function compileExpression(expression: string, pattern: string): Re2.RE2JS {
  // Loaded when it is needed: few programs have patterns.
  const { RE2JS } = createRequire(import.meta.url)('re2js') as typeof Re2;
  let program: Re2.RE2JS;
  try {
    program = RE2JS.compile(expression);
  } catch (error) {
    if (/repeat count|too large/.test((error as Error).message)) throw unsupported('a repetition that is too large');
    throw badArgument('$regex', pattern);
  }
  if (program.programSize() > MAX_SIZE) throw unsupported('a repetition that is too large');
  return program;
}

function unsupported(construct: string): MangoError {
  return new MangoError('not_supported', `Unsupported operator: $regex with ${construct}`);
}

/** Returns the bytes of the UTF-8 as one character each. */
function bytesOf(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text;
}

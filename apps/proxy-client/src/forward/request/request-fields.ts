import { connectionOptions, namesNoField } from '../wire/connection-options.js';
import { kindOf, type FieldKind } from '../wire/field-kind.js';

/** What a request's fields say about its framing and its way, and the field lines that go on to the origin. */
export interface RequestFields {
  readonly host: string | undefined;
  readonly contentLength: string | undefined;
  readonly transferEncoding: string | undefined;
  /** Only for OPTIONS and TRACE; in other requests it is a field like any other. */
  readonly maxForwards: string | undefined;
  /** A field that came more than once and may not: one of the four above. */
  readonly repeated: FieldKind | undefined;
  /** Options of Connection, in lower case. */
  readonly connection: ReadonlySet<string>;
  /** The values of each of these, joined by commas; empty if there is none. */
  readonly via: string;
  readonly upgrade: string;
  readonly te: string;
  readonly expect: string;
  readonly authorization: string;
  /**
   * The lines that go on to the origin as they came, each with its CRLF: all but those that end here (RFC 9110, section
   * 7.6.1), those that Connection names, and those that are written anew: Host, framing, Max-Forwards.
   */
  readonly kept: string;
}

class Collected implements RequestFields {
  host: string | undefined = undefined;
  contentLength: string | undefined = undefined;
  transferEncoding: string | undefined = undefined;
  maxForwards: string | undefined = undefined;
  repeated: FieldKind | undefined = undefined;
  connection: ReadonlySet<string> = connectionOptions('');
  /** The values of Connection, joined by commas. */
  options = '';
  via = '';
  upgrade = '';
  te = '';
  expect = '';
  authorization = '';
  kept = '';
}

const ENDS_HERE: ReadonlySet<FieldKind> = new Set<FieldKind>([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy',
  'proxy-status',
  'te',
  'transfer-encoding',
  'upgrade',
]);
const LIMITED: ReadonlySet<FieldKind> = new Set<FieldKind>([...ENDS_HERE, 'max-forwards']);
const OLD: ReadonlySet<FieldKind> = new Set<FieldKind>([...ENDS_HERE, 'expect']);
const LIMITED_OLD: ReadonlySet<FieldKind> = new Set<FieldKind>([...LIMITED, ...OLD]);

/** Fields that may come once; Content-Length also repeated with the same value (RFC 9110, section 8.6). */
const ONCE = new Map<FieldKind, 'host' | 'contentLength' | 'transferEncoding' | 'maxForwards'>([
  ['host', 'host'],
  ['content-length', 'contentLength'],
  ['transfer-encoding', 'transferEncoding'],
  ['max-forwards', 'maxForwards'],
]);

/** Fields whose lines together are one list. */
const LISTS = new Map<FieldKind, 'options' | 'via' | 'upgrade' | 'te' | 'expect' | 'authorization'>([
  ['connection', 'options'],
  ['via', 'via'],
  ['upgrade', 'upgrade'],
  ['te', 'te'],
  ['expect', 'expect'],
  ['authorization', 'authorization'],
]);

/** What is read here of a request. */
export interface FieldsOfRequest {
  readonly method?: string | undefined;
  readonly httpVersionMinor: number;
  /** Names and values, one after the other, as they came (latin1). */
  readonly rawHeaders: readonly string[];
}

/** Goes over a request's fields once, or twice if Connection names some: in time linear in their number. */
export function collectFields({ method, httpVersionMinor, rawHeaders }: FieldsOfRequest): RequestFields {
  const fields = new Collected();
  const ending = endingKinds(method, httpVersionMinor);
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    take(fields, name, value, ending);
  }
  fields.connection = connectionOptions(fields.options);
  if (!namesNoField(fields.connection)) fields.kept = keepUnnamed(rawHeaders, fields.connection, ending);
  return fields;
}

/** HTTP/1.0 has no Expect (RFC 9110, section 10.1.1): it is ignored, and ours would ask for what we could not relay. */
function endingKinds(method: string | undefined, minor: number): ReadonlySet<FieldKind> {
  if (minor === 0) return method === 'OPTIONS' || method === 'TRACE' ? LIMITED_OLD : OLD;
  return method === 'OPTIONS' || method === 'TRACE' ? LIMITED : ENDS_HERE;
}

function take(fields: Collected, name: string, value: string, ending: ReadonlySet<FieldKind>): void {
  const kind = kindOf(name);
  if (kind !== undefined && (kind !== 'max-forwards' || ending.has(kind))) note(fields, kind, value);
  if (kind === undefined || !ending.has(kind)) fields.kept += `${name}: ${value}\r\n`;
}

function note(fields: Collected, kind: FieldKind, value: string): void {
  const once = ONCE.get(kind);
  if (once !== undefined) {
    if (fields[once] !== undefined && (once !== 'contentLength' || fields[once] !== value)) fields.repeated = kind;
    fields[once] = value;
    return;
  }
  const list = LISTS.get(kind);
  if (list !== undefined) fields[list] = fields[list] === '' ? value : `${fields[list]}, ${value}`;
}

function keepUnnamed(
  rawHeaders: readonly string[],
  named: ReadonlySet<string>,
  ending: ReadonlySet<FieldKind>,
): string {
  let kept = '';
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const kind = kindOf(name);
    if (!named.has(name.toLowerCase()) && (kind === undefined || !ending.has(kind)))
      kept += `${name}: ${rawHeaders[index + 1] ?? ''}\r\n`;
  }
  return kept;
}

const NAMED = [
  'authorization',
  'connection',
  'content-length',
  'date',
  'expect',
  'host',
  'keep-alive',
  'max-forwards',
  'proxy-status',
  'te',
  'transfer-encoding',
  'upgrade',
  'via',
  'www-authenticate',
] as const;

/** The fields that a proxy treats in their own way, `proxy` for `Proxy-*`; all others pass as they are. */
export type FieldKind = (typeof NAMED)[number] | 'proxy';

const KINDS = new Map<string, FieldKind>(NAMED.map((name) => [name, name]));

/** The usual spelling of each name as well: most names need no lower-casing then. */
const SPELLINGS = new Map(KINDS);
for (const [name, kind] of KINDS)
  SPELLINGS.set(
    name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase()),
    kind,
  );

const LENGTHS = 32;
const PROXY_PREFIX = 'proxy-';

/** One entry for each first letter and length, so that most names are dismissed without lower-casing them. */
const CANDIDATES = new Uint8Array(LENGTHS * LENGTHS);
for (const name of KINDS.keys()) CANDIDATES[slot(name.charCodeAt(0), name.length)] = 1;
for (let length = PROXY_PREFIX.length; length < LENGTHS; length += 1) CANDIDATES[slot(0x70, length)] = 1;

function slot(firstCode: number, length: number): number {
  return (firstCode & 31) * LENGTHS + Math.min(length, LENGTHS - 1);
}

/** Whether a name of that length with that first character can be of a kind at all: cheap, and never wrongly false. */
function mayHaveKind(firstCode: number, length: number): boolean {
  return CANDIDATES[slot(firstCode, length)] === 1;
}

/** The kind of a field by its name, in any case of letters. All of `Proxy-*` but Proxy-Status is `proxy`. */
export function kindOf(name: string): FieldKind | undefined {
  if (!mayHaveKind(name.charCodeAt(0), name.length)) return undefined;
  return SPELLINGS.get(name) ?? kindOfLowerCase(name.toLowerCase());
}

/** The kind of the field whose name stands in `text` from `start` to `end`. */
export function kindAt(text: string, start: number, end: number): FieldKind | undefined {
  return mayHaveKind(text.charCodeAt(start), end - start) ? kindOf(text.slice(start, end)) : undefined;
}

function kindOfLowerCase(name: string): FieldKind | undefined {
  return KINDS.get(name) ?? (name.startsWith(PROXY_PREFIX) ? 'proxy' : undefined);
}

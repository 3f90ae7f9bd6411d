/** The fields that a proxy treats in their own way; all others pass as they are. */
export type FieldKind =
  | 'authorization'
  | 'connection'
  | 'content-length'
  | 'date'
  | 'expect'
  | 'host'
  | 'keep-alive'
  | 'max-forwards'
  | 'proxy'
  | 'proxy-status'
  | 'te'
  | 'transfer-encoding'
  | 'upgrade'
  | 'via'
  | 'www-authenticate';

const KINDS = new Map<string, FieldKind>(
  (
    [
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
    ] as const
  ).map((name) => [name, name]),
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
export function mayHaveKind(firstCode: number, length: number): boolean {
  return CANDIDATES[slot(firstCode, length)] === 1;
}

/** The kind of a field by its name, in lower case. All of `Proxy-*` but Proxy-Status is `proxy`. */
export function kindOf(lowerCaseName: string): FieldKind | undefined {
  return KINDS.get(lowerCaseName) ?? (lowerCaseName.startsWith(PROXY_PREFIX) ? 'proxy' : undefined);
}

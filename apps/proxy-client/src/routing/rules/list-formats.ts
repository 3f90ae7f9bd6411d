import { isNetwork, LOOPBACK_NAME, readName } from './addresses.js';
import { Kind, MAX_NAME } from './name-set.js';

/** Receives the entries of a list. */
export interface ListSink {
  name(name: string, kind: Kind): void;
  /** Adds a name that the list does not contain, although another entry matches it. */
  exception(name: string, kind: Kind): void;
  /** Adds an address or a network. */
  network(text: string): void;
}

/** The meaning of a line: an entry; none that a proxy can follow; or no content. */
export type LineUse = 'used' | 'unused' | 'blank';

type ReadLine = (line: string, into: ListSink) => LineUse;

const LABELS = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const STARTS_LIKE_ADDRESS = /^\d|:/;

/** Adds a name in any spelling, or an address, which has no names below it. */
function add(text: string, kind: Kind, into: ListSink): LineUse {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (STARTS_LIKE_ADDRESS.test(bare) && isNetwork(bare)) {
    into.network(bare);
    return 'used';
  }
  const name = canonical(text);
  if (name === undefined) return 'unused';
  into.name(name, kind);
  return 'used';
}

/** Returns a name in lower case as A-labels, without a final dot; undefined if it is none. */
function canonical(text: string): string | undefined {
  if (text.length > MAX_NAME + 1) return undefined;
  const name = LABELS.test(text) ? text : readName(text);
  return name.length <= MAX_NAME && LABELS.test(name) ? name : undefined;
}

/** Removes a comment after the content. */
function withoutComment(line: string): string {
  const at = line.indexOf('#');
  return at === -1 ? line : line.slice(0, at).trimEnd();
}

/** Names with which hosts files begin, in addition to those of the loopback. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  'local',
  'broadcasthost',
  'ip6-localnet',
  'ip6-mcastprefix',
  'ip6-allnodes',
  'ip6-allrouters',
  'ip6-allhosts',
  '0.0.0.0',
]);
/** The addresses of names that a hosts file blocks. Others are entries of real machines. */
const NOWHERE = /^(?:0|0\.0\.0\.0|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::|::0|::1|0:0:0:0:0:0:0:[01])$/;
const BLANKS = /[ \t]+/;

function isOwnName(name: string): boolean {
  return OWN_NAMES.has(name) || LOOPBACK_NAME.test(name);
}

const hosts: ReadLine = (line, into) => {
  const [address = '', ...names] = withoutComment(line).split(BLANKS);
  if (address === '') return 'blank';
  const others = names.filter((name) => !isOwnName(name.toLowerCase()));
  if (names.length > 0 && others.length === 0) return 'blank';
  if (names.length === 0 || !NOWHERE.test(address)) return 'unused';
  return others.map((name) => addName(name, Kind.exact, into)).includes('unused') ? 'unused' : 'used';
};

/** Adds a name; an address is none. */
function addName(text: string, kind: Kind, into: ListSink): LineUse {
  return STARTS_LIKE_ADDRESS.test(text) && isNetwork(text) ? 'unused' : add(text, kind, into);
}

/** Adds an exception; an address is none. */
function except(text: string, kind: Kind, into: ListSink): LineUse {
  const name = canonical(text);
  if (name === undefined || isNetwork(name)) return 'unused';
  into.exception(name, kind);
  return 'used';
}

/** `||name^` with its options, and the exception `@@||name^`. Without ^ a rule also matches names that only begin so. */
const ADBLOCK_RULE = /^(@@)?(\|\|\*\.|\|\|?)([^^$*/|:]+|\[[0-9a-f:]+\])\^\|?(?:\$(.*))?$/i;
const ADBLOCK_KINDS: Readonly<Record<string, Kind>> = { '||*.': Kind.below, '||': Kind.both, '|': Kind.exact };
/** Other options restrict a rule to some requests: without them it would block too much. */
const ADBLOCK_OPTIONS: ReadonlySet<string> = new Set(['', 'all', 'important']);
const ADBLOCK_COMMENT = /^(?:[!\x5b]|#(?:[^#@?$%]|$))/;

const adblock: ReadLine = (line, into) => {
  if (ADBLOCK_COMMENT.test(line)) return 'blank';
  const [, isException, anchor = '', name = '', options = ''] = ADBLOCK_RULE.exec(line) ?? [];
  const kind = ADBLOCK_KINDS[anchor];
  // AdGuard reads a line without marks as one name, and lines of a hosts file.
  if (kind === undefined) return BLANKS.test(line) ? hosts(line, into) : addName(line, Kind.exact, into);
  if (!ADBLOCK_OPTIONS.has(options)) return 'unused';
  return isException === undefined ? add(name, withOption(kind, options), into) : except(name, kind, into);
};

function withOption(kind: Kind, options: string): Kind {
  return options === 'important' && kind === Kind.both ? Kind.important : kind;
}

/** `address=/a.example/b.example/ADDRESS`, `server=/a.example/SERVER`, and sets of addresses. */
const DNSMASQ_LINE = /^(address|server|local|ipset|nftset)=\/(.+)\/([^/]*)$/;

const DNSMASQ_KINDS: readonly (readonly [prefix: string, kind: Kind])[] = [
  ['*.', Kind.below],
  ['.', Kind.both],
  ['', Kind.both],
];

const dnsmasq: ReadLine = (line, into) => {
  const [, key, domains = '', value = ''] = DNSMASQ_LINE.exec(withoutDnsmasqComment(line)) ?? [];
  if (key === undefined) return 'unused';
  // The address of a real machine is an exception among blocked names.
  const isException = (key === 'server' && value === '#') || (key === 'address' && !isNowhere(value));
  const uses = domains.split('/').map((domain) => {
    const [prefix = '', kind = Kind.both] = DNSMASQ_KINDS.find(([each]) => domain.startsWith(each)) ?? [];
    return (isException ? except : addName)(domain.slice(prefix.length), kind, into);
  });
  return uses.includes('unused') ? 'unused' : 'used';
};

/** Returns whether a name with this address is blocked: another one is that of a real machine. */
function isNowhere(value: string): boolean {
  return value === '' || value === '#' || NOWHERE.test(value);
}

/** A comment of dnsmasq follows a blank: # is also a value. */
function withoutDnsmasqComment(line: string): string {
  const at = line.search(/\s#/);
  return at === -1 ? line : line.slice(0, at);
}

const CLASSICAL = /^([A-Z][A-Z0-9-]*),\s*([^,\s]+)/;
const CLASSICAL_KINDS: Readonly<Record<string, Kind>> = { DOMAIN: Kind.exact, 'DOMAIN-SUFFIX': Kind.both };
/** The spellings of mihomo, in which `*` is one level. */
const MIHOMO_KINDS: readonly (readonly [prefix: string, kind: Kind])[] = [
  ['+.', Kind.both],
  ['*.', Kind.oneLevel],
  ['.', Kind.below],
];

const mihomo: ReadLine = (line, into) => {
  if (/^payload:\s*(?:#.*)?$/.test(line)) return 'blank';
  const item = line.startsWith('- ') ? yamlScalar(line.slice(2).trimStart()) : withoutComment(line);
  const [, type, value = ''] = CLASSICAL.exec(item) ?? [];
  if (type === undefined) return addPrefixed(item, MIHOMO_KINDS, into);
  const kind = CLASSICAL_KINDS[type];
  if (kind !== undefined) return addName(value, kind, into);
  if ((type !== 'IP-CIDR' && type !== 'IP-CIDR6') || !isNetwork(value)) return 'unused';
  into.network(value);
  return 'used';
};

/** Returns the text of a YAML scalar, in quotes or not. */
function yamlScalar(text: string): string {
  const [quote = ''] = text;
  const end = quote === "'" || quote === '"' ? text.indexOf(quote, 1) : -1;
  return end === -1 ? withoutComment(text) : text.slice(1, end);
}

/** Adds a name whose prefix states its kind; without one it is exact. */
function addPrefixed(text: string, kinds: typeof MIHOMO_KINDS, into: ListSink): LineUse {
  const found = kinds.find(([prefix]) => text.startsWith(prefix));
  return found === undefined ? add(text, Kind.exact, into) : addName(text.slice(found[0].length), found[1], into);
}

/** `full:`, `domain:`, or a bare name, each with attributes. */
const V2RAY_LINE = /^(?:(full|domain):)?([^\s:]+)((?:\s+[@&]\S+)*)$/;

const v2ray: ReadLine = (line, into) => {
  const [, type, name = ''] = V2RAY_LINE.exec(withoutComment(line)) ?? [];
  return addName(name, type === 'full' ? Kind.exact : Kind.both, into);
};

const squid: ReadLine = (line, into) => addPrefixed(withoutComment(line), [['.', Kind.both]], into);

const PLAIN_KINDS: typeof MIHOMO_KINDS = [
  ['+.', Kind.both],
  ['*.', Kind.below],
];
const plain: ReadLine = (line, into) => addPrefixed(withoutComment(line), PLAIN_KINDS, into);

const FORMATS = { hosts, adblock, dnsmasq, mihomo, v2ray, squid, plain } satisfies Record<string, ReadLine>;
export type ListFormat = keyof typeof FORMATS;
export const LIST_FORMATS = Object.keys(FORMATS) as readonly ListFormat[];

/** Reads a line, without surrounding blanks. */
export function readListLine(format: ListFormat, line: string, into: ListSink): LineUse {
  if (line === '') return 'blank';
  if (format !== 'adblock' && line.startsWith('#')) return 'blank';
  return FORMATS[format](line, into);
}

/** A frequent form of lines: a plain name in lower case between two texts. */
export interface LineShape {
  readonly prefix: Buffer;
  readonly suffix: Buffer;
  readonly kind: Kind;
}

function shape(prefix: string, suffix: string, kind: Kind): LineShape {
  return { prefix: Buffer.from(prefix), suffix: Buffer.from(suffix), kind };
}

/**
 * The frequent forms of lines of each format. They have the same meaning as by {@link readListLine}, which takes several times as long.
 */
export const LINE_SHAPES: Readonly<Record<ListFormat, readonly LineShape[]>> = {
  hosts: [shape('0.0.0.0 ', '', Kind.exact), shape('127.0.0.1 ', '', Kind.exact)],
  adblock: [shape('||', '^', Kind.both)],
  dnsmasq: [shape('address=/', '/', Kind.both), shape('address=/', '/0.0.0.0', Kind.both)],
  mihomo: [shape('+.', '', Kind.both), shape('DOMAIN-SUFFIX,', '', Kind.both), shape('', '', Kind.exact)],
  v2ray: [shape('', '', Kind.both)],
  squid: [shape('.', '', Kind.both), shape('', '', Kind.exact)],
  plain: [shape('', '', Kind.exact)],
};

/** What each format is recognized by. Bare names, and those after `*.`, are in several formats. */
const SIGNS: readonly (readonly [format: ListFormat, sign: RegExp])[] = [
  ['adblock', /^(?:@@|\|\||!)/],
  ['dnsmasq', /^(?:address|server|local|ipset|nftset)=\//],
  ['mihomo', /^(?:- |\+\.|payload:|[A-Z][A-Z0-9-]+,)/],
  ['v2ray', /^(?:full|domain|keyword|regexp|include):|\s@[\w!-]+$/],
  ['hosts', /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]*::[0-9a-f:]*(?:%\w+)?)\s+\S/i],
  ['squid', /^\./],
];

/** Recognizes the format of a list by its first lines. */
export function recognizeFormat(lines: readonly string[]): ListFormat {
  if (lines.some((line) => /^\[(?:adblock|ublock|adguard)/i.test(line))) return 'adblock';
  const votes = new Map<ListFormat, number>();
  for (const line of lines) {
    const format = SIGNS.find(([, sign]) => sign.test(line))?.[0];
    if (format !== undefined) votes.set(format, (votes.get(format) ?? 0) + 1);
  }
  // `.name` is in both formats, `+.name` in one.
  if (votes.has('mihomo')) votes.delete('squid');
  const [first] = [...votes].sort((a, b) => b[1] - a[1]);
  return first?.[0] ?? 'plain';
}

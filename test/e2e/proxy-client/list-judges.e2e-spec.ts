import { expect, it } from '@jest/globals';
import { readList } from '../../../apps/proxy-client/src/routing/lists/list-reader.js';
import { HostList } from '../../../apps/proxy-client/src/routing/rules/host-list.js';
import type { ListFormat } from '../../../apps/proxy-client/src/routing/rules/list-formats.js';
import { listedByDnsmasq, listedBySquid } from '../../support/peers/list-judges.js';
import { type Tool, withTools } from '../../support/proxy/with-tool.js';

const DNSMASQ: Tool = { name: 'dnsmasq', variable: 'DNSMASQ', names: ['dnsmasq'] };
const SQUID: Tool = { name: 'squid', variable: 'SQUID', names: ['squid'] };

/** A generator of the same numbers in each run, unless FUZZ_SEED is set (Park and Miller). */
function* numbers(): Generator<number, never> {
  for (let seed = Number(process.env['FUZZ_SEED'] ?? 43); ; seed = (seed * 48_271) % 2_147_483_647) yield seed;
}
const random = numbers();
const pick = <T>(values: readonly T[]): T => values[random.next().value % values.length]!;

const LABELS = [
  'ads',
  'a',
  'b2',
  'track-er',
  'x_y',
  'cdn',
  'xn--bcher-kva',
  '0',
  'very-long-label-of-a-host-name-somewhere',
];
const nameOf = (levels: number): string =>
  [...Array.from({ length: levels }, () => pick(LABELS)), pick(['example', 'test', 'invalid'])].join('.');
const NAMES = [...new Set(Array.from({ length: 400 }, (_, index) => nameOf(1 + (index % 4))))];

/** The names of a list, names above and below them, similar ones, and others: a thousand. */
const ASKED = [
  ...new Set(
    [
      ...NAMES,
      ...NAMES.flatMap((name) => [`www.${name}`, `not${name}`, name.replace(/^[^.]+\./, ''), `a.b.${name}`]),
    ].concat(Array.from({ length: 600 }, () => nameOf(1 + (random.next().value % 5)))),
  ),
].slice(0, 1000);

/** Returns the asked names that our reader finds in a list. */
async function listedByProxy(list: string, format: ListFormat): Promise<ReadonlySet<string>> {
  const setBy = { source: 'test', key: 'hosts' };
  const made = new HostList({ source: { file: 'list', mark: '' }, name: 'list', setBy, format });
  made.use(await readList(bytesOf(list), format), new Date());
  return new Set(ASKED.filter((name) => made.has(name)));
}

async function* bytesOf(text: string): AsyncGenerator<Buffer> {
  yield Promise.resolve(Buffer.from(text));
}

/** Expects the same names, and that many are and are not listed. */
function expectSame(ours: ReadonlySet<string>, theirs: ReadonlySet<string>): void {
  const onlyOurs = [...ours].filter((name) => !theirs.has(name));
  const onlyTheirs = [...theirs].filter((name) => !ours.has(name));
  expect({ onlyOurs, onlyTheirs }).toEqual({ onlyOurs: [], onlyTheirs: [] });
  expect(ours.size).toBeGreaterThan(100);
  expect(ours.size).toBeLessThan(900);
}

it('asks for a thousand names', () => {
  expect(ASKED).toHaveLength(1000);
});

withTools('dnsmasq decides as this proxy', [DNSMASQ], (dnsmasq = '') => {
  it('about a hosts file', async () => {
    const lines = NAMES.filter((_, index) => index % 2 === 0).map((name) =>
      pick([
        `0.0.0.0 ${name}`,
        `127.0.0.1\t${name.toUpperCase()}`,
        `:: ${name} # a comment`,
        `::1\t\t${name}\twww.${name}`,
        `0.0.0.0 ${name}.`,
        `# 0.0.0.0 ${name}`,
        `192.168.1.2 ${name}`,
        `  0.0.0.0   ${name}   `,
      ]),
    );
    const list = ['127.0.0.1 localhost', '', ...lines].join('\n');
    expectSame(await listedByProxy(list, 'hosts'), await listedByDnsmasq(dnsmasq, 'hosts', list, ASKED));
  });

  it('about its own configuration', async () => {
    const lines = NAMES.filter((_, index) => index % 3 === 0).map((name) =>
      pick([
        `address=/${name}/`,
        `address=/${name}/0.0.0.0`,
        `address=/${name}/127.0.0.1 # a comment`,
        `address=/${name.toUpperCase()}/#`,
        `address=/${name}/other.${name}/0.0.0.0`,
        `address=/.${name}/0.0.0.0`,
        `local=/${name}/`,
        `server=/${name}/OTHER`,
        `#address=/${name}/`,
        `address=/${name}/192.168.1.2`,
        `address=/*.${name}/`,
        `server=/${name}/#`,
      ]),
    );
    const list = ['bogus-priv', '', ...lines].join('\n');
    const ours = await listedByProxy(list.replaceAll('OTHER', '192.0.2.1'), 'dnsmasq');
    expectSame(ours, await listedByDnsmasq(dnsmasq, 'dnsmasq', list, ASKED));
  });
});

withTools('squid decides as this proxy', [SQUID], (squid = '') => {
  it('about the file of a dstdomain', async () => {
    const lines = NAMES.filter((_, index) => index % 4 === 0).map((name) =>
      pick([name, `.${name}`, name.toUpperCase(), `.${name} # a comment`, `# ${name}`]),
    );
    // squid refuses a list with names that another entry contains.
    const above = lines.filter((line) => line.startsWith('.')).map((line) => line.replace(/ .*/, ''));
    const isContained = (line: string): boolean =>
      above.some((name) => line !== name && `.${line.toLowerCase()}`.endsWith(name));
    const kept = lines.filter((line) => line.startsWith('#') || !isContained(line.replace(/ .*/, '')));
    const list = `${kept.join('\n')}\n`;
    expectSame(await listedByProxy(list, 'squid'), await listedBySquid(squid, list, ASKED));
  });
});

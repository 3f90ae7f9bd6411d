import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parsePacAnswer, urlForPac, type PacEntry } from '../../../apps/proxy-client/src/pac/pac-answer.js';
import { PacEvaluator } from '../../../apps/proxy-client/src/pac/pac-evaluator.js';
import { formatAuthority, parseTarget } from '../../../apps/proxy-client/src/http/authority.js';
import { decisionsOfChromium } from '../../support/proxy/pac-chromium.js';
import { CHROMIUM, withTools } from '../../support/proxy/with-tool.js';

const script = (name: string): string => readFileSync(`test/fixtures/pac/${name}.pac`, 'utf8');

const HOSTS = [
  ...[
    'intranet',
    'www',
    'www.example.test',
    'example.test',
    'badexample.test',
    'deep.sub.example.test',
    'WWW.Example.TEST',
  ],
  ...[
    'www.example.test.',
    'intranet.example.test',
    'xn--bcher-kva.test',
    'under_score.test',
    'a-b.c-d.test',
    'test',
    'wwww.test',
  ],
  ...[
    '10.1.2.3',
    '10.200.3.4',
    '192.168.7.7',
    '172.16.0.1',
    '172.31.255.255',
    '172.32.0.1',
    '8.8.8.8',
    '0x0a.1.2.3',
    '010.1.2.3',
  ],
  ...['[2001:db8::1]', '[2001:DB8:0::0:1]', '[::ffff:10.1.2.3]', '[fd00::7]'],
];
const PATHS = ['/', '/a/b?q=1', '/ads/banner.gif?x=http://b.test/', '/%41/a b/ü#part', '/a/'];
const PORTS = ['', ':80', ':443', ':8443'];

/** Every host with some paths and ports, as plain and as TLS, in the spelling that a browser uses. */
const URLS = HOSTS.flatMap((host, first) =>
  Array.from({ length: 10 }, (_, index) => {
    const place = `${host}${PORTS[(first + index) % PORTS.length]!}`;
    return new URL(`${index % 3 === 0 ? 'https' : 'http'}://${place}${PATHS[index % PATHS.length]!}`).href;
  }),
);

/** Answers that have the same meaning for Chromium and for this proxy. */
const SAME = [
  ...[
    'PROXY a.test:80',
    'proxy a.test:80',
    ' PROXY  a.test:80 ',
    'PROXY a.test',
    'PROXY a.test:',
    'PROXY a.test:65535',
  ],
  ...['PROXY a.test:65536', 'PROXY a.test:-1', 'PROXY a.test:8o', 'PROXY', 'PROXY ;PROXY b.test:1', 'HTTPS a.test'],
  ...[
    'HTTPS a.test:8443',
    'SOCKS5 a.test',
    'SOCKS5 a.test:9',
    'QUIC a.test:1; PROXY b.test:2',
    'FTP a.test:1',
    'nonsense',
  ],
  ...['', ';', ';;;', 'PROXY a.test:1 ; PROXY b.test:2 ;', 'PROXY a.test:1, PROXY b.test:2', 'PROXY\ta.test:1'],
  ...[
    'PROXY a.test:1\t;\tSOCKS5 b.test:2',
    'PROXY 127.0.0.1:1',
    'PROXY [::1]:1',
    'PROXY [::1]',
    'PROXY http://a.test:80',
  ],
  ...[
    'PROXY a.test:80/',
    'PROXY user:secret@a.test:80',
    'PROXY a.test:80 extra',
    'PROXY a_b.test:80',
    'PROXY -a.test:80',
  ],
  ...[
    'PROXY a..test:80',
    'PROXY .a.test:80',
    'PROXY a.test.:80',
    'PROXY A.TEST:80',
    'PROXY a.test:080',
    'PROXY a.test:+80',
  ],
  ...['PROXY a.test:80;;SOCKS5 b.test:1', 'nonsense; PROXY a.test:80', 'PROXY a.test:70000; PROXY b.test:80'],
  ...['PROXY a.test:80; PROXY a.test:80', 'PROXY a.test:1; DIRECT; PROXY b.test:1', 'direct'],
];
/** Answers with another meaning: what Chromium chooses, and what this proxy does. */
const DIFFERENT: readonly (readonly [answer: string, theirs: string, ours: string])[] = [
  // Firefox has HTTP too.
  ['HTTP a.test', 'DIRECT', 'PROXY a.test:80'],
  // SOCKS4 is not supported; servers of today accept SOCKS5.
  ['SOCKS a.test', 'SOCKS a.test:1080', 'SOCKS5 a.test:1080'],
  ['SOCKS4 a.test:1; PROXY b.test:2', 'SOCKS a.test:1;PROXY b.test:2', 'PROXY b.test:2'],
  ['PROXY a.test:1\r\n; PROXY b.test:2', 'PROXY b.test:2', 'PROXY a.test:1;PROXY b.test:2'],
  ['PROXY ::1', 'DIRECT', 'PROXY [::1]:80'],
  // Not names of hosts.
  ['PROXY a.test:0', 'PROXY a.test:0', ''],
  ['PROXY a b.test:80', 'PROXY a%20b.test:80', ''],
  ['PROXY *:80', 'PROXY %2A:80', ''],
  ['PROXY %61.test:80', 'PROXY a.test:80', ''],
];

/** Returns the decisions for URLs, as the proxy asks a script for them and understands its answers. */
async function decisionsOfProxy(text: string, urls: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const evaluator = new PacEvaluator({ script: text, resolves: false });
  try {
    const decisions = new Map<string, string>();
    for (const url of urls) {
      const { protocol, host, port } = new URL(url);
      const isTls = protocol === 'https:';
      const target = parseTarget(port === '' ? `${host}:${isTls ? 443 : 80}` : host);
      // No request has a fragment.
      const plain = isTls ? undefined : url.replace(/#.*/, '');
      const given = { url: urlForPac(target, plain), host: target.host.toLowerCase() };
      const reply = await evaluator.find(given);
      decisions.set(url, 'error' in reply ? 'error' : parsePacAnswer(reply.result).map(asInChromium).join(';'));
    }
    return decisions;
  } finally {
    evaluator.close();
  }
}

const WORDS = { http: 'PROXY', https: 'HTTPS', socks5: 'SOCKS5' };

function asInChromium(entry: PacEntry): string {
  return entry.kind === 'direct' ? 'DIRECT' : `${WORDS[entry.kind]} ${formatAuthority(entry).toLowerCase()}`;
}

withTools('Chromium decides as this proxy', [CHROMIUM], (chromium = '') => {
  /** @param isEqual - accepts a decision of Chromium that differs */
  const compare = async (
    text: string,
    urls: readonly string[],
    isEqual: (theirs: string, url: string) => boolean = () => false,
  ): Promise<ReadonlyMap<string, string>> => {
    const theirs = await decisionsOfChromium(chromium, Buffer.from(text), urls);
    const ours = await decisionsOfProxy(text, urls);
    const different = urls.filter((url) => {
      const [chosen = '', own = ''] = [theirs.get(url), ours.get(url)];
      return chosen !== own && !isEqual(chosen, url);
    });
    expect(different.map((url) => ({ url, theirs: theirs.get(url), ours: ours.get(url) }))).toEqual([]);
    return theirs;
  };

  it.each(['functions', 'arguments'])('for each host, scheme, port and path: %s', async (name) => {
    expect(new Set(URLS).size).toBeGreaterThanOrEqual(200);
    const decisions = await compare(script(name), URLS);
    expect(new Set(decisions.values()).size).toBeGreaterThan(50);
  });

  it('about the present day and hour', async () => {
    const urls = ['days', 'dates', 'years', 'hours'].map((test) => `http://${test}.test/`);
    const before = await decisionsOfProxy(script('times'), urls);
    // A minute later the results may be others.
    await compare(script('times'), urls, (theirs, url) => theirs === before.get(url));
  });

  it('for scripts with the syntax of today, a byte order mark, CR LF and UTF-8', async () => {
    await compare(`\uFEFF${script('modern').replaceAll('\n', '\r\n')}`, URLS);
  });

  it('for unusual answers, but where this proxy understands more, or nothing', async () => {
    const answers = [...SAME, ...DIFFERENT.map(([answer]) => answer)];
    const text = `var FindProxyForURL = (url, host) => ${JSON.stringify(answers)}[host.slice(1, host.indexOf('.'))]`;
    const urls = answers.map((_, index) => `http://n${index}.test/`);
    const theirs = await decisionsOfChromium(chromium, Buffer.from(text), urls);
    const ours = await decisionsOfProxy(text, urls);
    const both = urls.map((url) => [theirs.get(url), ours.get(url)]);
    // An answer without any proxy is a direct connection of Chromium, and a failed request of this proxy.
    const same = both.slice(0, SAME.length).map(([chosen, own]) => [chosen, own === '' ? 'DIRECT' : own]);
    expect(same).toEqual(same.map(([chosen]) => [chosen, chosen]));
    expect(both.slice(SAME.length)).toEqual(DIFFERENT.map(([, chosen, own]) => [chosen, own]));
  });
});

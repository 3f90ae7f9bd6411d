import { LINE_SHAPES, LIST_FORMATS, type ListFormat, readListLine, recognizeFormat } from './list-formats.js';
import { Kind } from './name-set.js';

const KINDS = new Map(Object.entries(Kind).map(([name, kind]) => [kind, name]));

/** Returns the entries of a line as text, or its use if it has none. */
function read(format: ListFormat, line: string): string {
  const entries: string[] = [];
  const use = readListLine(format, line, {
    name: (name, kind) => entries.push(`${name} ${KINDS.get(kind)}`),
    exception: (name, kind) => entries.push(`not ${name} ${KINDS.get(kind)}`),
    network: (text) => entries.push(`network ${text}`),
  });
  return use === 'used' ? entries.join(', ') : [use, ...entries].join(' ');
}

describe('readListLine', () => {
  it.each<readonly [ListFormat, string, string]>([
    ['hosts', '0.0.0.0 ads.example', 'ads.example exact'],
    ['hosts', '127.0.0.1\tAds.Example.  b.example # comment', 'ads.example exact, b.example exact'],
    ['hosts', '::1 ip6.example', 'ip6.example exact'],
    ['hosts', '0 short.example', 'short.example exact'],
    ['hosts', '127.0.0.1 localhost localhost.localdomain', 'blank'],
    ['hosts', 'fe80::1%lo0 localhost', 'blank'],
    ['hosts', '255.255.255.255 broadcasthost', 'blank'],
    ['hosts', '0.0.0.0 localhost ads.example', 'ads.example exact'],
    ['hosts', '192.168.1.2 nas', 'unused'],
    ['hosts', '0.0.0.0', 'unused'],
    ['hosts', 'ads.example', 'unused'],
    ['hosts', '0.0.0.0 10.0.0.1', 'unused'],
    ['hosts', '0.0.0.0 bücher.example', 'xn--bcher-kva.example exact'],
    ['hosts', '# comment', 'blank'],
    ['hosts', '', 'blank'],
    ['adblock', '||ads.example^', 'ads.example both'],
    ['adblock', '||ADS.example^|', 'ads.example both'],
    ['adblock', '|ads.example^', 'ads.example exact'],
    ['adblock', '||*.ads.example^', 'ads.example below'],
    ['adblock', '@@||ok.ads.example^', 'not ok.ads.example both'],
    ['adblock', '@@|ok.ads.example^', 'not ok.ads.example exact'],
    ['adblock', '@@||1.2.3.4^', 'unused'],
    ['adblock', '||ads.example^$important', 'ads.example important'],
    ['adblock', '||ads.example^$all', 'ads.example both'],
    ['adblock', '||ads.example^$third-party', 'unused'],
    ['adblock', '||ads.example^$popup,important', 'unused'],
    ['adblock', '||ads.example', 'unused'],
    ['adblock', '||ads.example/path^', 'unused'],
    ['adblock', '||ads*.example^', 'unused'],
    ['adblock', '||1.2.3.4^', 'network 1.2.3.4'],
    ['adblock', 'ads.example', 'ads.example exact'],
    ['adblock', '0.0.0.0 ads.example', 'ads.example exact'],
    ['adblock', 'example.com##.banner', 'unused'],
    ['adblock', '##.banner', 'unused'],
    ['adblock', '/banner[0-9]+/', 'unused'],
    ['adblock', '! comment', 'blank'],
    ['adblock', '[Adblock Plus 2.0]', 'blank'],
    ['adblock', '# comment', 'blank'],
    ['dnsmasq', 'address=/ads.example/0.0.0.0', 'ads.example both'],
    ['dnsmasq', 'address=/a.example/b.example/#', 'a.example both, b.example both'],
    ['dnsmasq', 'address=/.ads.example/', 'ads.example both'],
    ['dnsmasq', 'local=/ads.example/', 'ads.example both'],
    ['dnsmasq', 'server=/cn.example/114.114.114.114 # comment', 'cn.example both'],
    ['dnsmasq', 'server=/ok.example/#', 'not ok.example both'],
    ['dnsmasq', 'server=/o k/#', 'unused'],
    ['dnsmasq', 'address=/nas.example/192.168.1.2', 'not nas.example both'],
    ['dnsmasq', 'address=/*.ads.example/', 'ads.example below'],
    ['dnsmasq', 'address=/#/0.0.0.0', 'unused'],
    ['dnsmasq', 'cache-size=1000', 'unused'],
    ['mihomo', 'payload:', 'blank'],
    ['mihomo', "- '+.ads.example'", 'ads.example both'],
    ['mihomo', '- ".ads.example" # comment', 'ads.example below'],
    ['mihomo', '- *.ads.example', 'ads.example oneLevel'],
    ['mihomo', '- ads.example # comment', 'ads.example exact'],
    ['mihomo', '+.ads.example', 'ads.example both'],
    ['mihomo', 'DOMAIN,ads.example', 'ads.example exact'],
    ['mihomo', 'DOMAIN-SUFFIX,ads.example,REJECT', 'ads.example both'],
    ['mihomo', 'IP-CIDR,10.0.0.0/8,no-resolve', 'network 10.0.0.0/8'],
    ['mihomo', 'IP-CIDR6,2001:db8::/32', 'network 2001:db8::/32'],
    ['mihomo', 'IP-CIDR,nothing', 'unused'],
    ['mihomo', 'DOMAIN-KEYWORD,ads', 'unused'],
    ['mihomo', 'ads.*.example', 'unused'],
    ['mihomo', "- 'ads.example", 'unused'],
    ['v2ray', 'domain:ads.example @ads', 'ads.example both'],
    ['v2ray', 'full:ads.example', 'ads.example exact'],
    ['v2ray', 'ads.example @ads @!cn # comment', 'ads.example both'],
    ['v2ray', 'keyword:ads', 'unused'],
    ['v2ray', 'regexp:^ads', 'unused'],
    ['v2ray', 'include:others', 'unused'],
    ['squid', '.ads.example', 'ads.example both'],
    ['squid', 'ads.example # comment', 'ads.example exact'],
    ['squid', '1.2.3.4', 'network 1.2.3.4'],
    ['plain', 'ads.example', 'ads.example exact'],
    ['plain', '*.ads.example', 'ads.example below'],
    ['plain', '+.ads.example', 'ads.example both'],
    ['plain', '.ads.example', 'unused'],
    ['plain', '+.1.2.3.4', 'unused'],
    ['plain', '[2001:db8::1]', 'network 2001:db8::1'],
    ['plain', '10.0.0.0/8', 'network 10.0.0.0/8'],
    ['plain', '<html>', 'unused'],
    ['plain', 'a'.repeat(300), 'unused'],
    ['plain', `${'a'.repeat(64)}.example`, 'unused'],
  ])('reads the line of %s %j as %s', (format, line, expected) => {
    expect(read(format, line)).toBe(expected);
  });
});

describe('LINE_SHAPES', () => {
  it.each(LIST_FORMATS)('mean the same as the lines of %s', (format) => {
    for (const { prefix, suffix, kind } of LINE_SHAPES[format]) {
      expect(read(format, `${prefix.toString()}a-1.ads_2.example${suffix.toString()}`)).toBe(
        `a-1.ads_2.example ${KINDS.get(kind)}`,
      );
    }
  });
});

describe('recognizeFormat', () => {
  it.each<readonly [ListFormat, readonly string[]]>([
    ['hosts', ['# Title: hosts', '127.0.0.1 localhost', '0.0.0.0 a.example', '0.0.0.0 b.example']],
    ['hosts', ['::1 a.example', 'fe80::1%lo0 localhost']],
    ['adblock', ['! Title', '||a.example^', '@@||b.example^']],
    ['adblock', ['[Adblock Plus]', 'a.example', 'b.example']],
    ['dnsmasq', ['# x', 'address=/a.example/', 'server=/b.example/1.1.1.1']],
    ['mihomo', ['payload:', "- '+.a.example'", '- b.example']],
    ['mihomo', ['.a.example', '.b.example', '.c.example', '+.d.example']],
    ['mihomo', ['DOMAIN-SUFFIX,a.example', 'IP-CIDR,1.2.3.0/24']],
    ['v2ray', ['a.example', 'full:b.example', 'c.example @ads']],
    ['squid', ['.a.example', 'b.example']],
    ['plain', ['a.example', '*.b.example']],
    ['plain', []],
  ])('recognizes %s', (format, lines) => {
    expect(recognizeFormat(lines)).toBe(format);
  });
});

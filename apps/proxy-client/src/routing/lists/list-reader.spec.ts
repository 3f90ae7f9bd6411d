import { gzipSync } from 'node:zlib';
import { readName } from '../rules/addresses.js';
import { HostList } from '../rules/host-list.js';
import type { ListFormat } from '../rules/list-formats.js';
import { ListError, readList } from './list-reader.js';

async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  // The same memory for each chunk, as a file is read.
  const memory = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size)
    yield await Promise.resolve(memory.subarray(0, bytes.copy(memory, 0, at, at + size)));
}

async function listOf(text: string | Buffer, format?: ListFormat, size = 65_536): Promise<HostList> {
  const source = { file: '/ads.txt', mark: '' };
  const list = new HostList({ source, format, name: 'ads.txt', setBy: { source: 'a', key: 'b' } });
  list.use(await readList(chunks(Buffer.from(text), size), format), new Date(0));
  return list;
}

const COMMENT = `#${' '.repeat(4000)}\n`;

describe('readList', () => {
  it('reads the same entries however the bytes are divided', async () => {
    const text = '\ufeff0.0.0.0 ads.example\r\n\r\n0.0.0.0 bücher.example\n# c\n0.0.0.0 last.example';
    for (const size of [1, 2, 3, 7, 1000]) {
      const list = await listOf(text, undefined, size);
      expect(list.content).toMatchObject({ format: 'hosts', used: 3, unused: 0, firstUnused: undefined });
      for (const name of ['ads.example', readName('bücher.example'), 'last.example']) expect(list.has(name)).toBe(true);
    }
  });

  it('applies exceptions to names below them, but not to important entries', async () => {
    const list = await listOf('||ads.example^\n@@||ok.ads.example^\n||x.ok.ads.example^$important\n');
    const asked = [
      'ads.example',
      'a.ads.example',
      'ok.ads.example',
      'a.ok.ads.example',
      'b.x.ok.ads.example',
      'example',
    ];
    expect(asked.map((name) => list.has(name))).toEqual([true, true, false, false, true, false]);
  });

  it('reads addresses and networks', async () => {
    const list = await listOf('10.0.0.0/8\n2001:db8::1\nads.example\n');
    expect([list.content?.networks.hasText('10.1.2.3'), list.content?.networks.hasText('11.1.2.3')]).toEqual([
      true,
      false,
    ]);
  });

  it('reads gzip, which may have several members', async () => {
    const list = await listOf(Buffer.concat([gzipSync('a.example\n'), gzipSync('b.example\n')]), undefined, 5);
    expect([list.has('a.example'), list.has('b.example')]).toEqual([true, true]);
  });

  it('counts lines that it cannot use, and names the first', async () => {
    const list = await listOf(`||a.example^\n||b.example^$third-party\n${'||c.example^\n'.repeat(8)}##.ad\n`);
    expect(list.content).toMatchObject({ format: 'adblock', used: 9, unused: 2, firstUnused: 2 });
    expect(list.has('b.example')).toBe(false);
  });

  it('refuses a list of which less than 80 % of the lines fit the recognized format, and shows the first ones', async () => {
    const text = '0.0.0.0 a.example\n<html>\n"b"\n\u{1f600}\n0.0.0.0 c.example\n';
    await expect(listOf(text)).rejects.toThrow(
      'only 2 of 5 lines can be used as the format hosts; specify format: (hosts, adblock, dnsmasq, mihomo, v2ray, squid, plain). First unused: line 2 "<html>", line 3 "\\"b\\"", line 4 "\u{1f600}"',
    );
    expect((await listOf(text, 'hosts')).content).toMatchObject({ used: 2, unused: 3 });
  });

  it.each<readonly [string, string | Buffer, ListFormat | undefined, RegExp]>([
    ['an empty file', '', undefined, /^has no entries$/],
    ['comments only', '# a\n\n', undefined, /^has no entries$/],
    ['another format', '||a.example^\n', 'hosts', /^only 0 of 1 lines/],
    ['broken gzip', Buffer.from([0x1f, 0x8b, 1, 2, 3]), undefined, /^is not valid gzip$/],
    ['cut gzip', gzipSync('a.example\n'.repeat(1000)).subarray(0, 30), undefined, /^is not valid gzip$/],
    ['a gzip bomb', gzipSync(Buffer.alloc(80_000_000, COMMENT)), undefined, /^is larger than 64 MiB$/],
    ['more than 64 MiB', Buffer.alloc(67_108_865, COMMENT), undefined, /^is larger than 64 MiB$/],
    ['a line of 10 MB', Buffer.alloc(10_000_000, 'a'), undefined, /^only 0 of 1 lines .* line 1 "a{60}"$/],
    ['an answer in HTML', '<!doctype html>\n<title>Log in</title>\n', undefined, /^is an HTML page, not a list$/],
    [
      'an answer in HTML with a line that looks like a name',
      '\n\n<HTML>\nlogin\n',
      'plain',
      /^is an HTML page, not a list$/,
    ],
  ])('refuses %s', async (_title, bytes, format, message) => {
    const reading = listOf(bytes, format);
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toThrow(ListError);
  });

  it('refuses more than 100,000 addresses, which take more memory than names', async () => {
    const many = Array.from(
      { length: 100_001 },
      (_, index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
    );
    await expect(listOf(many.join('\n'), 'plain')).rejects.toThrow('has more than 100000 addresses');
  });

  it('reads the lines around one that is too long', async () => {
    const list = await listOf(`a.example\nb.example\n${'x'.repeat(200_000)}\nc.example\nd.example\n`, undefined, 4096);
    expect(list.content).toMatchObject({ used: 4, unused: 1, firstUnused: 3 });
    expect(['a.example', 'd.example'].map((name) => list.has(name))).toEqual([true, true]);
  });

  it('gives other work a turn between its steps', async () => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await listOf(Array.from({ length: 100_000 }, (_, index) => `host-${index}.example`).join('\n'));
    isDone = true;
    // 1.9 MB in pieces of 64 KiB, and 100,000 names in steps of 10,000.
    expect(turns).toBeGreaterThan(35);
  });
});

describe('HostList', () => {
  it('matches nothing before its content is loaded', () => {
    const list = new HostList({ source: { url: 'http://a/', refresh: 1 }, name: 'a', setBy: { source: '', key: '' } });
    expect([list.has('a'), list.hasAddress(1n)]).toEqual([false, false]);
  });
});

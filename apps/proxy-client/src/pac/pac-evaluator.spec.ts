import { PacEvaluator, type PacReply } from './pac-evaluator.js';

let evaluator: PacEvaluator | undefined;
afterEach(() => {
  evaluator?.close();
});

async function ask(script: string, url = 'http://a.example/', resolves = false): Promise<PacReply> {
  evaluator?.close();
  evaluator = new PacEvaluator({ script, resolves });
  return evaluator.find({ url, host: new URL(url).hostname.replace(/^\[|\]$/g, '') });
}

const returning = (expression: string) => `function FindProxyForURL(url, host) { return ${expression}; }`;

/** Returns the value of an expression in a script. */
async function valueOf(expression: string): Promise<unknown> {
  const reply = await ask(returning(`JSON.stringify(${expression})`));
  return 'result' in reply ? JSON.parse(reply.result) : reply;
}

describe('PacEvaluator', () => {
  it('returns what the script returns, with the syntax of today', async () => {
    const script = 'const find = (url, host) => `PROXY ${host}:1; ${url}`; class A {}; var FindProxyForURL = find';
    expect(await ask(script)).toEqual({ result: 'PROXY a.example:1; http://a.example/' });
  });

  it.each<readonly [string, string, object]>([
    ['a syntax error', 'function FindProxyForURL(', { error: 'script', message: expect.any(String) as string }],
    ['no function', 'var FindProxyForURL = 1', { error: 'no-function' }],
    ['an exception', 'function FindProxyForURL() { throw new Error("x") }', { error: 'exception', message: 'x' }],
    ['an endless loop', returning('(function () { for (;;); })()'), { error: 'time' }],
    [
      'an endless loop that catches',
      'function FindProxyForURL() { for (;;) try { for (;;); } catch (e) {} }',
      { error: 'time' },
    ],
    ['an endless loop while it is loaded', 'for (;;);', { error: 'time' }],
    ['more than 16 MiB of memory', returning('new Uint8Array(2e7).length + ""'), { error: 'memory' }],
    [
      'endless recursion',
      'function FindProxyForURL() { return FindProxyForURL() }',
      { error: 'exception', message: expect.any(String) as string },
    ],
    ['no text', returning('undefined'), { error: 'no-text' }],
    ['an object', returning('({ toString: function () { for (;;); } })'), { error: 'no-text' }],
    ['a megabyte', returning('"PROXY a:1;".repeat(1e5)'), { error: 'long' }],
  ])('reports %s', async (_title, script, expected) => {
    expect(await ask(script)).toEqual(expected);
  });

  it('lets scripts write to a console, as Chromium does', async () => {
    expect(await valueOf('[typeof console.log("a"), typeof console.error, typeof alert("b")]')).toEqual([
      'undefined',
      'function',
      'undefined',
    ]);
  });

  it('answers other requests after one that it had to interrupt', async () => {
    await ask(returning('host === "loop" ? (function () { for (;;); })() : "DIRECT"'), 'http://loop/');
    expect(await evaluator!.find({ url: 'http://a/', host: 'a' })).toEqual({ result: 'DIRECT' });
  });

  it('does not ask a script that did not answer three times for a while', async () => {
    let now = 0;
    evaluator = new PacEvaluator({ script: returning('(function () { for (;;); })()'), resolves: false }, () => now);
    for (const url of ['http://a/', 'http://b/', 'http://c/']) {
      expect(await evaluator.find({ url, host: 'a' })).toEqual({ error: 'time' });
    }
    expect(await evaluator.find({ url: 'http://d/', host: 'd' })).toEqual({ error: 'silent' });
    now += 31_000;
    expect(await evaluator.find({ url: 'http://d/', host: 'd' })).toEqual({ error: 'time' });
  });

  it('does not let requests that wait take as long, one after the other', async () => {
    evaluator = new PacEvaluator({ script: returning('(function () { for (;;); })()'), resolves: false });
    const urls = Array.from({ length: 30 }, (_, index) => `http://a/${index}`);
    const replies = await Promise.all(urls.map(async (url) => evaluator!.find({ url, host: 'a' })));
    const errors = replies.map((reply) => ('error' in reply ? reply.error : reply));
    expect(errors).toEqual([...Array<string>(3).fill('time'), ...Array<string>(27).fill('silent')]);
  });

  it('caches the answer for a URL for a minute, and no failure', async () => {
    let now = 0;
    const script = 'var n = 0; function FindProxyForURL(url) { n++; if (/bad/.test(url)) throw n; return String(n); }';
    evaluator = new PacEvaluator({ script, resolves: false }, () => now);
    const find = async (url: string) => evaluator!.find({ url, host: 'a' });
    expect(evaluator.cached({ url: 'http://a/', host: 'a' })).toBeUndefined();
    expect(await Promise.all([find('http://a/'), find('http://a/')])).toEqual([{ result: '1' }, { result: '1' }]);
    expect(evaluator.cached({ url: 'http://a/', host: 'a' })).toEqual({ result: '1' });
    expect(await find('http://b/')).toEqual({ result: '2' });
    now += 61_000;
    expect(evaluator.cached({ url: 'http://a/', host: 'a' })).toBeUndefined();
    expect(await find('http://a/')).toEqual({ result: '3' });
    await find('http://bad/');
    expect(await find('http://bad/')).toMatchObject({ error: 'exception' });
    for (let index = 0; index < 1000; index += 1) void find(`http://many/${index}`);
    expect(evaluator.cached({ url: 'http://a/', host: 'a' })).toBeUndefined();
  });

  it('resolves no name unless it is told to', async () => {
    const script = returning(
      '[dnsResolve("localhost"), isResolvable(host), dnsResolve("10.0.0.1"), isInNet("10.1.1.1", "10.0.0.0", "255.0.0.0")].join()',
    );
    expect(await ask(script)).toEqual({ result: ',false,10.0.0.1,true' });
    expect(await ask(script, 'http://localhost/', true)).toEqual({ result: '127.0.0.1,true,10.0.0.1,true' });
  });

  it('runs a script again with the addresses of names, also if it has caught the exception', async () => {
    const script = returning(
      '(function () { try { return dnsResolve("localhost") } catch (e) { return "caught" } })()',
    );
    expect(await ask(script, 'http://a/', true)).toEqual({ result: '127.0.0.1' });
    const endless =
      'function FindProxyForURL() { for (var i = 0; ; i++) try { dnsResolve("localhost"); dnsResolve("n" + i + ".invalid") } catch (e) { return "x" } }';
    expect(await ask(endless, 'http://a/', true)).toEqual({ error: 'names' });
  });

  it('gives a script nothing of Node', async () => {
    expect(await valueOf('[typeof process, typeof require, typeof fetch, typeof setTimeout]')).toEqual(
      Array.from({ length: 4 }, () => 'undefined'),
    );
  });
});

describe('the functions of a script', () => {
  const CASES: readonly (readonly [expression: string, value: unknown])[] = [
    ['isPlainHostName("a")', true],
    ['isPlainHostName("a.b")', false],
    ['isPlainHostName("::1")', false],
    ['dnsDomainIs("www.a.example", ".a.example")', true],
    ['dnsDomainIs("a.example", ".a.example")', false],
    ['localHostOrDomainIs("www", "www.a.example")', true],
    ['localHostOrDomainIs("home.a.example", "www.a.example")', false],
    ['dnsDomainLevels("www.a.example")', 2],
    ['shExpMatch("http://a.example/x", "*a.example/*")', true],
    ['shExpMatch("a.example", "a?example")', true],
    ['shExpMatch("axexample", "a.example")', false],
    ['shExpMatch("b.example", "(*.a|b.example)")', true],
    ['isInNet("10.1.2.3", "10.0.0.0", "255.0.0.0")', true],
    ['isInNet("11.1.2.3", "10.0.0.0", "255.0.0.0")', false],
    ['isInNet("10.1.2.300", "10.0.0.0", "255.0.0.0")', false],
    ['isInNetEx("10.1.2.3", "10.0.0.0/8")', true],
    ['isInNetEx("2001:db8::1", "2001:db8::/32")', true],
    ['isInNetEx("2001:db9::1", "2001:db8::/32")', false],
    ['isInNetEx("10.1.2.3", "10.0.0.0/64")', false],
    ['dnsResolveEx("10.0.0.1")', '10.0.0.1'],
    ['weekdayRange("SUN", "SAT")', true],
    ['weekdayRange("XXX")', false],
    ['dateRange("JAN", "DEC")', true],
    ['dateRange(1, 31)', true],
    ['dateRange(2000, 2001)', false],
    ['dateRange(1, "JAN", 2000, 31, "DEC", 2199)', true],
    ['timeRange(0, 23)', true],
    ['timeRange(0, 0, 0, 23, 59, 59)', true],
    ['timeRange(24)', false],
    ['alert("x") === undefined', true],
  ];

  it('behave as those of Chromium', async () => {
    const values = await valueOf(`[${CASES.map(([expression]) => expression).join()}]`);
    expect(CASES.map(([expression], index) => [expression, (values as unknown[])[index]])).toEqual(CASES);
  });
});

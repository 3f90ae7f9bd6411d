import type { LookupAddress } from 'node:dns';
import { type Resolved, Resolver, type SystemLookup } from './resolver.js';

const THERE = [{ address: '192.0.2.1', family: 4 }];

/** The machine's resolver, as slow as the test wants it. */
class SlowSystem {
  readonly asked: string[] = [];
  readonly #answers = new Map<string, Resolved>();

  readonly lookup: SystemLookup = (host, _options, answer) => {
    this.asked.push(host);
    this.#answers.set(host, answer);
  };

  answer(host: string, addresses: LookupAddress[] = THERE): void {
    this.#answers.get(host)!(null, addresses);
  }
}

let system: SlowSystem;
let resolver: Resolver;

beforeEach(() => {
  system = new SlowSystem();
  resolver = new Resolver(system.lookup);
});

async function resolve(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((answer, reject) => {
    resolver.resolve(host, (error, addresses) => {
      if (error === null) answer(addresses);
      else reject(error);
    });
  });
}

/** Keeps the machine's resolver busy. */
function occupy(): void {
  void resolve('slow.example');
  void resolve('slower.example');
}

describe('Resolver', () => {
  it('resolves as the machine does', async () => {
    resolver = new Resolver();
    expect(await resolve('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
    expect(await resolve('127.1')).toEqual([{ address: '127.0.0.1', family: 4 }]);
    await expect(resolve('no.such.host.invalid')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('returns an address without a lookup, asynchronously', async () => {
    let isLater = false;
    const answered = resolve('::1').then((addresses) => [isLater, addresses]);
    isLater = true;
    expect(await answered).toEqual([true, [{ address: '::1', family: 6 }]]);
    resolver.resolve('127.0.0.1', () => {
      throw new Error('answered');
    })();
    await new Promise(setImmediate);
    expect(system.asked).toEqual([]);
  });

  it('looks a name up once for all waiting callers, and again for later ones', async () => {
    const both = [resolve('a.example'), resolve('a.example')];
    system.answer('a.example');
    expect(await Promise.all(both)).toEqual([THERE, THERE]);
    const later = resolve('a.example');
    system.answer('a.example');
    expect(await later).toEqual(THERE);
    expect(system.asked).toEqual(['a.example', 'a.example']);
  });

  it('resolves two names at a time, the next when one is answered', async () => {
    occupy();
    const third = resolve('third.example');
    expect(system.asked).toEqual(['slow.example', 'slower.example']);
    system.answer('slow.example');
    expect(system.asked).toContain('third.example');
    system.answer('third.example');
    expect(await third).toEqual(THERE);
  });

  it('does not let slow names stop others: those of the hosts file, and those that the DNS servers know', async () => {
    occupy();
    expect(await resolve('LocalHost')).toContainEqual({ address: '127.0.0.1', family: 4 });
    await expect(resolve('no.such.host.invalid')).rejects.toMatchObject({
      code: expect.stringMatching(/^E/) as string,
    });
    expect(system.asked).toEqual(['slow.example', 'slower.example']);
  });

  it('lets the system report that a name without a dot does not exist', async () => {
    occupy();
    const single = resolve('no-such-host');
    const unknown = await resolve('no.such.host.invalid').catch(() => 'unknown');
    expect(unknown).toBe('unknown');
    system.answer('slow.example');
    system.answer('no-such-host');
    expect(await single).toEqual(THERE);
  });

  it('does not look up names without waiting callers', () => {
    occupy();
    const forget = resolver.resolve('third.example', () => undefined);
    forget();
    system.answer('slow.example');
    expect(system.asked).toEqual(['slow.example', 'slower.example']);
  });
});

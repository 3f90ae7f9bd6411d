import { IdleMemory, type Activity } from './idle-memory.js';

const MIB = 1_048_576;

/** A proxy that is looked at, with figures that the test sets. */
class Proxy {
  now: Activity & { readonly mib: number } = { happened: 0, open: 0, mib: 100 };
  done: string[] = [];
  works = true;
  readonly memory = new IdleMemory({
    activity: () => this.now,
    resident: () => this.now.mib * MIB,
    release: () => this.done.push('release'),
    collect: async () => {
      this.done.push('collect');
      return Promise.resolve(this.works);
    },
  });

  /** Looks with these figures, and tells what was done. */
  async look(now: Partial<Proxy['now']>): Promise<string[]> {
    this.now = { ...this.now, ...now };
    await this.memory.look();
    return this.done.splice(0);
  }
}

const GIVEN_BACK = ['release', 'collect'];

describe('IdleMemory', () => {
  it('gives memory back when nothing happens any more, and once', async () => {
    const proxy = new Proxy();
    expect(await proxy.look({})).toEqual([]);
    expect(await proxy.look({ happened: 5000, mib: 300 })).toEqual([]);
    expect(await proxy.look({})).toEqual(GIVEN_BACK);
    expect(await proxy.look({})).toEqual([]);
  });

  it('gives back what a peak took that came before the first look', async () => {
    const proxy = new Proxy();
    expect(await proxy.look({ happened: 5000, mib: 300 })).toEqual([]);
    expect(await proxy.look({})).toEqual(GIVEN_BACK);
  });

  it('does not try again for what the last collection left', async () => {
    const proxy = new Proxy();
    await proxy.look({ happened: 5000, mib: 300 });
    expect(await proxy.look({})).toEqual(GIVEN_BACK);
    await proxy.look({ mib: 200 });
    await proxy.look({ happened: 10_000, mib: 220 });
    expect(await proxy.look({})).toEqual([]);
  });

  it('does not while something happens, and not for little', async () => {
    const proxy = new Proxy();
    await proxy.look({});
    for (const happened of [5000, 5001, 5002]) expect(await proxy.look({ happened, mib: 300 })).toEqual([]);
    expect(await proxy.look({ mib: 131 })).toEqual([]);
  });

  it('grants each open connection its own', async () => {
    const proxy = new Proxy();
    await proxy.look({});
    await proxy.look({ happened: 10_000, open: 10_000, mib: 280 });
    expect(await proxy.look({})).toEqual([]);
    await proxy.look({ happened: 20_000, open: 0 });
    expect(await proxy.look({})).toEqual(GIVEN_BACK);
  });

  it('comes again only after as much has happened again', async () => {
    const proxy = new Proxy();
    await proxy.look({});
    await proxy.look({ happened: 5000, mib: 300 });
    await proxy.look({});
    await proxy.look({ happened: 5999 });
    expect(await proxy.look({})).toEqual([]);
    await proxy.look({ happened: 6000 });
    expect(await proxy.look({})).toEqual(GIVEN_BACK);
  });

  it('collects what nobody refers to, with what Node itself offers', async () => {
    const gone = Promise.withResolvers<string>();
    const registry = new FinalizationRegistry<string>(gone.resolve);
    // In a function of its own, so that no register of this one refers to it.
    (() => {
      registry.register({ a: 1 }, 'gone');
    })();
    let resident = 100 * MIB;
    const proxy = { happened: 0, open: 0 };
    const memory = new IdleMemory({ activity: () => proxy, release: () => undefined, resident: () => resident });
    await memory.look();
    resident = 300 * MIB;
    proxy.happened = 5000;
    await memory.look();
    await memory.look();
    expect(await gone.promise).toBe('gone');
  });
});

import { until } from '../../../../test/support/until.js';
import { Reloader } from './start.js';
import { loadConfigAsync, type LoadedConfig } from '../config/load-config.js';

/**
 * The loaded modules, and the condition on which it continues.
 *
 * @param read - when it has read a configuration
 */
function reloading(read: Promise<unknown> = Promise.resolve()) {
  const started = Promise.withResolvers<unknown>();
  const changing: PromiseWithResolvers<unknown>[] = [];
  let loads = 0;
  const load = async (): Promise<LoadedConfig> => {
    loads += 1;
    await read;
    return loadConfigAsync({ options: {}, environment: {}, directory: '/nowhere' });
  };
  const change = async () => {
    const held = Promise.withResolvers<unknown>();
    changing.push(held);
    await held.promise;
    return { proxy: '' };
  };
  const messages: string[] = [];
  const note = (_fields: object, message: string): void => void messages.push(message);
  const reloader = new Reloader({
    ...{ load, change, started: started.promise, files: new Map() },
    reopenLogs: async () => Promise.resolve(),
    logger: { debug: note, info: note, warn: note, error: note },
  });
  return { reloader, started, changing, messages, loads: () => loads };
}

describe('Reloader', () => {
  it('changes nothing before the start is over', async () => {
    const { reloader, started, changing, messages, loads } = reloading();
    const reloaded = reloader.reload('SIGHUP');
    await new Promise(setImmediate);
    expect(loads()).toBe(0);
    started.resolve(undefined);
    await new Promise(setImmediate);
    changing[0]!.resolve(undefined);
    await reloaded;
    expect(messages).toEqual(['configuration reloaded']);
  });

  it('reloads once more for all who ask while it reloads', async () => {
    const { reloader, started, changing, messages, loads } = reloading();
    started.resolve(undefined);
    const first = reloader.reload('SIGHUP');
    await new Promise(setImmediate);
    const others = Array.from({ length: 100 }, async () => reloader.reload('SIGHUP'));
    changing[0]!.resolve(undefined);
    await first;
    await new Promise(setImmediate);
    expect(loads()).toBe(2);
    changing[1]!.resolve(undefined);
    await Promise.all(others);
    expect([loads(), messages.length]).toEqual([2, 2]);
  });

  it('changes nothing when the program ends while it reads', async () => {
    const read = Promise.withResolvers<unknown>();
    const { reloader, started, changing, messages, loads } = reloading(read.promise);
    started.resolve(undefined);
    const reloaded = reloader.reload('SIGHUP');
    await until(() => loads() === 1);
    reloader.stop();
    read.resolve(undefined);
    await reloaded;
    expect([changing, messages]).toEqual([[], []]);
  });
});

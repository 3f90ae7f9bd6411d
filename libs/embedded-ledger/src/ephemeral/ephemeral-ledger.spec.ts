import { existsSync, readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createEphemeralLedger, type EphemeralLedger } from '../index.js';
import { TestChaincodes, TOKENS } from '../testing/test-chaincodes.js';
import { codeOf, createAsset, NAMES, TemporaryDirectory } from '../testing/temporary-ledger.js';

describe('ephemeral ledgers', () => {
  let directory: TemporaryDirectory;
  let host: TestChaincodes;
  let ledger: EphemeralLedger;
  let hung: PromiseWithResolvers<string>;
  beforeEach(async () => {
    directory = new TemporaryDirectory();
    hung = Promise.withResolvers<string>();
    host = new TestChaincodes({ tokens: { ...TOKENS, Hang: () => hung.promise } });
    ledger = await createEphemeralLedger({ dataDir: directory.path, ...NAMES, chaincodes: host });
  });
  afterEach(async () => {
    await ledger.close();
    directory.remove();
  });
  const open = async () => {
    const name = await ledger.openAnother();
    return { name, channel: ledger.channels.get(name)! };
  };
  const mint = { chaincode: 'tokens', function: 'Mint', arguments: ['ann', '5'] };
  const balance = { chaincode: 'tokens', function: 'Balance', arguments: ['ann'] };

  it('begin empty, also in the thread of one that was closed, and share chaincodes only', async () => {
    await ledger.submit(createAsset('a'));
    for (let n = 0; n < 3; n++) {
      const { name, channel } = await open();
      expect(await channel.chainInfo()).toMatchObject({ height: 1 });
      expect(await codeOf(channel.evaluate({ function: 'ReadAsset', arguments: ['a'] }))).toBe(
        'LEDGER.ASSET_NOT_FOUND',
      );
      expect((await channel.submit(mint)).blockNumber).toBe(1);
      expect(Buffer.from(await channel.evaluate(balance)).toString()).toBe('5');
      await ledger.closeChannel(name);
      expect(host.isClosed).toBe(false);
    }
    expect(await ledger.chainInfo()).toMatchObject({ height: 2 });
  });

  it('can be open at the same time, and remove their files when they are closed', async () => {
    const [one, two] = await Promise.all([open(), open()]);
    await Promise.all([one.channel.submit(createAsset('a', 'One')), two.channel.submit(createAsset('a', 'Two'))]);
    expect([...ledger.channels.keys()].sort()).toEqual(['mychannel', one.name, two.name]);
    const folders = readdirSync(directory.path);
    await ledger.closeChannel(one.name);
    expect(readdirSync(directory.path)).toHaveLength(folders.length - 1);
    expect(await codeOf(one.channel.chainInfo())).toBe('LEDGER.UNAVAILABLE');
    const read = await two.channel.evaluate({ function: 'ReadAsset', arguments: ['a'] });
    expect(Buffer.from(read).toString()).toContain('Two');
    expect(await codeOf(ledger.closeChannel(one.name))).toBe('LEDGER.CHANNEL_UNKNOWN');
    expect(await codeOf(ledger.closeChannel('mychannel'))).toBe('LEDGER.CHANNEL_UNKNOWN');
  });

  it('defect: waited for calls that a chaincode never answers', async () => {
    host.onClose = () => {
      hung.reject(new Error('its process has ended'));
    };
    const { channel } = await open();
    const refused = codeOf(channel.submit({ chaincode: 'tokens', function: 'Hang', arguments: [] }));
    await ledger.close();
    expect(await refused).toBe('LEDGER.REFUSED');
  });

  it('end their chaincodes when all are closed', async () => {
    await open();
    await ledger.close();
    expect(host.isClosed).toBe(true);
    expect(existsSync(directory.file('2'))).toBe(false);
  });
});

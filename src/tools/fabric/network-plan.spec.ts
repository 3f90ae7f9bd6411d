import { resolve } from 'node:path';
import { FabricNetworkError } from './fabric-network.error.js';
import { makePlan, requireSamePlan, type PlanOptions } from './network-plan.js';
import { examplePlan } from './testing/example-plan.js';

describe('makePlan', () => {
  it('has the usual ports and names by default', async () => {
    expect(await makePlan('/net', {}, true)).toEqual(examplePlan());
  });

  it('makes the directory absolute', async () => {
    expect((await makePlan('data/fabric', {}, true)).directory).toBe(resolve('data/fabric'));
  });

  it('takes six ports in a row', async () => {
    const { ports } = await makePlan('/net', { firstPort: 9000 }, true);
    expect(Object.values(ports).sort((a, b) => a - b)).toEqual([9000, 9001, 9002, 9003, 9004, 9005]);
  });

  it('takes six different free ports for 0', async () => {
    const { ports } = await makePlan('/net', { firstPort: 0 }, true);
    expect(new Set(Object.values(ports)).size).toBe(6);
    expect(Object.values(ports)).not.toContain(0);
  });

  it('has a CA only when its program is there and it is wished', async () => {
    expect((await makePlan('/net', {}, false)).ca).toBe(false);
    expect((await makePlan('/net', { ca: false }, true)).ca).toBe(false);
  });

  it('asks nothing of the chaincode when that is not wished', async () => {
    expect((await makePlan('/net', { probe: false }, true)).chaincode.probe).toBe('');
  });

  it('keeps where another chaincode’s command runs', async () => {
    const { chaincode } = await makePlan('/net', { chaincodeCommand: 'serve it', chaincodeDir: 'there' }, true);
    expect(chaincode).toMatchObject({ command: 'serve it', workingDirectory: resolve('there') });
  });

  it.each<[PlanOptions, string]>([
    [{ channel: 'My' }, '--channel My is not small letters, digits, dots and dashes, a letter first'],
    [{ channel: '' }, '--channel  is not'],
    [{ chaincodeName: 'a b' }, '--chaincode-name a b is not'],
    [{ chaincodeName: 'a_' }, '--chaincode-name a_ is not'],
    [{ chaincodeVersion: '1/0' }, '--chaincode-version 1/0 is not'],
    [{ batchTimeout: '200' }, '--batch-timeout 200 is not a duration such as 200ms or 2s'],
    [{ batchSize: 0 }, '--batch-size must be a whole number from 1 to 100000'],
    [{ batchSize: Number.NaN }, '--batch-size must be'],
    [{ firstPort: 65531 }, '--first-port must be a whole number from 0 to 65530: six ports in a row are used'],
    [{ firstPort: -1 }, '--first-port must be'],
    [{ firstPort: 7050.5 }, '--first-port must be'],
    [{ chaincodeDir: '/x' }, '--chaincode-dir goes with --chaincode-command'],
  ])('refuses %j', async (options, message) => {
    const failure = await makePlan('/net', options, true).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(FabricNetworkError);
    expect(failure).toMatchObject({ code: 'FABRIC_NETWORK.BAD_OPTION' });
    expect((failure as Error).message).toContain(message);
  });
});

describe('requireSamePlan', () => {
  const ours = examplePlan();
  const theirs = examplePlan({
    chaincode: { ...ours.chaincode, command: 'serve it', workingDirectory: resolve('there') },
  });

  it.each<[PlanOptions]>([
    [{}],
    [{ firstPort: 0 }],
    [{ firstPort: 7050, channel: 'mychannel', batchTimeout: '200ms', batchSize: 100 }],
  ])('takes %j', (options) => {
    expect(() => {
      requireSamePlan(ours, options);
    }).not.toThrow();
  });

  it('takes the same command of the same folder', () => {
    expect(() => {
      requireSamePlan(theirs, { chaincodeCommand: 'serve it', chaincodeDir: 'there' });
    }).not.toThrow();
  });

  it.each<[PlanOptions, string]>([
    [{ firstPort: 7150 }, 'was made with firstPort 7050, not 7150'],
    [{ batchTimeout: '2s' }, 'was made with batchTimeout 200ms, not 2s'],
    [{ ca: false }, 'was made with ca true, not false'],
    [{ chaincodeTls: true }, 'was made with chaincodeTls false, not true'],
    [{ chaincodeCommand: 'serve it' }, 'was made with chaincodeCommand unset, not serve it'],
  ])('refuses %j', (options, message) => {
    expect(() => {
      requireSamePlan(ours, options);
    }).toThrow(message);
  });
});

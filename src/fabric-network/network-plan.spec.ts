import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { CommanderError } from 'commander';
import { createProgram } from './cli.js';
import {
  chaincodesOf,
  freePorts,
  makePlan,
  requireFreePorts,
  requireSamePlan,
  type PlanOptions,
} from './network-plan.js';
import { examplePlan } from './testing/example-plan.js';

const DEFAULTS: PlanOptions = {
  firstPort: 7050,
  channel: ['mychannel'],
  chaincodeName: 'basic',
  chaincodeVersion: '1.0',
  chaincodeTls: false,
  probe: 'AssetExists probe',
  batchTimeout: '200ms',
  batchSize: 100,
  ca: true,
};

const make = (options: Partial<PlanOptions>, directory = '/net') => makePlan(directory, { ...DEFAULTS, ...options });

describe('the options of up', () => {
  const up = () => createProgram().commands.find((command) => command.name() === 'up')!;

  it('have the usual ports and names as defaults', () => {
    expect(up().opts()).toEqual({ ...DEFAULTS, ca: undefined, dir: resolve('data/fabric') });
  });

  it.each([
    ['--channel', 'My'],
    ['--channel', ''],
    ['--chaincode-name', 'a b'],
    ['--chaincode-name', 'a_'],
    ['--chaincode-version', '1/0'],
    ['--batch-timeout', '200'],
    ['--batch-size', '0'],
    ['--batch-size', 'many'],
    ['--first-port', '65530'],
    ['--first-port', '-1'],
    ['--first-port', '7050.5'],
  ])('refuse %s %j', (...argv) => {
    const program = up().configureOutput({ writeErr: () => undefined });
    expect(() => program.parseOptions(argv)).toThrow(CommanderError);
  });

  it('refuse a directory for no command', async () => {
    const program = up().configureOutput({ writeErr: () => undefined });
    await expect(program.parseAsync(['--chaincode-dir', '/x'], { from: 'user' })).rejects.toMatchObject({
      code: 'commander.error',
    });
  });
});

describe('makePlan', () => {
  it('makes the directory absolute', async () => {
    expect((await make({}, 'data/fabric')).directory).toBe(resolve('data/fabric'));
  });

  it('uses consecutive ports', async () => {
    const { ports } = await make({ firstPort: 9000 });
    expect(Object.values(ports)).toEqual([9000, 9001, 9002, 9003, 9004, 9005, 9006]);
  });

  it('uses different free ports for 0', async () => {
    const { ports } = await make({ firstPort: 0 });
    expect(new Set(Object.values(ports)).size).toBe(7);
    expect(Object.values(ports)).not.toContain(0);
  });

  it('has no probe if none is wanted', async () => {
    const { chaincode, records } = await make({ probe: false });
    expect([chaincode.probe, records?.probe]).toEqual(['', '']);
  });

  it('adds the chaincode of records, unless the chaincode has its name', async () => {
    expect(chaincodesOf(await make({ chaincodeTls: true }))).toMatchObject([
      { part: 'chaincode', plan: { name: 'basic' } },
      { part: 'records', plan: { name: 'records', version: '1.0', tls: true, probe: 'ListTypes 1 ' } },
    ]);
    const own = chaincodesOf(await make({ chaincodeName: 'records' }));
    expect(own.map(({ part }) => part)).toEqual(['chaincode']);
  });

  it('stores the working directory of another chaincode', async () => {
    const { chaincode } = await make({ chaincodeCommand: 'serve it', chaincodeDir: '/there' });
    expect(chaincode).toMatchObject({ command: 'serve it', workingDirectory: '/there' });
    expect((await make({ chaincodeCommand: 'serve it' })).chaincode.workingDirectory).toBe(resolve('.'));
  });
});

describe('requireSamePlan', () => {
  const ours = examplePlan();
  const theirs = examplePlan({ chaincode: { ...ours.chaincode, command: 'serve it', workingDirectory: '/there' } });

  it.each<[Partial<PlanOptions>]>([
    [{}],
    [{ firstPort: 0 }],
    [{ firstPort: 7050, channel: ['mychannel'], batchTimeout: '200ms', batchSize: 100 }],
  ])('accepts %j', (options) => {
    expect(requireSamePlan(ours, options)).toEqual(ours);
  });

  it('accepts the same command in the same directory', () => {
    expect(requireSamePlan(theirs, { chaincodeCommand: 'serve it', chaincodeDir: '/there' })).toEqual(theirs);
  });

  it('accepts another probe', () => {
    expect(requireSamePlan(ours, { probe: 'Other' }).chaincode.probe).toBe('Other');
    const { chaincode, records } = requireSamePlan(ours, { probe: false });
    expect([chaincode.probe, records?.probe]).toEqual(['', '']);
  });

  it.each<[Partial<PlanOptions>, string]>([
    [{ firstPort: 7150 }, 'was made with firstPort 7050, not 7150'],
    [{ batchTimeout: '2s' }, 'was made with batchTimeout 200ms, not 2s'],
    [{ ca: false }, 'was made with ca true, not false'],
    [{ channel: ['mychannel', 'payments'] }, 'was made with channel mychannel, not mychannel, payments'],
    [{ chaincodeTls: true }, 'was made with chaincodeTls false, not true'],
    [{ chaincodeCommand: 'serve it' }, 'was made with chaincodeCommand unset, not serve it'],
  ])('refuses %j', (options, message) => {
    expect(() => requireSamePlan(ours, options)).toThrow(message);
  });
});

describe('requireFreePorts', () => {
  it('names a port that is in use, and its purpose', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      await expect(requireFreePorts(['ca'], { ...(await freePorts()), ca: port })).rejects.toMatchObject({
        code: 'PORT_TAKEN',
        message: expect.stringContaining(`port ${port} on 127.0.0.1, meant for the certificate authority`) as string,
      });
    } finally {
      server.close();
    }
  });

  it('accepts free ones, and leaves them free', async () => {
    const ports = await freePorts();
    await requireFreePorts(['orderer', 'ca'], ports);
    await requireFreePorts(['orderer', 'ca'], ports);
  });
});

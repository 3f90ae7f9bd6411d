import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LaunchPlan } from './launch-plan.js';
import { planLaunch } from './plan-launch.js';

describe('the Node package of a chaincode', () => {
  let root: string;
  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'chaincode-folder-')));
  });
  afterAll(() => {
    rmSync(root, { recursive: true });
  });
  const put = (path: string, content: string | object = '') => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  };
  const install = (folder: string, name = 'fabric-shim') => {
    put(`${folder}/node_modules/${name}/package.json`, { name });
    put(`${folder}/node_modules/${name}/cli.js`);
  };
  const read = (folder: string, dataDir = 'data') => planLaunch(join(root, folder), join(root, dataDir));
  const commandOf = (plan: LaunchPlan) =>
    plan.command({ address: 'unix:/s', id: 'cars:1', directory: '/run', build: '/build' });

  it('is read with its fabric-shim, and with everything that it may load', () => {
    put('npm/package.json', { main: 'dist/start', dependencies: { 'fabric-shim': '2.2.3', '@org/lib': '*' } });
    put('npm/dist/start.js');
    install('npm');
    put('lib/package.json', { name: '@org/lib' });
    mkdirSync(join(root, 'npm/node_modules/@org'));
    symlinkSync(join(root, 'lib'), join(root, 'npm/node_modules/@org/lib'));
    symlinkSync(join(root, 'npm'), join(root, 'link'));
    const plan = read('link') as LaunchPlan;
    const { readable, ...found } = plan;
    expect(found).toMatchObject({ path: join(root, 'npm'), connect: 'serve', transport: 'unix', confinement: 'node' });
    const cli = join(root, 'npm/node_modules/fabric-shim/cli.js');
    expect(commandOf(plan).slice(-4)).toEqual([cli, 'server', '--chaincode-address=unix:/s', '--chaincode-id=cars:1']);
    // A machine may have packages above its temporary directory too.
    const ours = readable.filter((folder) => folder.startsWith(root));
    expect(ours).toEqual([join(root, 'npm'), join(root, 'npm/node_modules'), join(root, 'lib')]);
  });

  it('is started by the file of its own script if that starts itself', () => {
    const startFileIn = (folder: string, start: unknown, content: string) => {
      put(`${folder}/package.json`, { scripts: { start } });
      put(`${folder}/index.js`, content);
      install(folder);
      const plan = read(folder) as LaunchPlan;
      if (plan.connect === 'serve') return undefined;
      const [file, ...rest] = commandOf(plan).slice(-3);
      expect(rest).toEqual(['--peer.address', 'unix:/s']);
      return file;
    };
    const low = 'require("fabric-shim").start(new Chaincode());';
    expect(startFileIn('low', 'node index.js', low)).toBe(join(root, 'low/index.js'));
    expect(startFileIn('low', ' node  ./index ', low)).toBe(join(root, 'low/index.js'));
    expect(startFileIn('low', 'node index.js', 'exports.contracts = [];')).toBeUndefined();
    expect(startFileIn('low', 'node gone.js', low)).toBeUndefined();
    expect(startFileIn('low', 'fabric-chaincode-node start', low)).toBeUndefined();
    expect(startFileIn('low', 7, low)).toBeUndefined();
    expect(startFileIn('low', '', low)).toBeUndefined();
    expect(startFileIn('low', 'node', low)).toBeUndefined();
    expect(startFileIn('low', 'node index.js | tee log', low)).toBeUndefined();
  });

  it.each([
    [
      'node --inspect -r dotenv/config index.js --verbose',
      'require("fabric-shim").start(new Chaincode());',
      ['--verbose'],
    ],
    ['NODE_ENV=production MODE=test node index.js', '(0, fabric_shim_1.start)(new Chaincode());', []],
    ['npm run build && node .', 'const { start } = shim; start(new Chaincode());', []],
    ['node index.js', 'require("./lib").run();', []],
  ])('defect: did not recognize the start script "%s"', (start, content, args) => {
    put('scripts/package.json', { scripts: { start } });
    put('scripts/index.js', content);
    install('scripts');
    const plan = read('scripts') as LaunchPlan;
    const file = join(root, 'scripts/index.js');
    expect(commandOf(plan).slice(-3 - args.length)).toEqual([file, ...args, '--peer.address', 'unix:/s']);
    expect(plan).toMatchObject({ connect: 'dial', transport: 'tcp' });
    expect(commandOf(plan).filter((each) => /inspect|dotenv/.test(each))).toEqual([]);
  });

  it('listens if the file of its script is a server', () => {
    put('server/package.json', { scripts: { start: 'node index.js' } });
    put('server/index.js', 'shim.server(new Chaincode(), options).start();');
    install('server');
    const plan = read('server') as LaunchPlan;
    expect(plan).toMatchObject({ connect: 'serve', transport: 'tcp' });
    expect(commandOf(plan).at(-1)).toBe(join(root, 'server/index.js'));
  });

  it('is refused with one reason, and what to do', () => {
    put('file');
    mkdirSync(join(root, 'empty'));
    put('broken/package.json', '{');
    put('unbuilt/package.json', { main: 'dist/index.js' });
    put('uninstalled/package.json', { dependencies: { 'fabric-contract-api': '2.5.8' } });
    put('shimless/package.json', {});
    put('shimless/index.js');
    put('old/package.json', {});
    put('old/index.js');
    put('old/node_modules/fabric-shim/package.json', {});
    put('whole/package.json', {});
    put('whole/index.js');
    install('whole');
    const reasons = [
      ['none', 'there is no such folder'],
      ['file', 'there is no such folder'],
      ['empty', 'it has none of package.json, go.mod'],
      ['broken', 'no valid package.json'],
      ['unbuilt', '"main" of its package.json ("dist/index.js") is no file'],
      ['uninstalled', 'dependency fabric-contract-api is not installed'],
      ['shimless', 'it has no fabric-shim'],
      ['old', 'its fabric-shim has no cli.js'],
    ] as const;
    for (const [folder, reason] of reasons) expect(read(folder)).toEqual({ fault: expect.stringContaining(reason) });
    expect(read('whole', 'whole/data')).toEqual({ fault: expect.stringContaining('it could read the data') });
    expect(read('whole')).toHaveProperty('path', join(root, 'whole'));
  });
});

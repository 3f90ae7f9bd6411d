import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FolderPlan } from './launch-plan.js';
import { planLaunch } from './plan-launch.js';

describe('the plan of a launch', () => {
  let root: string;
  const { PATH } = process.env;
  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'plan-launch-')));
  });
  afterAll(() => {
    process.env['PATH'] = PATH;
    rmSync(root, { recursive: true });
  });
  const put = (path: string, content: string | object = ''): string => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };
  const program = (path: string): string => {
    const file = put(path, '#!/bin/sh\n');
    chmodSync(file, 0o700);
    return file;
  };
  const plan = (folder: string) => planLaunch(join(root, folder), join(root, 'data'));
  const faultOf = (folder: string): string => (plan(folder) as { fault: string }).fault;
  const commandOf = (found: ReturnType<typeof plan>) =>
    (found as FolderPlan).command({ address: '127.0.0.1:7', id: 'cc:1', directory: '/run', build: '/build' });

  it('builds a Go module, which dials us over a Unix socket, or serves on TCP', () => {
    const go = program('bin/go');
    process.env['PATH'] = join(root, 'bin');
    put('go/go.mod');
    put('go/main_test.go', 'package main');
    put('go/helper.go', 'package helper');
    expect(faultOf('go')).toContain('no Go file of the package main');
    put('go/main.go', '// A chaincode.\npackage main\n');
    const dialing = plan('go') as FolderPlan;
    expect(dialing).toMatchObject({ connect: 'dial', transport: 'unix', confinement: 'bubblewrap' });
    expect(dialing.build?.('/build')).toEqual([go, 'build', '-o', '/build/chaincode', '.']);
    expect(commandOf(dialing)).toEqual(['/build/chaincode', '-peer.address', '127.0.0.1:7']);
    put('go/main.go', 'package main\nvar server = &shim.ChaincodeServer{}');
    expect(plan('go')).toMatchObject({ connect: 'serve', transport: 'tcp' });
    expect(commandOf(plan('go'))).toEqual(['/build/chaincode']);
    put('module/go.mod');
    put('module/notes.go', 'package notes');
    put('module/cmd/notes/main.go', 'package main');
    expect(faultOf('module')).toContain('Use the folder of the program');
    expect(plan('module/cmd/notes')).toMatchObject({
      path: join(root, 'module/cmd/notes'),
      sources: join(root, 'module'),
      readable: [join(root, 'module/cmd/notes')],
    });
    process.env['PATH'] = '';
    expect(faultOf('go')).toContain('the program "go" is not in PATH');
  });

  it('starts a Python project by the interpreter of its virtual environment', () => {
    put('python/requirements.txt');
    expect(faultOf('python')).toBe(
      'it has no virtual environment. Run "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt" there.',
    );
    put('poetry/pyproject.toml');
    expect(faultOf('poetry')).toContain('.venv/bin/pip install .');
    const installed = program('opt/python/bin/python3');
    mkdirSync(join(root, 'python/.venv/bin'), { recursive: true });
    symlinkSync(installed, join(root, 'python/.venv/bin/python'));
    put('python/a.py');
    put('python/b.py');
    expect(faultOf('python')).toContain('it has none of main.py, app.py, chaincode.py. Add chaincode.json');
    put('python/app.py');
    expect(plan('python')).toMatchObject({
      ...{ connect: 'serve', transport: 'unix', confinement: 'bubblewrap' },
      readable: [join(root, 'python'), join(root, 'opt/python')],
    });
    expect(commandOf(plan('python'))).toEqual([join(root, 'python/.venv/bin/python'), '-u', 'app.py']);
  });

  it('refuses a Java project with what to declare', () => {
    put('java/build.gradle');
    expect(faultOf('java')).toContain('chaincode.json: {"command":["java","-XX:TieredStopAtLevel=1"');
    put('unknown/Makefile');
    expect(faultOf('unknown')).toContain('it has none of package.json, go.mod');
  });

  it('is what chaincode.json declares, with the variables of a start', () => {
    const run = program('declared/run');
    const command = [
      './run',
      '--peer',
      '$CORE_PEER_ADDRESS',
      '$CORE_CHAINCODE_ID_NAME',
      '$OTHER',
      '$CHAINCODE_SERVER_ADDRESS',
    ];
    put('declared/chaincode.json', { command, environment: { MODE: 'test' } });
    const declared = plan('declared');
    expect(declared).toMatchObject({ connect: 'dial', transport: 'tcp', environment: { MODE: 'test' } });
    expect(commandOf(declared)).toEqual([run, '--peer', '127.0.0.1:7', 'cc:1', '$OTHER', '$CHAINCODE_SERVER_ADDRESS']);
    put('declared/chaincode.json', { command: ['./run', '$CHAINCODE_SERVER_ADDRESS'], connect: 'serve' });
    expect(commandOf(plan('declared'))).toEqual([run, '127.0.0.1:7']);
    expect(planLaunch(join(root, 'declared'), join(root, 'declared/data'))).toEqual({
      fault: expect.stringContaining('it could read the data'),
    });
  });

  it.each([
    ['{', 'is not valid JSON'],
    ['[]', 'it must be an object'],
    ['{"command": "run"}', 'command must be a list of texts'],
    ['{"command": []}', 'command must be a list of texts'],
    ['{"command": ["run", 1]}', 'command must be a list of texts'],
    ['{"command": ["run", "a\\u0000b"]}', 'command must be a list of texts'],
    ['{"toString": 1}', '"toString" is unknown'],
    ['{"__proto__": {}}', '"__proto__" is unknown'],
    ['{"environment": {"CHAINCODE_RUN_DIRECTORY": "x"}}', 'environment.CHAINCODE_RUN_DIRECTORY is set by the ledger'],
    ['{"command": ["run"], "connect": "both"}', 'connect must be "serve" or "dial"'],
    ['{"connect": "dial"}', 'connect belongs to a command'],
    ['{"commands": ["run"]}', '"commands" is unknown. Known: command, connect, environment'],
    ['{"environment": []}', 'environment must be an object'],
    ['{"environment": {"A B": "1"}}', '"A B" is no name of a variable'],
    ['{"environment": {"A": 1}}', 'environment.A must be a text'],
    ['{"environment": {"CORE_PEER_ADDRESS": "x"}}', 'environment.CORE_PEER_ADDRESS is set by the ledger'],
    [
      '{"address": "127.0.0.1:9"}',
      'address must be grpc://host:port with a port from 1 to 65535, or grpc://unix:/path',
    ],
    ['{"address": "grpc://h:99999"}', 'address must be grpc://host:port'],
    ['{"address": "grpcs://h:9"}', 'address must be grpc://host:port'],
    ['{"address": 9}', 'address must be grpc://host:port'],
    ['{"address": "grpc://h:9", "command": ["run"]}', 'command belongs to a chaincode that is started'],
    ['{"address": "grpc://h:9", "environment": {}}', 'environment belongs to a chaincode that is started'],
    ['{"command": ["no-such-program"]}', 'there is no program "no-such-program" in PATH'],
    ['{"command": ["./none"]}', 'there is no program "./none" in its folder'],
  ])('refuses the chaincode.json %s', (content, reason) => {
    put('faulty/chaincode.json', content);
    expect(faultOf('faulty')).toContain(reason);
    expect(faultOf('faulty')).toContain('chaincode.json');
  });

  it('has the address of a chaincode that is served already, with its collections, whatever else the folder contains', () => {
    put('served/package.json', '{');
    put('served/config/notes.json', [{ name: 'notes', policy: "OR('Org1MSP.member')" }]);
    for (const address of ['127.0.0.1:9999', '[::1]:7', 'unix:/run/chaincode']) {
      put('served/chaincode.json', { address: `grpc://${address}`, collections: 'config/notes.json' });
      expect(plan('served')).toEqual({
        address,
        path: join(root, 'served'),
        collections: [expect.objectContaining({ name: 'notes' })],
      });
    }
  });

  it('has the collections of a file in the folder, or of the path that is declared', () => {
    const collections = [{ name: 'notes', policy: "OR('Org1MSP.member')" }];
    program('private/run');
    put('private/chaincode.json', { command: ['./run'] });
    expect(plan('private')).toMatchObject({ collections: [] });
    put('private/collections_config.json', collections);
    expect(plan('private')).toMatchObject({ collections: [{ name: 'notes', blockToLive: 0 }] });
    put('private/chaincode.json', { command: ['./run'], collections: 'other/drafts.json' });
    expect(faultOf('private')).toBe(`${join(root, 'private/other/drafts.json')}: it cannot be read (ENOENT).`);
    put('private/other/drafts.json', [{ ...collections[0], name: 'drafts', blockToLive: 3 }]);
    expect(plan('private')).toMatchObject({ collections: [{ name: 'drafts', blockToLive: 3 }] });
    put('private/chaincode.json', { command: ['./run'], collections: 1 });
    expect(faultOf('private')).toBe('chaincode.json: collections must be the path of a file.');
  });
});

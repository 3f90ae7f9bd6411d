import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemCallFilter } from './system-call-filter.js';
import { projectFiles, sandboxCommand, type Sandbox } from './sandbox.js';

describe('sandboxArguments', () => {
  let root: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-')));
    for (const folder of ['project/conf', 'tools', 'programs']) mkdirSync(join(root, folder), { recursive: true });
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  function commandFor(rest: Partial<Sandbox> = {}) {
    const sandbox: Sandbox = {
      directory: join(root, 'project'),
      homes: ['/home/me'],
      path: '',
      programs: join(root, 'programs'),
      mounts: [],
      configuration: [],
      gate: { files: [], directories: [] },
      unixSockets: true,
      userNamespaces: true,
      ...rest,
    };
    return sandboxCommand(sandbox, projectFiles(sandbox));
  }
  const argumentsFor = (rest: Partial<Sandbox> = {}): readonly string[] => commandFor(rest).args;

  /** The destinations of the mounts with an option, in their order. */
  function mounted(args: readonly string[], option: string): readonly string[] {
    return args.flatMap((each, index) => (each === option ? [args[index + 2] ?? ''] : []));
  }

  it('has no network, no capabilities, and an empty home', () => {
    const args = argumentsFor();
    expect(args).toEqual(
      expect.arrayContaining(['--unshare-net', '--unshare-pid', '--unshare-ipc', '--die-with-parent']),
    );
    expect(args.slice(args.indexOf('--cap-drop')).slice(0, 2)).toEqual(['--cap-drop', 'ALL']);
    expect(args[args.indexOf('/home/me') - 1]).toBe('--tmpfs');
  });

  it('can change the current directory and what is mounted with :rw, and nothing else', () => {
    const args = argumentsFor({ mounts: [join(root, 'tools')] });
    expect(mounted(args, '--bind')).toEqual([join(root, 'project')]);
    expect(mounted(args, '--ro-bind')).toContain(join(root, 'tools'));
    const both = argumentsFor({ mounts: [`${join(root, 'tools')}:rw`] });
    expect(mounted(both, '--bind')).toEqual([join(root, 'tools'), join(root, 'project')]);
  });

  it('mounts a directory before what is in it, and hides the configuration after both', () => {
    writeFileSync(join(root, 'project/conf/proxy.yaml'), '');
    const { args, data } = commandFor({
      mounts: [`${root}:rw`],
      configuration: [join(root, 'project/conf/proxy.yaml')],
    });
    const at = (option: string, path: string): number =>
      args.findIndex((each, index) => each === option && args[index + 2] === path);
    const order = [
      at('--bind', root),
      at('--bind', join(root, 'project')),
      // So that it cannot be renamed.
      at('--bind', join(root, 'project/conf')),
      at('--ro-bind-data', join(root, 'project/conf/proxy.yaml')),
    ];
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect([args[(order.at(-1) ?? 0) + 1], data]).toEqual(['5', [systemCallFilter(true), new Uint8Array()]]);
  });

  it('hides no configuration that is not visible anyway', () => {
    writeFileSync(join(root, 'tools/proxy.yaml'), '');
    expect(argumentsFor({ configuration: [join(root, 'tools/proxy.yaml')] })).not.toContain('--ro-bind-data');
  });

  it('protects hooks and settings of editors, but not below what is mounted with :rw', () => {
    const git = join(root, 'project/sub/.git');
    for (const folder of ['objects', 'hooks']) mkdirSync(join(git, folder), { recursive: true });
    for (const name of ['HEAD', 'config']) writeFileSync(join(git, name), '');
    mkdirSync(join(root, 'project/.vscode'));
    const args = argumentsFor();
    expect(mounted(args, '--bind')).toEqual([join(root, 'project'), join(root, 'project/sub'), git]);
    expect(mounted(args, '--ro-bind')).toEqual(
      expect.arrayContaining([join(git, 'config'), join(git, 'hooks'), join(root, 'project/.vscode')]),
    );
    const opened = mounted(argumentsFor({ mounts: [`${git}:rw`] }), '--ro-bind');
    expect(opened).toContain(join(root, 'project/.vscode'));
    expect(opened).not.toContain(join(git, 'config'));
    // What is mounted read-only is not opened for the sake of a protection.
    expect(mounted(argumentsFor({ mounts: [join(root, 'project/sub')] }), '--bind')).toEqual([join(root, 'project')]);
  });

  it('forbids Unix sockets and user namespaces on request', () => {
    const { args, data } = commandFor({ unixSockets: false, userNamespaces: false });
    expect(args).toEqual(expect.arrayContaining(['--unshare-user', '--disable-userns', '--seccomp', '4']));
    expect(data).toEqual([systemCallFilter(false)]);
  });

  it('refuses a configuration that is read through a link which the command could replace', () => {
    symlinkSync('/etc/hosts', join(root, 'project/proxy.yaml'));
    expect(() => argumentsFor({ configuration: [join(root, 'project/proxy.yaml')] })).toThrow(/symbolic link/);
  });
});

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxArguments, type Sandbox } from './sandbox.js';

describe('sandboxArguments', () => {
  let root: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-')));
    for (const folder of ['project/conf', 'tools', 'socket']) mkdirSync(join(root, folder), { recursive: true });
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  function argumentsFor(rest: Partial<Sandbox> = {}): readonly string[] {
    return sandboxArguments({
      directory: join(root, 'project'),
      home: '/home/me',
      socket: { from: join(root, 'socket'), to: '/run/proxy-client' },
      bridge: join(root, 'bridge.js'),
      mounts: [],
      configuration: [],
      ...rest,
    });
  }

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

  it('mounts a directory before what is in it, and the configuration read-only after both', () => {
    writeFileSync(join(root, 'project/conf/proxy.yaml'), '');
    const args = argumentsFor({ mounts: [`${root}:rw`], configuration: [join(root, 'project/conf/proxy.yaml')] });
    const at = (option: string, path: string): number =>
      args.findIndex((each, index) => each === option && args[index + 2] === path);
    const order = [
      at('--bind', root),
      at('--bind', join(root, 'project')),
      at('--ro-bind', join(root, 'project/conf')),
      at('--ro-bind', '/run/proxy-client'),
    ];
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('refuses a configuration that is read through a link which the command could replace', () => {
    symlinkSync('/etc/hosts', join(root, 'project/proxy.yaml'));
    expect(() => argumentsFor({ configuration: [join(root, 'project/proxy.yaml')] })).toThrow(/symbolic link/);
  });
});

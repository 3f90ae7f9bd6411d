import { sandboxFailure } from './sandbox-problem.js';

const NO_NAMESPACES = 'bwrap: No permissions to create new namespace, likely because the kernel does not allow it';

describe('sandboxFailure', () => {
  it.each<
    [string, string, { isRoot?: boolean; isNested?: boolean; settings?: Readonly<Record<string, string>> }, RegExp]
  >([
    [
      'a masked /proc',
      "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
      {},
      /systempaths=unconfined/,
    ],
    [
      'root without privileges',
      'bwrap: Creating new namespace failed: Operation not permitted',
      { isRoot: true },
      /SYS_ADMIN/,
    ],
    [
      'no user namespaces',
      NO_NAMESPACES,
      { settings: { 'user/max_user_namespaces': '0' } },
      /user\.max_user_namespaces/,
    ],
    [
      'namespaces of root only',
      NO_NAMESPACES,
      { settings: { 'kernel/unprivileged_userns_clone': '0' } },
      /_clone to 1/,
    ],
    [
      'AppArmor',
      'bwrap: setting up uid map: Permission denied',
      { settings: { 'kernel/apparmor_restrict_unprivileged_userns': '1', 'user/max_user_namespaces': '9' } },
      /AppArmor/,
    ],
    ['a container', NO_NAMESPACES, {}, /seccomp=unconfined/],
    ['another sandbox', "bwrap: Can't mount proc on /newroot/proc: x", { isNested: true }, /already runs in a sandbox/],
    ['AppArmor of a container', 'bwrap: Failed to make / slave: Permission denied', {}, /apparmor=unconfined/],
    [
      'too many namespaces',
      'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)',
      { settings: { 'user/max_user_namespaces': '9' } },
      /too many namespaces/,
    ],
    ['anything else', 'bwrap: execvp true: No such file or directory', {}, /see the message of bwrap/],
  ])('names the cause: %s', (_, message, { isRoot = false, isNested = false, settings = {} }, text) => {
    const failure = sandboxFailure(message, { isRoot, isNested, setting: (name) => settings[name] });
    expect(failure).toMatch(text);
    expect(failure).toMatch(/^The sandbox could not be created: .* --no-sandbox only sets the proxy variables/);
  });
});

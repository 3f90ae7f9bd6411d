import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.js';
import { findProgram } from './find-program.js';
import { absent, CREDENTIALS, RunningPeer, type ProxyPeerKind } from './running-peer.js';

/** microsocks: answers the greeting, and loses what came with it in one flight. */
export function microsocks(password: boolean): ProxyPeerKind {
  const file = findProgram('MICROSOCKS', 'microsocks');
  return {
    name: password ? 'microsocks with a password' : 'microsocks',
    missing: absent(file, 'microsocks', 'MICROSOCKS'),
    async start() {
      const port = await freePort();
      const auth = password ? ['-u', CREDENTIALS.username, '-P', CREDENTIALS.password] : [];
      return new RunningPeer(port).run(file!, ['-i', '127.0.0.1', '-p', String(port), ...auth]);
    },
  };
}

/** Whether a process may have its own mounts, in which dante finds a user database of the test's. */
function canUnshare(): boolean {
  return spawnSync('unshare', ['--mount', '--map-root-user', 'true']).status === 0;
}

function crypt(password: string): string {
  return execFileSync('openssl', ['passwd', '-6', '-stdin'], { input: password, encoding: 'utf8' }).trim();
}

/** dante; with a password it reads the system's user database, so it gets a separate one in a mount namespace. */
export function dante(password: boolean): ProxyPeerKind {
  const file = findProgram('DANTED', 'danted', 'sockd');
  const cannot = password && !canUnshare() ? 'no mount namespace may be made here (unshare)' : undefined;
  return {
    name: password ? 'dante with a password' : 'dante',
    missing: absent(file, 'dante', 'DANTED') ?? cannot,
    async start() {
      const port = await freePort();
      const peer = new RunningPeer(port);
      const user = userInfo().username;
      const config = peer.write(
        'danted.conf',
        [
          'logoutput: stderr',
          `internal: 127.0.0.1 port = ${String(port)}`,
          'external: lo',
          `socksmethod: ${password ? 'username' : 'none'}`,
          'clientmethod: none',
          `user.privileged: ${user}`,
          `user.unprivileged: ${user}`,
          'client pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }',
          'socks pass { from: 127.0.0.0/8 to: 0.0.0.0/0 command: connect }',
          '',
        ].join('\n'),
      );
      if (!password) return peer.run(file!, ['-f', config]);
      const entry = `${CREDENTIALS.username}:x:12345:12345::/nonexistent:/usr/sbin/nologin\n`;
      const passwd = peer.write('passwd', readFileSync('/etc/passwd', 'utf8') + entry, 0o644);
      const shadow = peer.write(
        'shadow',
        `${CREDENTIALS.username}:${crypt(CREDENTIALS.password)}:19000:0:99999:7:::\n`,
      );
      const script = 'mount --bind "$1" /etc/passwd && mount --bind "$2" /etc/shadow && exec "$3" -f "$4"';
      const args = ['--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];
      return peer.run('unshare', [...args, 'sh', '-c', script, 'sh', passwd, shadow, file!, config]);
    },
  };
}

/** Runs a throw-away sshd; returns the arguments with which ssh logs in there without a question, but for user and host. */
async function runSshd(peer: RunningPeer, port: number, sshd: string, keygen: string): Promise<readonly string[]> {
  const [hostKey, userKey] = ['host_key', 'user_key'].map((name) => {
    const key = join(peer.directory, name);
    execFileSync(keygen, ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    return key;
  }) as [string, string];
  // Debian's sshd wants this directory when it runs as root; its service makes it at the start of the machine.
  if (process.getuid?.() === 0 && !existsSync('/run/sshd')) mkdirSync('/run/sshd', { mode: 0o755 });
  const config = peer.write(
    'sshd_config',
    [
      `Port ${String(port)}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${hostKey}`,
      `AuthorizedKeysFile ${userKey}.pub`,
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'UsePAM no',
      'StrictModes no',
      'PidFile none',
      '',
    ].join('\n'),
  );
  await peer.run(sshd, ['-D', '-e', '-f', config], port);
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'BatchMode=yes', 'LogLevel=ERROR'];
  return ['-F', 'none', '-i', userKey, '-p', String(port), ...options.flatMap((option) => ['-o', option])];
}

/** A throw-away sshd for the user who runs this; `login`: what ssh needs to get in, but for user and host. */
export async function startSshd(
  sshd: string,
  keygen: string,
): Promise<AsyncDisposable & { readonly login: readonly string[] }> {
  const peer = new RunningPeer(await freePort());
  return Object.assign(peer, { login: await runSshd(peer, peer.port, sshd, keygen) });
}

/** ssh -D, through a throw-away sshd: takes one flight, and closes instead of replying when the target refuses. */
export function sshDynamic(): ProxyPeerKind {
  const ssh = findProgram('SSH', 'ssh');
  const sshd = findProgram('SSHD', 'sshd');
  const keygen = findProgram('SSH_KEYGEN', 'ssh-keygen');
  return {
    name: 'ssh -D',
    missing: absent(ssh, 'ssh', 'SSH') ?? absent(sshd, 'sshd', 'SSHD') ?? absent(keygen, 'ssh-keygen', 'SSH_KEYGEN'),
    async start() {
      const peer = new RunningPeer(await freePort());
      const login = await runSshd(peer, await freePort(), sshd!, keygen!);
      return peer.run(ssh!, [
        ...['-N', '-D', `127.0.0.1:${String(peer.port)}`, ...login],
        `${userInfo().username}@127.0.0.1`,
      ]);
    },
  };
}

/** Bytes to send through a peer and the digest by which they are known again. */
export function sample(length: number): { readonly bytes: Buffer; readonly digest: string } {
  const bytes = randomBytes(length);
  return { bytes, digest: createHash('sha256').update(bytes).digest('hex') };
}

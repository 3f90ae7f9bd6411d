import { readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readHost, readName, withoutFinalDots } from './addresses.js';
import { areLocal } from './own-addresses.js';

/**
 * Names of metadata services, and names by which containers and virtual machines reach the machine that runs them. Which address they
 * have is decided by the resolver of the upstream.
 */
const WELL_KNOWN: ReadonlySet<string> = new Set([
  // Google; Amazon; Azure; Tencent, IBM, Equinix, Rancher.
  ...['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data', 'instance-data.ec2.internal'],
  ...[
    'metadata.azure.internal',
    'metadata.tencentyun.com',
    'api.metadata.cloud.ibm.com',
    'metadata.platformequinix.com',
  ],
  ...['rancher-metadata', 'metadata.ec2.internal'],
  // Docker, Podman, Lima, minikube, Rancher Desktop, k3d, OrbStack.
  ...['host.docker.internal', 'gateway.docker.internal', 'kubernetes.docker.internal', 'vm.docker.internal'],
  ...['docker.for.mac.host.internal', 'docker.for.win.host.internal', 'host.containers.internal'],
  ...['host.lima.internal', 'host.minikube.internal', 'control-plane.minikube.internal'],
  ...['host.rancher-desktop.internal', 'host.k3d.internal', 'host.orb.internal', 'docker.orb.internal'],
  // systemd-resolved (nss-myhostname): the machine, its gateway, and its resolver.
  ...['_gateway', '_outbound', '_localdnsstub', '_localdnsproxy'],
  // Hosts files of Debian and macOS: multicast and broadcast addresses of the link.
  ...['ip6-localnet', 'ip6-mcastprefix', 'ip6-allnodes', 'ip6-allrouters', 'ip6-allhosts', 'broadcasthost'],
]);

/** Returns the file with the names that resolvers look up first. */
function hostsFile(): string {
  if (process.platform !== 'win32') return '/etc/hosts';
  // eslint-disable-next-line no-restricted-properties
  return join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts');
}

/** The time for which the names are used before the file is examined again. */
const CACHED_MS = 1000;

/** The names of this machine: its host name, and those of the hosts file that lead to it, to its link, or to a metadata service. */
export class MachineNames {
  readonly #file: string;
  #names: ReadonlySet<string> = new Set();
  #until = -Infinity;
  #mark = '';

  constructor(file = hostsFile()) {
    this.#file = file;
  }

  /** @param name - in the canonical form of `readName` */
  has(name: string): boolean {
    const known = withoutFinalDots(name);
    return WELL_KNOWN.has(known) || this.#current().has(known);
  }

  #current(): ReadonlySet<string> {
    const now = performance.now();
    if (now < this.#until) return this.#names;
    this.#until = now + CACHED_MS;
    const own = readName(hostname());
    const mark = `${own} ${markOf(this.#file)}`;
    if (mark !== this.#mark) {
      this.#mark = mark;
      // Multicast DNS publishes the first label below `local`.
      this.#names = new Set([own, `${own.split('.')[0]}.local`, ...localNames(this.#file)]);
    }
    return this.#names;
  }
}

/** Returns a text that changes with the file. */
function markOf(file: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(file);
    return [ino, size, mtimeMs].join(' ');
  } catch {
    return '';
  }
}

/** Returns the names that a hosts file maps to local addresses. */
function localNames(file: string): readonly string[] {
  const entries = contentOf(file)
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim().split(/\s+/));
  return entries.flatMap(([address = '', ...names]) => {
    return names.length > 0 && areLocal(readHost(address).addresses) ? names.map(readName) : [];
  });
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // The machine has no such file, or it is not readable for this user.
    return '';
  }
}

const machine = new MachineNames();

/**
 * Returns whether a name, wherever it is resolved, usually leads to the machine that resolves it, to its link, or to a metadata service.
 *
 * @param name - in the canonical form of `readName`
 */
export function isNameOfMachine(name: string): boolean {
  return machine.has(name);
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.js';
import { isOpen } from '../is-open.js';
import { NodeOrigin } from '../node-origin.js';
import { until } from '../until.js';
import { DNS_TYPE, DnsClient, DnsServer } from './dns.js';

// The programs for which lists are written decide about names: they judge what our reader makes of the same lists.

/** The answer of the server for names that dnsmasq does not decide about. */
const PASSED = '203.0.113.1';
/** The answer of a server that a list names, as `server=/name/ADDRESS#PORT`. */
const REDIRECTED = '203.0.113.2';
/** What the addresses of real machines in lists begin with. */
const REAL = '192.168.';
/** A name with such an address is blocked. */
const NOWHERE = /^(?:0\.0\.0\.0|127\.\d+\.\d+\.\d+|::1?)$/;

/** A folder for the files of a program, and the programs that it starts. */
class Workplace implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'judge-'));
  readonly #programs: ChildProcess[] = [];

  constructor() {
    // Servers change to their own users.
    chmodSync(this.#folder, 0o777);
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  write(name: string, text: string): string {
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  /** Starts a server, and waits until it is ready. */
  async start(program: string, args: readonly string[], isReady: () => Promise<boolean>): Promise<void> {
    const child = spawn(program, args, { stdio: 'ignore' });
    this.#programs.push(child);
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`${program} has exited with ${child.exitCode}.`);
      return isReady();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const program of this.#programs) {
      program.kill('SIGKILL');
      if (program.exitCode === null && program.signalCode === null) await once(program, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/**
 * Returns the names that dnsmasq blocks, or sends to the server that a list names.
 *
 * @param format - a list as `addn-hosts` or as `conf-file`, in which `OTHER` is replaced by the address of that server
 */
export async function listedByDnsmasq(
  program: string,
  format: 'hosts' | 'dnsmasq',
  list: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  await using passed = await DnsServer.start(PASSED);
  await using redirected = await DnsServer.start(REDIRECTED);
  await using workplace = new Workplace();
  const port = await freePort();
  const file = workplace.write('list', list.replaceAll('OTHER', `127.0.0.1#${redirected.port}`));
  const options = [
    ...['--keep-in-foreground', `--port=${port}`, '--listen-address=127.0.0.1', '--bind-interfaces', '--no-hosts'],
    ...['--no-resolv', `--server=127.0.0.1#${passed.port}`, '--cache-size=0', '--dns-forward-max=1000'],
    ...[
      `--user=${userInfo().username}`,
      '--pid-file',
      format === 'hosts' ? `--addn-hosts=${file}` : `--conf-file=${file}`,
    ],
  ];
  await workplace.start(program, options, async () => isOpen(port));
  await using client = new DnsClient(port);
  const listed = new Set<string>();
  for (const name of names) {
    const [ipv4, ipv6] = [await client.ask(name, DNS_TYPE.A), await client.ask(name, DNS_TYPE.AAAA)];
    if (ipv4?.startsWith(REAL) === true) continue;
    const isListed = [ipv4, ipv6].some((each) => each === 'none' || each === REDIRECTED || NOWHERE.test(each ?? ''));
    if (isListed) listed.add(name);
  }
  return listed;
}

/** Returns the names that squid refuses with a list as the file of a `dstdomain`. */
export async function listedBySquid(
  program: string,
  list: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  await using origin = await NodeOrigin.start((_, response) => response.end());
  await using workplace = new Workplace();
  const port = await freePort();
  const config = `http_port 127.0.0.1:${port}
pid_filename ${workplace.path('squid.pid')}
cache_log ${workplace.path('squid.cache.log')}
access_log none
cache deny all
pinger_enable off
shutdown_lifetime 0 seconds
acl listed dstdomain -n "${workplace.write('list', list)}"
http_access deny listed
http_access allow all
cache_peer 127.0.0.1 parent ${new URL(origin.url).port} 0 no-query no-digest default
never_direct allow all
`;
  await workplace.start(program, ['-N', '-f', workplace.write('squid.conf', config)], async () => isOpen(port));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const listed = new Set<string>();
  for (const name of names) {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path: `http://${name}/`,
      headers: { host: name },
      agent,
    }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    if (response.statusCode === 403) listed.add(name);
    else if (response.statusCode !== 200) throw new Error(`squid answered ${response.statusCode} for ${name}.`);
  }
  agent.destroy();
  return listed;
}

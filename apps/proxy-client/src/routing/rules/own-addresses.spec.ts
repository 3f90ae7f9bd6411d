import { isLoopbackAddress, ownAuthorities, OwnAddresses } from './own-addresses.js';

const INTERFACES = ['127.0.0.1', '::1', '192.168.1.7', 'fe80::1', '2001:db8::7'];

function reaches(address: string, host: string, names: readonly string[] = []): boolean {
  return new OwnAddresses([{ address, port: 8080 }], names, () => INTERFACES).isReachedBy({ host, port: 8080 });
}

describe('OwnAddresses', () => {
  it.each([
    '127.0.0.1',
    '0x7f.1',
    '127.1',
    '2130706433',
    '0177.0.0.1',
    '①②⑦.0.0.1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    'localhost.',
    'localhost..',
    'a.localhost',
    'localhost.localdomain',
    'localhost4',
    'ip6-loopback',
    '0.0.0.0',
    '::1',
    '::',
  ])('on 127.0.0.1 are reached by %s', (host) => {
    expect(reaches('127.0.0.1', host)).toBe(true);
  });

  it.each(['127.0.0.2', '::2', '192.168.1.7', 'example.com'])('on 127.0.0.1 are not reached by %s', (host) => {
    expect(reaches('127.0.0.1', host)).toBe(false);
  });

  it.each(['::1', '0:0::1', 'localhost', '::', '127.0.0.1', '0.0.0.0'])('on ::1 are reached by %s', (host) => {
    expect(reaches('::1', host)).toBe(true);
  });

  it.each(['0.0.0.0', '::'])('on %s are reached by every address of the machine', (bound) => {
    for (const host of [
      '127.9.9.9',
      '::1',
      '192.168.1.7',
      '::ffff:192.168.1.7',
      '3232235783',
      '2001:db8:0::7',
      'localhost',
    ]) {
      expect([host, reaches(bound, host)]).toEqual([host, true]);
    }
    for (const host of ['192.168.1.8', 'example.com']) expect([host, reaches(bound, host)]).toEqual([host, false]);
  });

  it('are reached by the names of the machine, in any case of letters', () => {
    expect(reaches('192.168.1.7', 'Proxy.LAN.', ['proxy.lan'])).toBe(true);
  });

  it('are at their ports only', () => {
    const own = new OwnAddresses([{ address: '127.0.0.1', port: 8080 }], ['proxy.lan'], () => INTERFACES);
    expect(['localhost', 'proxy.lan'].map((host) => own.isReachedBy({ host, port: 80 }))).toEqual([false, false]);
  });

  it.each([
    ['127.0.0.1', true],
    ['::ffff:10.0.0.1', false],
    ['::ffff:169.254.169.254', true],
    ['64:ff9b::a9fe:a9fe', true],
    ['fe80::1%eth0', true],
    ['fec0::1', true],
    // IPv4-compatible, also that of a public address.
    ['::808:808', true],
    ['::ffff:808:808', false],
    ['::', true],
    ['168.63.129.16', true],
    ['168.63.129.17', false],
    ['100.100.100.200', true],
    ['192.0.0.192', true],
    ['fd00:ec2::254', true],
    ['fd00:ec2::23', true],
    ['fd00:c1::a9fe:a9fe', true],
    ['fd00:42::42', true],
    ['::ffff:0:127.0.0.1', true],
    ['::ffff:0:168.63.129.16', true],
    ['::ffff:0:10.0.0.1', false],
    ['192.168.1.7', true],
    ['::ffff:192.168.1.7', true],
    ['192.168.1.8', false],
    ['2001:db8::8', false],
    ['no address', true],
  ])('know whether %s is local: %j', (address, expected) => {
    expect(new OwnAddresses([], [], () => INTERFACES).isLocal(address)).toBe(expected);
  });
});

describe('isLoopbackAddress', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['localhost', true],
    ['a.localhost', true],
    ['localhost4', false],
    ['0.0.0.0', false],
    ['::', false],
    ['10.0.0.1', false],
    ['example.com', false],
  ])('of %s is %j', (address, expected) => {
    expect(isLoopbackAddress(address)).toBe(expected);
  });
});

function own(host: string, address: string, port = 8080, allowedHosts: string[] = []) {
  return ownAuthorities({ host, allowedHosts }, { address, port });
}

describe('ownAuthorities', () => {
  it.each([
    ['127.0.0.1:8080', true],
    ['localhost:8080', true],
    ['LocalHost:8080', true],
    ['proxy.lan:8080', true],
    ['127.0.0.1', false],
    ['127.0.0.1:80', false],
    ['127.0.0.1:08080', false],
    ['127.0.0.2:8080', false],
    ['[::1]:8080', false],
    ['user@127.0.0.1:8080', false],
    ['example.com:8080', false],
  ])('on 127.0.0.1:8080, %s: %j', (authority, expected) => {
    expect(own('127.0.0.1', '127.0.0.1', 8080, ['Proxy.lan']).has(authority.toLowerCase())).toBe(expected);
  });

  it('writes IPv6 in brackets', () => {
    const authorities = own('::1', '::1');
    expect(['[::1]:8080', 'localhost:8080', '::1:8080'].map((each) => authorities.has(each))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('includes the bare names on port 80', () => {
    expect(own('127.0.0.1', '127.0.0.1', 80).has('localhost')).toBe(true);
  });

  it.each(['0.0.0.0', '::'])('knows every address of the machine when it listens on %s', (address) => {
    const authorities = own(address, address);
    expect(authorities.has('127.0.0.1:8080')).toBe(true);
    expect(authorities.has('localhost:8080')).toBe(true);
  });
});

import { networkInterfaces } from 'node:os';
import { canonicalAddress, isLocalAddress, isLoopback, reachesListener } from './own-address.js';

const own = Object.values(networkInterfaces())
  .flatMap((entries) => entries ?? [])
  .find(({ internal }) => !internal)?.address;

describe('reachesListener', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.2', '127.0.0.1', false],
    ['::ffff:127.0.0.1', '127.0.0.1', true],
    ['::ffff:7f00:1', '127.0.0.1', true],
    ['0.0.0.0', '127.0.0.1', true],
    ['::', '::1', true],
    ['0:0:0:0:0:0:0:1', '::1', true],
    ['127.0.0.2', '0.0.0.0', true],
    ['::1', '::', true],
    [own ?? '127.0.0.3', '0.0.0.0', true],
    ['192.0.2.1', '0.0.0.0', false],
    ['192.0.2.1', '192.0.2.1', true],
    ['0.0.0.0', '192.0.2.1', false],
  ])('says of %s for a listener on %s: %s', (host, listener, expected) => {
    expect(reachesListener({ host, port: 8080 }, { host: listener, port: 8080 })).toBe(expected);
    expect(reachesListener({ host, port: 8081 }, { host: listener, port: 8080 })).toBe(false);
  });
});

describe('isLocalAddress', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '169.254.169.254',
    '224.0.0.251',
    '255.255.255.255',
    '100.100.100.200',
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '64:ff9b::169.254.169.254',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    'fd00:ec2::254',
    own ?? '127.0.0.3',
    `::ffff:${own?.includes('.') === true ? own : '127.0.0.3'}`,
    'no address',
  ])('is so for %s', (address) => {
    expect(isLocalAddress(address)).toBe(true);
  });

  it.each([
    '192.0.2.1',
    '10.255.3.4',
    '1.1.1.1',
    '2001:db8::1',
    'fd12:3456::1',
    '::ffff:192.0.2.1',
    '64:ff9b::1.1.1.1',
  ])('is not so for %s', (address) => {
    expect(isLocalAddress(address)).toBe(false);
  });
});

describe('isLoopback', () => {
  it.each([
    ['127.0.0.1', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['127.example', false],
    ['192.0.2.1', false],
    ['::ffff:192.0.2.1', false],
  ])('says of %s: %s', (address, expected) => {
    expect(isLoopback(address)).toBe(expected);
  });
});

describe('canonicalAddress', () => {
  it('leaves what is no address as it is', () => {
    expect(canonicalAddress('example.com')).toBe('example.com');
    expect(canonicalAddress('1::2::3')).toBe('1::2::3');
  });
});

import fc from 'fast-check';
import { lookup } from 'node:dns/promises';
import { FIRST_IPV4, Networks, formatAddress, isAmbiguousAddress, readHost, type IpAddress } from './addresses.js';

const LOOPBACK = FIRST_IPV4 + 0x7f_00_00_01n;
const MAPPED_LOOPBACK = 0xffff_7f00_0001n;

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 300);

/** A number in C's notation: decimal, octal or hexadecimal. */
const numeral = fc
  .tuple(
    fc.oneof(fc.nat(300), fc.nat(70_000), fc.nat(0xff_ff_ff), fc.nat(0xff_ff_ff_ff)),
    fc.constantFrom(10, 8, 16),
    fc.constantFrom('', '0', '00'),
  )
  .map(([value, base, zeros]) => {
    if (base === 10) return String(value);
    return (base === 8 ? '0' : '0x') + zeros + value.toString(base);
  });

const spelling = fc.array(numeral, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'));

describe('readHost', () => {
  it.each<[string, readonly IpAddress[]]>([
    ['0x7f.1', [LOOPBACK]],
    ['127.1', [LOOPBACK]],
    ['2130706433', [LOOPBACK]],
    ['0177.0.0.1', [LOOPBACK]],
    ['①②⑦.0.0.1', [LOOPBACK]],
    ['::ffff:127.0.0.1', [MAPPED_LOOPBACK, LOOPBACK]],
    ['64:ff9b::7f00:1', [0x64_ff9b_0000_0000_0000_0000_7f00_0001n, LOOPBACK]],
    ['::1', [1n]],
    ['localhost.', [LOOPBACK, 1n]],
    ['0.0.0.0', [FIRST_IPV4, LOOPBACK]],
  ])('reads %s as the loopback that it is', (host, addresses) => {
    expect(readHost(host).addresses).toEqual(addresses);
  });

  it.each<[string, readonly IpAddress[]]>([
    ['127.0.0.1.', [LOOPBACK]],
    ['0X7F.0x1', [LOOPBACK]],
    ['１２７。０。０。１', [LOOPBACK]],
    ['::FFFF:7F00:1', [MAPPED_LOOPBACK, LOOPBACK]],
    ['::ffff:0:0', [0xffff_0000_0000n, FIRST_IPV4, LOOPBACK]],
    ['::', [0n, 1n]],
    ['0', [FIRST_IPV4, LOOPBACK]],
    ['LOCALHOST', [LOOPBACK, 1n]],
    ['a.localhost.', [LOOPBACK, 1n]],
    ['4294967295', [FIRST_IPV4 + 0xff_ff_ff_ffn]],
    ['1.2.3.4', [FIRST_IPV4 + 0x01_02_03_04n]],
    ['2001:db8::1', [0x2001_0db8_0000_0000_0000_0000_0000_0001n]],
    // A name, or nothing at all.
    ['4294967296', []],
    ['256.1.1.1', []],
    ['1.256.1.1', []],
    ['1.1.65536', []],
    ['1.2.3.4..', [FIRST_IPV4 + 0x01_02_03_04n]],
    ['1.2.3.4..', [FIRST_IPV4 + 0x01_02_03_04n]],
    ['1..2', []],
    ['08', []],
    ['0x', []],
    ['0xg', []],
    ['1e3', []],
    ['7f.1', []],
    ['notlocalhost', []],
    ['localhost.example', []],
    ['127.0.0.1.example', []],
    ['fe80::1%eth0', []],
    ['1:2', []],
    ['', []],
    ['.', []],
  ])('reads %s', (host, addresses) => {
    expect(readHost(host).addresses).toEqual(addresses);
  });

  it.each([
    ['Example.COM.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['a_b.example', 'a_b.example'],
    // No name of any resolver: left as it is, so that nothing is read into it.
    ['ü@127.0.0.1', 'ü@127.0.0.1'],
    ['ü%31', 'ü%31'],
    ['ü:80', 'ü:80'],
  ])('takes the name of %s', (host, name) => {
    expect(readHost(host).name).toBe(name);
  });

  it('reads numbers as getaddrinfo of this machine does', async () => {
    let addresses = 0;
    await fc.assert(
      fc.asyncProperty(spelling, async (host) => {
        const [address] = readHost(host).addresses;
        // What is no address is asked of servers, which this test does without.
        if (address === undefined) return;
        addresses += 1;
        expect([host, formatAddress(address)]).toEqual([host, (await lookup(host, { family: 4 })).address]);
      }),
      { numRuns: RUNS },
    );
    expect(addresses).toBeGreaterThan(RUNS / 10);
  });
});

describe('an IPv4 address inside an IPv6 address', () => {
  it.each([
    ['6to4', '2002:7f00:1::1'],
    ['local-use NAT64 of 96 bits', '64:ff9b:1::7f00:1'],
    ['local-use NAT64 of 48 bits', '64:ff9b:1:7f00:0:100::'],
    ['local-use NAT64 of 56 bits', '64:ff9b:1:7f:0:1::'],
    ['local-use NAT64 of 64 bits', '64:ff9b:1:0:7f:0:100:0'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['Teredo, whose client is inverted', '2001:0:cb00:7101::80ff:fffe'],
    ['Teredo, the server', '2001:0:7f00:1::1'],
    ['ISATAP', 'fe80::5efe:7f00:1'],
    ['ISATAP of a global address', '2001:db8::200:5efe:7f00:1'],
  ])('is compared with networks: %s', (_, address) => {
    expect(new Networks(['127.0.0.0/8']).hasText(address)).toBe(true);
  });

  it('is not found in other addresses', () => {
    for (const address of ['2001:db8::7f00:1', '2001:1::7f00:1', '64:ff9c::7f00:1']) {
      expect(new Networks(['127.0.0.0/8']).hasText(address)).toBe(false);
    }
  });

  it('is ambiguous with a leading zero, as octal and decimal readers disagree', () => {
    expect(['012.1.2.3', '1.2.3.010', '0177.1'].map(isAmbiguousAddress)).toEqual([true, true, true]);
    expect(['10.0.0.1', '0.0.0.0', '127.1', '0x7f.1', '01.example', '10.example'].map(isAmbiguousAddress)).toEqual(
      Array(6).fill(false),
    );
  });
});

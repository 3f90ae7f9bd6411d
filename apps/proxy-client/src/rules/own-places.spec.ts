import { OwnPlaces } from './own-places.js';

const INTERFACES = ['127.0.0.1', '::1', '192.168.1.7', 'fe80::1', '2001:db8::7'];

function reaches(address: string, host: string, names: readonly string[] = []): boolean {
  return new OwnPlaces([{ address, port: 8080 }], names, () => INTERFACES).isReachedBy({ host, port: 8080 });
}

describe('OwnPlaces', () => {
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
    'a.localhost',
    '0.0.0.0',
  ])('on 127.0.0.1 are reached by %s', (host) => {
    expect(reaches('127.0.0.1', host)).toBe(true);
  });

  it.each(['::1', '127.0.0.2', '192.168.1.7', 'example.com'])('on 127.0.0.1 are not reached by %s', (host) => {
    expect(reaches('127.0.0.1', host)).toBe(false);
  });

  it.each(['::1', '0:0::1', 'localhost', '::'])('on ::1 are reached by %s', (host) => {
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
    const own = new OwnPlaces([{ address: '127.0.0.1', port: 8080 }], ['proxy.lan'], () => INTERFACES);
    expect(['localhost', 'proxy.lan'].map((host) => own.isReachedBy({ host, port: 80 }))).toEqual([false, false]);
  });
});

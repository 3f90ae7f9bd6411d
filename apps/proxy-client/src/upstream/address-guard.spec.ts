import { HostNames } from '../routing/rules/host-names.js';
import { Networks } from '../routing/rules/addresses.js';
import { OwnAddresses } from '../routing/rules/own-addresses.js';
import type { RouteClient, Rule } from '../routing/rules/rule.js';
import { AddressGuard } from './direct-upstream.js';

const FROM_HERE = { remoteAddress: '127.0.0.1' };
const FROM_AFAR = { remoteAddress: '192.0.2.7' };
const CORP: Rule = { hosts: new HostNames(['*.corp.example']), to: 'direct' };

/** Returns whether a name of the company may resolve to the address. */
function admits(address: string, rules: readonly Rule[], client: RouteClient = FROM_AFAR): boolean {
  const guard = new AddressGuard({ rules }, () => new OwnAddresses([{ address: '0.0.0.0', port: 8080 }], [], () => []));
  return guard.admits(address, { target: { host: 'a.corp.example', port: 80 }, client });
}

describe('AddressGuard', () => {
  it('allows the address of a name', () => {
    expect(admits('10.0.0.1', [CORP])).toBe(true);
    expect(admits('2001:db8::1', [CORP, { to: 'reject' }])).toBe(true);
  });

  it('does not let a name bypass a rule that precedes its own', () => {
    for (const to of ['reject', 'work']) {
      const rules = [{ networks: new Networks(['10.0.0.0/8']), to }, CORP];
      expect(admits('10.0.0.1', rules)).toBe(false);
      expect(admits('::ffff:10.0.0.1', rules)).toBe(false);
      expect(admits('64:ff9b::a00:1', rules)).toBe(false);
      expect(admits('11.0.0.1', rules)).toBe(true);
      expect(admits('10.0.0.1', [CORP, ...rules])).toBe(true);
    }
    const forOne = [{ networks: new Networks(['10.0.0.0/8']), users: ['ci'], to: 'reject' }, CORP];
    expect(admits('10.0.0.1', forOne, { ...FROM_AFAR, user: 'ci' })).toBe(false);
    expect(admits('10.0.0.1', forOne, { ...FROM_AFAR, user: 'me' })).toBe(true);
  });

  it('allows addresses of this machine to its own programs, and to others by a rule that names them', () => {
    const named = [{ networks: new Networks(['127.0.0.0/8', '169.254.169.254']), to: 'direct' }, CORP];
    for (const address of ['127.0.0.1', '169.254.169.254', '::ffff:127.0.0.1']) {
      expect(admits(address, [CORP])).toBe(false);
      expect(admits(address, [CORP], {})).toBe(false);
      expect(admits(address, [CORP], FROM_HERE)).toBe(true);
      expect(admits(address, named)).toBe(true);
      // The rule that allows the name does not name the network.
      expect(admits(address, [CORP, ...named])).toBe(false);
    }
  });

  it('allows a name no local address under default: reject, even to clients of this machine', () => {
    const guard = (rules: readonly Rule[]) =>
      new AddressGuard({ rules, rejectsByDefault: true }, () => new OwnAddresses([], [], () => ['10.0.0.9']));
    const asked = (host: string) => ({ target: { host, port: 80 }, client: FROM_HERE });
    const rules = [CORP, { hosts: new HostNames(['localhost']), to: 'direct' }];
    for (const address of ['127.0.0.1', '::1', '169.254.169.254', '10.0.0.9', '::ffff:127.0.0.1']) {
      expect(guard(rules).admits(address, asked('a.corp.example'))).toBe(false);
      expect(
        guard([{ networks: new Networks([address]), to: 'direct' }, ...rules]).admits(address, asked(address)),
      ).toBe(true);
    }
    expect(guard(rules).admits('10.0.0.1', asked('a.corp.example'))).toBe(true);
    // The requested name itself means the loopback.
    expect(guard(rules).admits('127.0.0.1', asked('localhost'))).toBe(true);
    // What a grant allows matches no rule.
    expect(guard(rules).admits('192.0.2.1', asked('granted.example'))).toBe(true);
    expect(guard(rules).admits('127.0.0.1', asked('granted.example'))).toBe(false);
    expect(guard(rules).admits('127.0.0.5', asked('127.0.0.5'))).toBe(true);
  });

  it('never allows an own listener, except to a tunnel', () => {
    const guard = new AddressGuard(
      { rules: [{ networks: new Networks(['127.0.0.0/8']), to: 'direct' }, { to: 'direct' }] },
      () => new OwnAddresses([{ address: '127.0.0.1', port: 80 }], [], () => []),
    );
    const query = { target: { host: 'a.corp.example', port: 80 }, client: FROM_HERE };
    for (const address of ['127.0.0.1', '0.0.0.0', '::ffff:127.0.0.1'])
      expect(guard.admits(address, query)).toBe(false);
    expect(guard.admits('127.0.0.2', query)).toBe(true);
    expect(guard.admits('127.0.0.1', { ...query, listener: { via: 'direct' } })).toBe(true);
  });
});

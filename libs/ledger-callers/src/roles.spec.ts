import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { includesRole, limitRoles, roleAnywhere, roleOn, ROLES, rolesByChannel, rolesError, rolesIn } from './roles.js';

const CHANNELS = ['mychannel', 'payments', 'audit'] as const;
const role = fc.constantFrom(...ROLES);
const word = fc.oneof(
  role,
  fc.tuple(role, fc.constantFrom(...CHANNELS)).map((parts) => parts.join('@')),
);
const roles = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(','));

describe('roles', () => {
  it.each(['reader', 'writer', 'admin', 'reader@payments', 'reader,writer@payments', 'admin@a.b-c,reader@mychannel'])(
    'may be %s',
    (text) => {
      expect(rolesError(text)).toBeUndefined();
    },
  );

  it.each([
    '',
    'root',
    'Reader',
    'reader,',
    'reader,reader',
    'reader@',
    'reader@Payments',
    'reader@a@b',
    '@payments',
    7,
  ])('may not be %j', (text) => {
    expect(rolesError(text)).toContain('must be one of reader, writer, admin');
  });

  it('count on every channel, or on the one that they name, where the higher counts', () => {
    const text = 'reader,admin@payments';
    expect([roleOn(text, 'mychannel'), roleOn(text, 'payments'), roleOn(text, undefined)]).toEqual([
      'reader',
      'admin',
      'reader',
    ]);
    expect(roleOn('writer,reader@payments', 'payments')).toBe('writer');
    expect(roleOn('writer@payments', 'mychannel')).toBeUndefined();
    expect([roleAnywhere(text), roleAnywhere('reader@payments'), roleAnywhere('')]).toEqual([
      'admin',
      'reader',
      undefined,
    ]);
    expect(rolesByChannel('writer,reader@payments,admin@audit')).toEqual([
      { channel: 'payments', role: 'writer' },
      { channel: 'audit', role: 'admin' },
    ]);
  });

  it('are found among the words of a token', () => {
    expect(rolesIn(['openid', 'reader', 'writer@payments', 'writer', 'email'])).toBe('writer,writer@payments');
    expect(rolesIn(['openid', 'offline_access'])).toBeUndefined();
    // A role on a channel that does not exist limits a caller too.
    expect(rolesIn(['reader@No Channel'])).toBe('reader@No Channel');
  });

  it('are limited to what both permit, on every channel', () => {
    fc.assert(
      fc.property(roles, roles, (one, other) => {
        const both = limitRoles(one, other);
        for (const channel of [...CHANNELS, 'unnamed']) {
          const [first, second] = [roleOn(one, channel), roleOn(other, channel)];
          const permitted = ROLES.filter((each) => includesRole(first, each) && includesRole(second, each));
          expect(roleOn(both, channel)).toBe(permitted.at(-1));
        }
      }),
    );
  });
});

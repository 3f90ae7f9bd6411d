import { CHANNEL_NAME } from '#ledger-config';

/** The roles of callers, each with the permissions of those before it. */
export const ROLES = ['reader', 'writer', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/**
 * The roles of a caller as text: a role on every channel, roles on single channels as `ROLE@CHANNEL`, or both, with commas
 * between them. On a channel the higher of the channel's role and the role on every channel counts.
 */
export type Roles = string;

/** Checks whether a role includes another. */
export function includesRole(role: Role | undefined, needed: Role): boolean {
  return role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Returns the error in the roles of an entry, or undefined. */
export function rolesError(roles: unknown): string | undefined {
  const parsed = parseRoles(typeof roles === 'string' ? roles : '');
  const areNamed = [...parsed.keys()].every((channel) => channel === undefined || CHANNEL_NAME.test(channel));
  const isValid = typeof roles === 'string' && areNamed && parsed.size === roles.split(',').length;
  return isValid ? undefined : `must be one of ${ROLES.join(', ')}, or such as reader@mychannel, several with commas`;
}

/** Returns the roles among some words; undefined if there are none. */
export function rolesIn(words: readonly string[]): Roles | undefined {
  return textOf(parseRoles(words.join(',')));
}

/** Returns the role on a channel; with undefined the role on every channel. */
export function roleOn(roles: Roles, channel: string | undefined): Role | undefined {
  const parsed = parseRoles(roles);
  return higherOf(parsed.get(undefined), parsed.get(channel));
}

/** Returns the highest role on any channel. */
export function roleAnywhere(roles: Roles): Role | undefined {
  return [...parseRoles(roles).values()].reduce<Role | undefined>(higherOf, undefined);
}

/** Returns the role on each channel that is named. */
export function rolesByChannel(roles: Roles): readonly { readonly channel: string; readonly role: Role }[] {
  return [...parseRoles(roles).keys()].flatMap((channel) => {
    const role = roleOn(roles, channel);
    return channel === undefined || role === undefined ? [] : [{ channel, role }];
  });
}

/** Returns what roles and a limit both permit, which may be nothing. */
export function limitRoles(roles: Roles, limit: Roles): Roles {
  const both = new Map<string | undefined, Role>();
  for (const channel of [undefined, ...parseRoles(roles).keys(), ...parseRoles(limit).keys()]) {
    const role = lowerOf(roleOn(roles, channel), roleOn(limit, channel));
    if (role !== undefined && role !== both.get(undefined)) both.set(channel, role);
  }
  return textOf(both) ?? '';
}

/** Returns the role on each named channel, and under undefined the one on every channel; ignores words that are no roles. */
function parseRoles(roles: Roles): ReadonlyMap<string | undefined, Role> {
  const found = new Map<string | undefined, Role>();
  for (const word of roles.split(',')) {
    const [name = '', ...rest] = word.split('@');
    const channel = rest.length === 0 ? undefined : rest.join('@');
    const role = higherOf(
      ROLES.find((one) => one === name),
      found.get(channel),
    );
    if (role !== undefined) found.set(channel, role);
  }
  return found;
}

function textOf(roles: ReadonlyMap<string | undefined, Role>): Roles | undefined {
  const words = [...roles].map(([channel, role]) => (channel === undefined ? role : `${role}@${channel}`));
  return words.length === 0 ? undefined : words.join(',');
}

function higherOf(one: Role | undefined, other: Role | undefined): Role | undefined {
  return one === undefined || (other !== undefined && includesRole(other, one)) ? other : one;
}

function lowerOf(one: Role | undefined, other: Role | undefined): Role | undefined {
  if (one === undefined || other === undefined) return undefined;
  return includesRole(one, other) ? other : one;
}

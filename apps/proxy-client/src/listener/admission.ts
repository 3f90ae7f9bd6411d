import type { Networks } from '../routing/rules/addresses.js';
import { UNIX_CLIENT } from '../routing/rules/own-addresses.js';

/** Whether connections from an address are accepted; `clients` are the networks, undefined for all. */
export function isAdmitted(remoteAddress: string | undefined, clients: Networks | undefined): boolean {
  if (clients === undefined || remoteAddress === undefined) return clients === undefined;
  return clients.hasText(remoteAddress === UNIX_CLIENT ? '127.0.0.1' : remoteAddress);
}

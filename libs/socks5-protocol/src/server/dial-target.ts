import { lookup } from 'node:dns';
import { connect, isIP, type LookupFunction, Socket } from 'node:net';
import { Reply } from '../codec/constants.js';
import type { HostAndPort } from './own-address.js';

/** A connection to the target was refused by the server's own rule. */
export class TargetRefusedError extends Error {
  constructor() {
    super('This target is not allowed.');
    this.name = 'TargetRefusedError';
  }
}

/** Whether the target, its host resolved to an address, may not be connected to. */
export type RefuseTarget = (target: HostAndPort) => boolean;

/** Resolves a name and leaves out the addresses that are refused, so that no name leads around the rule. */
function filteredLookup(port: number, refuse: RefuseTarget): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const allowed = error === null ? addresses.filter(({ address }) => !refuse({ host: address, port })) : [];
      const [first] = allowed;
      if (first === undefined) {
        callback(error ?? new TargetRefusedError(), []);
      } else if (options.all === true) {
        callback(null, allowed);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}

/** Begins a direct connection to the target; refused ones end with a {@link TargetRefusedError}. */
export function dialTarget({ host, port }: HostAndPort, refuse: RefuseTarget): Socket {
  // Addresses are not looked up, so the filter does not see them.
  if (isIP(host) !== 0 && refuse({ host, port })) {
    return new Socket().destroy(new TargetRefusedError());
  }
  return connect({ host, port, allowHalfOpen: true, noDelay: true, lookup: filteredLookup(port, refuse) });
}

const REPLIES = new Map<string, number>([
  ['ECONNREFUSED', Reply.connectionRefused],
  ['EHOSTUNREACH', Reply.hostUnreachable],
  ['EHOSTDOWN', Reply.hostUnreachable],
  ['ENOTFOUND', Reply.hostUnreachable],
  ['EAI_AGAIN', Reply.hostUnreachable],
  ['EAI_FAIL', Reply.hostUnreachable],
  ['ENODATA', Reply.hostUnreachable],
  ['ENETUNREACH', Reply.networkUnreachable],
  ['ENETDOWN', Reply.networkUnreachable],
  ['EADDRNOTAVAIL', Reply.networkUnreachable],
  ['ETIMEDOUT', Reply.ttlExpired],
  ['EACCES', Reply.notAllowed],
  ['EPERM', Reply.notAllowed],
]);

/** The reply code (RFC 1928, section 6) for the error of a failed connection. */
export function replyOfError(error: unknown): number {
  if (error instanceof AggregateError) {
    return error.errors.length === 0 ? Reply.generalFailure : replyOfError(error.errors.at(-1));
  }
  if (error instanceof TargetRefusedError) {
    return Reply.notAllowed;
  }
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  return REPLIES.get(code) ?? Reply.generalFailure;
}

import { Reply } from '../codec/constants.js';
import type { DialError } from '../dial/dialler.js';

const REPLIES = new Map<string, number>([
  ['ECONNREFUSED', Reply.connectionRefused],
  ['EHOSTUNREACH', Reply.hostUnreachable],
  ['EHOSTDOWN', Reply.hostUnreachable],
  ['ENETUNREACH', Reply.networkUnreachable],
  ['ENETDOWN', Reply.networkUnreachable],
  ['EADDRNOTAVAIL', Reply.networkUnreachable],
  ['ETIMEDOUT', Reply.ttlExpired],
  ['EACCES', Reply.notAllowed],
  ['EPERM', Reply.notAllowed],
]);

/** The reply code (RFC 1928, section 6) for a direct connection that could not be made. */
export function replyOfError({ code, cause }: DialError): number {
  switch (code) {
    case 'DIAL.UNRESOLVED':
      return Reply.hostUnreachable;
    case 'DIAL.PROHIBITED':
      return Reply.notAllowed;
    case 'DIAL.TIMEOUT':
      return Reply.ttlExpired;
    case 'DIAL.FAILED':
      return REPLIES.get((cause as NodeJS.ErrnoException | undefined)?.code ?? '') ?? Reply.generalFailure;
  }
}

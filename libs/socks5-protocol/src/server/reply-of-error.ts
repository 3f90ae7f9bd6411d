import { Reply } from '../codec/constants.js';

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

/** A connection to the target was refused by the server's own rule. */
export class TargetRefusedError extends Error {
  constructor() {
    super('This target is not allowed.');
    this.name = 'TargetRefusedError';
  }
}

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

import { SPACE } from '../forward/wire/char-class.js';
import { readHead, skipHost, startsWith } from './ordinary-head.js';

/** A CONNECT that {@link readOrdinaryConnect} has read, in the words of node:http's IncomingMessage. */
export interface OrdinaryConnect {
  /** In authority-form. */
  readonly url: string;
  readonly httpVersion: '1.1';
  /** Names and values, one after the other, as they came (latin1). */
  readonly rawHeaders: readonly string[];
  /** Bytes that its head has. */
  readonly length: number;
}

const CONNECT = Buffer.from('CONNECT ');

/**
 * Reads the CONNECT that begins at `start` if it is an ordinary one and its head lies whole in `chunk`: as
 * `readOrdinaryRequest` does, with the same fields and the same promise that node:http takes it too, and as the same. What
 * stands behind the head is for the tunnel.
 *
 * @param limit - bytes that a head may have; one of as many or more is not ordinary
 */
export function readOrdinaryConnect(chunk: Buffer, start: number, limit: number): OrdinaryConnect | undefined {
  const begin = startsWith(chunk, start, CONNECT);
  if (begin === 0) return undefined;
  const targetEnd = skipHost(chunk, start + begin);
  if (targetEnd === start + begin || chunk[targetEnd] !== SPACE) return undefined;
  const head = readHead(chunk, start, targetEnd, limit);
  if (head === undefined) return undefined;
  const { text, rawHeaders } = head;
  return { url: text.slice(begin, targetEnd - start), httpVersion: '1.1', rawHeaders, length: text.length };
}

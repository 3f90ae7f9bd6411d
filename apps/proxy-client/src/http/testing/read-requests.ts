import { FormatError, type FieldLines } from '../field-lines.js';
import type { RequestHead } from '../request-head.js';
import { RequestReader } from '../request-reader.js';
import { MORE } from '../section.js';
import { flat } from './read-answers.js';

/** A request that has ended. */
export interface ReadRequest {
  readonly method: string;
  readonly target: string;
  readonly minor: number;
  /** Names and values, one after the other, as they came. */
  readonly fields: readonly string[];
  readonly body: string;
  readonly trailers: readonly string[];
  /** Whether its connection stays open. */
  readonly keepAlive: boolean;
  /** Whether the bytes after it are not HTTP: CONNECT, or an upgrade to WebSocket. */
  readonly leaves: boolean;
}

/** What the reader makes of the bytes of a connection. */
export interface ReadRequests {
  readonly requests: readonly ReadRequest[];
  /** The heads of requests that have come, ended or not. */
  readonly heads: number;
  /** What was wrong, if something was. */
  readonly fault: string | undefined;
  /** Where each of the requests has ended. */
  readonly ends: readonly number[];
}

/** The same bytes in pieces that end at those positions. */
export function split(text: string, bounds: readonly number[]): string[] {
  const ordered = [0, ...bounds.map((bound) => bound % (text.length + 1)).sort((a, b) => a - b), text.length];
  return ordered.slice(1).map((bound, index) => text.slice(ordered[index], bound));
}

/**
 * Reads the requests of a connection, chunk by chunk, up to the request after which the connection closes. The memory of each
 * piece is overwritten after it, as that of a read buffer is.
 */
export function readRequests(pieces: readonly string[], headerBytes: number): ReadRequests {
  const reader = new RequestReader(headerBytes);
  const requests: ReadRequest[] = [];
  let heads = 0;
  let head: RequestHead | undefined;
  let body = '';
  let before = 0;
  const ends: number[] = [];
  let fault: string | undefined;
  const collect = (bytes: Buffer): void => {
    if (reader.head !== undefined) {
      head = reader.head;
      body = '';
      heads += 1;
    }
    const { pieces, isComplete, trailers } = reader.body;
    for (let index = 0; index < pieces.length; index += 2) {
      body += bytes.toString('latin1', pieces[index], pieces[index + 1]);
    }
    if (isComplete) requests.push(readRequest(head!, body, trailers));
  };
  for (const piece of pieces) {
    const bytes = Buffer.from(piece, 'latin1');
    try {
      for (let position = 0; position < bytes.length;) {
        const last = requests.at(-1);
        if (last !== undefined && !last.keepAlive) break;
        let stop = MORE;
        try {
          stop = reader.push(bytes, position, bytes.length);
        } finally {
          collect(bytes);
        }
        if (stop === MORE) break;
        position = stop;
        ends.push(before + stop);
      }
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      fault = error.fault;
      break;
    }
    before += bytes.length;
    bytes.fill('X');
  }
  return { requests, heads, fault, ends };
}

function readRequest(head: RequestHead, body: string, trailers: FieldLines | undefined): ReadRequest {
  const { method, target, minor, lines, keepAlive, switchesTo } = head;
  const leaves = method === 'CONNECT' || switchesTo !== undefined;
  return {
    method,
    target,
    minor,
    fields: flat(lines),
    body,
    trailers: trailers === undefined ? [] : flat(trailers),
    keepAlive: keepAlive && !leaves,
    leaves,
  };
}

import { badRequest } from '../forward/request/bad-request.js';
import { CR, LF, SPACE } from '../forward/wire/char-class.js';
import { MORE } from '../forward/wire/section-scanner.js';

type Phase = 'before' | 'empty line' | 'method' | 'target' | 'version' | 'line feed';

const PROTOCOL = Buffer.from('HTTP/');
/** Bytes from the blank behind the target to the end of the line: ` HTTP/1.1` and CRLF. */
const VERSION_LENGTH = 11;

/**
 * Checks the blanks and the protocol of a request line, byte by byte: `method SP target SP HTTP/…` and nothing else
 * (RFC 9112, section 3). Empty lines may stand before it (section 2.2). Everything else about it is left to Node's parser,
 * which takes any number of blanks, and RTSP and ICE for HTTP.
 */
export class RequestLineCheck {
  #phase: Phase = 'before';
  /** Bytes of the phase that have come. */
  #count = 0;

  /** Whether nothing of the line, or of an empty line before it, has come. */
  get rests(): boolean {
    return this.#phase === 'before';
  }

  /** Begins a new line. */
  reset(): void {
    this.#enter('before');
  }

  /**
   * Takes the bytes of `chunk` from `start` on.
   *
   * @returns where in `chunk` the line has ended, its CRLF included, or {@link MORE}
   * @throws {@link ProxyFailure} `bad_request`
   */
  push(chunk: Buffer, start: number): number {
    const end = this.#phase === 'before' ? plainLineEnd(chunk, start) : MORE;
    if (end !== MORE) return end;
    for (let position = start; position < chunk.length; position += 1) {
      if (this.#take(chunk[position] ?? 0)) return position + 1;
    }
    return MORE;
  }

  /** @returns whether the byte was the last one of the line */
  #take(byte: number): boolean {
    switch (this.#phase) {
      case 'before':
        this.#before(byte);
        return false;
      case 'empty line':
        expect(byte, LF);
        this.#enter('before');
        return false;
      case 'method':
        this.#word(byte, 'target');
        return false;
      case 'target':
        this.#word(byte, 'version');
        return false;
      case 'version':
        this.#version(byte);
        return false;
      case 'line feed':
        expect(byte, LF);
        return true;
    }
  }

  #before(byte: number): void {
    if (byte === CR) this.#enter('empty line');
    else {
      this.#enter('method');
      this.#word(byte, 'target');
    }
  }

  #word(byte: number, next: Phase): void {
    if (byte === CR || byte === LF) throw badRequest('request line that is not method, target and version');
    if (byte !== SPACE) this.#count += 1;
    else if (this.#count === 0) throw badRequest('blanks in the request line');
    else this.#enter(next);
  }

  #version(byte: number): void {
    if (byte === SPACE) throw badRequest('blanks in the request line');
    if (byte === CR) this.#enter('line feed');
    else {
      if (this.#count < PROTOCOL.length && byte !== PROTOCOL[this.#count]) throw badRequest('protocol other than HTTP');
      this.#count += 1;
    }
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#count = 0;
  }
}

/** Where an ordinary line that has come as a whole ends: most do, and cost no steps. */
function plainLineEnd(chunk: Buffer, start: number): number {
  const method = wordEnd(chunk, start);
  const target = wordEnd(chunk, method + 1);
  const end = target + VERSION_LENGTH;
  if (method === start || target <= method + 1 || end > chunk.length) return MORE;
  for (let index = 0; index < PROTOCOL.length; index += 1) {
    if (chunk[target + 1 + index] !== PROTOCOL[index]) return MORE;
  }
  return chunk[end - 2] === CR && chunk[end - 1] === LF ? end : MORE;
}

/** Where the blank behind a word of visible characters stands; the length of `chunk` if there is none. */
function wordEnd(chunk: Buffer, start: number): number {
  let position = start;
  while (position < chunk.length && (chunk[position] ?? 0) > SPACE) position += 1;
  return chunk[position] === SPACE ? position : chunk.length;
}

function expect(byte: number, wanted: number): void {
  if (byte !== wanted) throw badRequest('CR without LF');
}

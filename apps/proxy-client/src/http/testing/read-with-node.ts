import { request } from 'node:http';
import { Duplex } from 'node:stream';

/** What Node's own HTTP client made of an answer. */
export interface NodeAnswer {
  status?: number;
  headers?: string[];
  trailers?: string[];
  body: string;
  complete: boolean;
  /** The code of the error, if it refused. */
  refused?: string;
}

class OneAnswer extends Duplex {
  readonly #answer: Buffer;

  constructor(answer: Buffer) {
    super();
    this.#answer = answer;
  }

  override _read(): void {
    // The answer comes when the request was sent.
  }

  override _write(_chunk: unknown, _encoding: string, callback: () => void): void {
    callback();
    this.push(this.#answer);
    this.push(null);
  }
}

/** Reads one answer with node:http (llhttp, no lenient switch), the connection's end after it. */
export async function readWithNode(answer: Buffer, method: string): Promise<NodeAnswer> {
  const result: NodeAnswer = { body: '', complete: false };
  await new Promise<void>((resolve) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      result.refused = error.code ?? error.message;
      resolve();
    };
    const sent = request({ method, createConnection: () => new OneAnswer(answer), maxHeaderSize: 65_536 });
    sent.maxHeadersCount = 0;
    sent.on('error', refuse);
    sent.on('upgrade', () => {
      result.complete = true;
      resolve();
    });
    sent.on('response', (response) => {
      result.status = response.statusCode!;
      result.headers = response.rawHeaders;
      response.on('data', (chunk: Buffer) => (result.body += chunk.toString('latin1')));
      response.on('error', refuse);
      response.on('end', () => {
        result.complete = response.complete;
        result.trailers = response.rawTrailers;
        resolve();
      });
    });
    sent.end();
  });
  return result;
}

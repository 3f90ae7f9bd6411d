import { ServerResponse, type IncomingMessage } from 'node:http';

/** The constructor that `http.createServer` takes as its option `ServerResponse`. */
export type ResponseClass = typeof ServerResponse;

interface StoringResponse extends ServerResponse {
  /** Joins the head of an answer: the status line, then the headers. */
  _storeHeader(firstLine: string, headers: unknown): void;
}

const Base = ServerResponse as unknown as new (request: IncomingMessage) => StoringResponse;

/**
 * Makes the class of answers that all carry the same headers. Set one by one, a dozen constant headers are checked,
 * lower-cased and joined again for each answer, which costs more than reading an asset; here their finished text goes
 * out behind the status line. Node's documentation does not mention `_storeHeader`: tests that read the heads of all
 * kinds of answers stand for it.
 */
export function withFixedHeaders(headers: Readonly<Record<string, string>>): ResponseClass {
  const block = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  class FixedHeadersResponse extends Base {
    override _storeHeader(firstLine: string, others: unknown): void {
      super._storeHeader(firstLine + block, others);
    }
  }
  return FixedHeadersResponse as unknown as ResponseClass;
}

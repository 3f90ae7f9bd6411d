import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { notify } from '../../command-line.js';
import { ToolError } from '../../tool-error.js';

const NDJSON = 'application/x-ndjson';
const LINE_FEED = Buffer.from('\n');
/** Longest line of an answer, and most of a refusal that is read, in characters. Those of the API are far shorter. */
const MAX_ANSWER = 1024 * 1024;
/** The time without any data after which the user learns what the command waits for. */
const SILENCE_MS = 10_000;
/** Longest message of a server that is shown, in characters. */
const SHOWN_TEXT = 500;

/** The answer of the API to a line. */
export interface LineAnswer {
  /** Absent in a last answer, which states why the rest was not read. */
  readonly line?: number | undefined;
  readonly id?: string | undefined;
  readonly status: number;
  readonly replayed?: boolean | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

/** Where and how to upload. */
export interface UploadTarget {
  /** Of the API with its version, such as `http://127.0.0.1:3000/api/v1`. */
  readonly url: string;
  /** Of the list below the URL, such as `/assets`. */
  readonly path: string;
  readonly idempotencyKey: string;
  /** Of the caller; undefined without authentication. */
  readonly apiKey: string | undefined;
  /** PEM certificates of authorities that are trusted instead of the system's. */
  readonly ca: string | undefined;
}

/** An upload that stopped for a reason that may pass. */
export class UploadInterrupted extends ToolError {}

/**
 * Uploads lines and yields the answer to each, in their order.
 * @throws {@link UploadInterrupted}, {@link ToolError} for an upload that is refused, what the lines throw
 */
export async function* upload(
  lines: AsyncIterable<Uint8Array>,
  target: UploadTarget,
): AsyncGenerator<LineAnswer, void, undefined> {
  let sent = 0;
  let sourceError: Error | undefined;
  const body = async function* (): AsyncGenerator<Uint8Array> {
    const source = lines[Symbol.asyncIterator]();
    try {
      for (;;) {
        // Only errors of the lines: those of the connection are thrown at the yield.
        const next = await source.next().catch((error: unknown) => {
          sourceError = error as Error;
          throw error;
        });
        if (next.done === true) return;
        sent += 1;
        yield Buffer.concat([next.value, LINE_FEED]);
      }
    } finally {
      await source.return?.();
    }
  };
  let answered = 0;
  try {
    for await (const answer of exchange(body(), target)) {
      answered += 1;
      if (answered > sent) throw new ToolError(`${target.url} answered more lines than were sent: it is not the API.`);
      yield answer;
    }
  } catch (error) {
    if (sourceError !== undefined) throw sourceError;
    if (error instanceof ToolError) throw error;
    throw connectionError(error as NodeJS.ErrnoException, target.url);
  }
  if (answered < sent) throw new UploadInterrupted(`${target.url} ended its answer after ${answered} lines.`);
}

/** What a failed connection means, by its code. */
const CONNECTION_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no program listens there. Start ledger-api, or name its address with --url.',
  ECONNRESET: 'it was cut.',
  EHOSTUNREACH: 'the host is unreachable. Check the address after --url and the network.',
  ENETUNREACH: 'the network is unreachable. Check the address after --url.',
  EPIPE: 'it was cut.',
  ETIMEDOUT: 'the host does not answer. Check the address after --url and the network.',
};
/** What a connection that no further attempt can make means. */
const LASTING_FAULTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted. Name that certificate with --ca.',
  ENOTFOUND: 'the host name is unknown. Check the address after --url.',
  EPROTO: 'the server does not answer in TLS. Check http or https after --url.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is that of another host. Check the address after --url.',
  HPE_INVALID_CONSTANT: 'the server does not answer in HTTP. Check the port, and http or https, after --url.',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted. Name the one of its authority with --ca.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not trusted. Name the one of its authority with --ca.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted. Name the one of its authority with --ca.',
};

/** @param error - of a connection; that of a name with several addresses has a code, but no message */
function connectionError(error: NodeJS.ErrnoException, url: string): ToolError {
  const { code = '', message } = error;
  const lasting = LASTING_FAULTS[code];
  const reason = lasting ?? CONNECTION_FAULTS[code] ?? `${message === '' ? code : message}.`;
  const text = `The connection to ${url} failed: ${reason}`;
  return lasting === undefined ? new UploadInterrupted(text, { cause: error }) : new ToolError(text, { cause: error });
}

async function* exchange(
  body: AsyncIterable<Uint8Array>,
  { url, path, idempotencyKey, apiKey, ca }: UploadTarget,
): AsyncGenerator<LineAnswer, void, undefined> {
  const headers = {
    'content-type': NDJSON,
    accept: NDJSON,
    // The server accepts the head before the body is sent, or states why not.
    expect: '100-continue',
    'idempotency-key': idempotencyKey,
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const outgoing = send(`${url}${path}`, { method: 'POST', headers, agent: false, ...(ca !== undefined && { ca }) });
  outgoing.setTimeout(SILENCE_MS, () => {
    notify(`Waiting for ${url}, which has sent nothing for ${SILENCE_MS / 1000} s. Ctrl-C ends this command.`);
  });
  outgoing.flushHeaders();
  let sending: Promise<void> | undefined;
  outgoing.once('continue', () => {
    sending = pipeline(Readable.from(body, { objectMode: false }), outgoing);
    // A failure to send ends the answer too, which reports it.
    sending.catch(() => undefined);
  });
  try {
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw await refusalOf(response);
    yield* answersIn(response);
    await sending;
  } finally {
    outgoing.destroy();
  }
}

async function* answersIn(response: IncomingMessage): AsyncGenerator<LineAnswer, void, undefined> {
  response.setEncoding('utf8');
  let rest = '';
  for await (const chunk of response as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_ANSWER)
      throw new ToolError('The server answered a line that is too long: it is not the API.');
    for (const line of lines) {
      const answer = JSON.parse(line) as LineAnswer;
      if (!isAboutLine(answer)) throw errorOf(answer.status, answer.message ?? '');
      yield answer;
    }
  }
}

/** Returns whether an answer concerns one line, and not the ledger. */
function isAboutLine({ line, status }: LineAnswer): boolean {
  return line !== undefined && [201, 400, 413].includes(status);
}

async function refusalOf(response: IncomingMessage): Promise<ToolError> {
  response.setEncoding('utf8');
  let body = '';
  for await (const chunk of response as AsyncIterable<string>) {
    body += chunk;
    if (body.length > MAX_ANSWER) break;
  }
  let message = body.slice(0, SHOWN_TEXT);
  try {
    ({ message } = JSON.parse(body) as { readonly message: string });
  } catch {
    // Another server, such as a proxy.
  }
  return errorOf(response.statusCode ?? 0, message);
}

const PASSING: ReadonlySet<number> = new Set([408, 409, 429]);

function errorOf(status: number, message: string): ToolError {
  const what = `The server answered ${status}: ${message}`;
  return status >= 500 || PASSING.has(status) ? new UploadInterrupted(what) : new ToolError(what);
}

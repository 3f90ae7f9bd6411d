import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest, type Agent, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { isDocumented } from './documented-answers.js';
import { Program, type Ended, type ProgramOptions } from './program.js';

/** The fields of an asset, without its id, where a test does not care. */
export const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON, undefined when it is empty. */
  readonly json: unknown;
}

export interface CallOptions {
  /** An object goes out as JSON with its type; text and bytes as they are. */
  readonly body?: object | string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Keeps connections for the next calls. */
  readonly agent?: Agent;
}

/** Sends one request without an agent, on a new connection; the path is sent byte for byte. */
export async function call(origin: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { protocol, hostname, port } = new URL(origin);
  const { body, headers = {}, agent = false } = options;
  const isJson = typeof body === 'object' && !(body instanceof Uint8Array);
  const to = { host: hostname, port, method, path, agent, rejectUnauthorized: false };
  const type = isJson ? { 'content-type': 'application/json' } : {};
  const send = protocol === 'https:' ? httpsRequest : httpRequest;
  const outgoing = send({ ...to, headers: { ...type, ...headers } });
  outgoing.end(isJson ? JSON.stringify(body) : body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const received = await bodyOf(response);
  const isText = received === '' || response.headers['content-type']?.includes('/json') !== true;
  const json: unknown = isText ? undefined : JSON.parse(received);
  requireCode(json, response);
  requireDocumented(method, path, response);
  return { status: response.statusCode ?? 0, headers: response.headers, text: received, json };
}

/** A stream of events has no end: its head is all that is waited for. */
async function bodyOf(response: IncomingMessage): Promise<string> {
  if (response.headers['content-type'] !== 'text/event-stream') return text(response);
  response.destroy();
  return '';
}

/** Every error of every test has a code for programs. */
function requireCode(json: unknown, { headers, statusCode = 0 }: IncomingMessage): void {
  const isError = typeof json === 'object' && json !== null && 'success' in json && json.success === false;
  const code = headers['x-error-code'];
  const hasCode = typeof code === 'string' && /^(API|LEDGER)\.[A-Z_]+$/.test(code);
  if (hasCode ? statusCode < 400 : isError) {
    throw new Error(`An answer with X-Error-Code ${String(code)} is ${JSON.stringify(json)}.`);
  }
}

/** Every answer of every test is one that the API document knows. */
function requireDocumented(method: string, path: string, { headers, statusCode: status = 0 }: IncomingMessage): void {
  const code = headers['x-error-code'] as string | undefined;
  if (!isDocumented(method, path, { status, code })) {
    throw new Error(`${method} ${path} was answered with ${status} ${code ?? ''}, which the document does not have.`);
  }
}

/** The built ledger-api as a process on its own data directory, on free ports. */
export class LedgerApi {
  readonly program: Program;
  readonly dataDir: string;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** `https://127.0.0.1:PORT`, when https is on. */
  readonly secureOrigin: string | undefined;

  private constructor(program: Program, dataDir: string, urls: Readonly<Record<string, string>>) {
    this.program = program;
    this.dataDir = dataDir;
    this.origin = new URL(urls['http']!).origin;
    this.secureOrigin = urls['https'] === undefined ? undefined : new URL(urls['https']).origin;
  }

  static async start(
    env: Readonly<Record<string, string>> = {},
    dataDir?: string,
    options: Pick<ProgramOptions, 'openFiles'> = {},
  ): Promise<LedgerApi> {
    const directory = dataDir ?? (await mkdtemp(join(tmpdir(), 'ledger-api-e2e-')));
    const program = new Program({
      main: 'apps/ledger-api/bundle/lib/ledger-api.js',
      env: { LEDGER_DATA_DIR: directory, LEDGER_API_PORT: '0', LEDGER_API_HTTPS_PORT: '0', ...env },
      ...options,
    });
    return new LedgerApi(program, directory, await program.ready());
  }

  /** Calls a path of the API, such as `/assets`. */
  async api(method: string, path: string, options?: CallOptions): Promise<Answer> {
    return call(this.origin, method, `/api/v1${path}`, options);
  }

  async create(id: string, fields: object = {}): Promise<Answer> {
    return this.api('POST', '/assets', { body: { id, ...FIELDS, ...fields } });
  }

  /** Creates many assets by an upload, which takes one transaction for 500 of them. */
  async createMany(ids: readonly string[], fields: object = {}): Promise<void> {
    const body = ids.map((id) => `${JSON.stringify({ id, ...FIELDS, ...fields })}\n`).join('');
    const { text } = await this.api('POST', '/assets', { body, headers: { 'content-type': 'application/x-ndjson' } });
    if (!text.includes(`"created":${ids.length},`)) throw new Error(`Not every asset was created: ${text}`);
  }

  /** Ends the process and removes its data. */
  async stop(): Promise<Ended> {
    const ended = await this.program.end();
    await rm(this.dataDir, { recursive: true, force: true });
    return ended;
  }
}

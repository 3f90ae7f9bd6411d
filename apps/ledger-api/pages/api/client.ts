import createClient from 'openapi-fetch';
import { readServerTime } from '#pages-kit';
import type { components, paths } from '../../../../docs/openapi/ledger-api.js';
import { present } from '../routes/route.ts';
import { countOf, nextOf, type Page } from './paging.ts';
import { session } from './session.svelte.ts';

export type AcceptedTransaction = components['schemas']['AcceptedTransaction'];
export type Asset = components['schemas']['Asset'];
export type AssetVersion = components['schemas']['AssetVersion'];
export type Block = components['schemas']['Block'];
export type ChainInfo = components['schemas']['ChainInfoResponse'];
export type CreatedAssets = components['schemas']['CreatedAssets'];
export type CreatedAsset = components['schemas']['AssetTransaction'];
/** A record's document is any JSON. */
type WithDocument<Schema> = Omit<Schema, 'document'> & { readonly document: unknown };
export type RecordChange = WithDocument<components['schemas']['RecordChange']>;
export type RecordType = components['schemas']['RecordType'];
export type StoredRecord = WithDocument<components['schemas']['StoredDocument']>;
export type TransactionSummary = components['schemas']['TransactionSummary'];
export type UploadReport = components['schemas']['UploadReport'];

/** The API next to this page, also below the path of a reverse proxy. */
export const API_ROOT = new URL('api/v1', document.baseURI).href;

/** The first segments of paths that every channel has. */
const OF_CHANNEL =
  /^\/(blockchain|blocks|contracts|events|identities|record-types|records|search|transactions)(?=[/?]|$)/;

/**
 * Returns the URL of a path on the channel of the page that is shown.
 * @param path - on the default channel, relative to the API's root
 */
export function urlOf(path: string): string {
  const { channel } = present;
  return API_ROOT + (channel !== '' && OF_CHANNEL.test(path) ? `/channels/${channel}${path}` : path);
}

/** A typed client of every operation in the OpenAPI document, for the answers in JSON. */
export const client = createClient<paths, 'application/json'>({ baseUrl: API_ROOT });
client.use({
  onRequest: async ({ request }) => {
    if (session.key !== '') request.headers.set('x-api-key', session.key);
    const url = urlOf(request.url.slice(API_ROOT.length));
    if (url === request.url) return undefined;
    const { method, headers, signal } = request;
    // The body as text: a copied one is a stream, which browsers send by HTTP/2 only.
    return new Request(url, { method, headers, signal, body: method === 'GET' ? null : await request.text() });
  },
  onResponse: ({ response }) => {
    readServerTime(response);
  },
});

/** A request that failed: the API refused it, or no response arrived. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** The status of the response; 0 if there was none. */
  readonly status: number;
  /** The error code, such as `LEDGER.ASSET_EXISTS`; empty if there was no response. */
  readonly code: string;
  /** Seconds after which the request may be repeated. */
  readonly retryAfter: number | undefined;

  /** @param body - of the response; a proxy in front of the API may send one of another shape */
  constructor(response?: Response, body?: unknown) {
    super(response === undefined ? 'The server is unreachable.' : messageOf(response, body));
    const seconds = Number(response?.headers.get('retry-after') ?? NaN);
    this.status = response?.status ?? 0;
    this.code = response?.headers.get('x-error-code') ?? '';
    // A missing transaction may still be recorded (docs/repeatable-writes.md), which a page does not wait for.
    this.retryAfter = Number.isFinite(seconds) && this.status !== 404 ? seconds : undefined;
  }

  /** Whether the write may have been executed without a confirmation. It can be repeated with the same key. */
  get isOutcomeUnknown(): boolean {
    return this.status === 0 || this.code === 'LEDGER.OUTCOME_UNKNOWN' || this.code === 'LEDGER.KEY_IN_USE';
  }
}

function messageOf({ status }: Response, body: unknown): string {
  const { message } = (body ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' && message !== '' ? message : `The server responded with status ${status}.`;
}

/** The answer to a write with `Prefer: respond-async`, which no page sends. */
type Accepted = components['schemas']['AcceptedTransaction'];

interface Answer<Data> {
  readonly data?: { readonly data: Data | Accepted } | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * Returns the data and headers of a response.
 * @throws {@link ApiFailure} if the API refused the request, or no response arrived
 */
export async function send<Data>(request: Promise<Answer<Data>>): Promise<{ data: Data; headers: Headers }> {
  let answer: Answer<Data>;
  try {
    answer = await request;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiFailure();
  }
  const { data: body, error, response } = answer;
  if (response.ok && body !== undefined) return { data: body.data as Data, headers: response.headers };
  const failure = new ApiFailure(response, error);
  // The key has expired or was revoked.
  if (failure.status === 401 && session.key !== '') session.expire(failure.message);
  throw failure;
}

/** Returns the data of a response. @throws {@link ApiFailure} as {@link send} */
export async function read<Data>(request: Promise<Answer<Data>>): Promise<Data> {
  return (await send(request)).data;
}

/** Returns a page of a list. @throws {@link ApiFailure} as {@link send} */
export async function list<Item>(request: Promise<Answer<readonly Item[]>>): Promise<Page<Item>> {
  const { data: items, headers } = await send(request);
  const matches = countOf(headers);
  return { items, ...nextOf(headers), ...(matches !== undefined && { matches }) };
}

/**
 * Returns an asset and its ETag.
 * @param at - the number of the block after which the state is read; the present state if undefined, which alone has an ETag
 */
export async function readAsset(
  id: string,
  signal: AbortSignal | null = null,
  at?: string,
): Promise<{ asset: Asset; etag: string }> {
  const params = { path: { id }, ...(at !== undefined && { query: { at: Number(at) } }) };
  const { data, headers } = await send(client.GET('/assets/{id}', { params, signal }));
  return { asset: data, etag: headers.get('etag') ?? '' };
}

/** Returns a block. */
export async function readBlock(number: number, signal: AbortSignal): Promise<Block> {
  return read(client.GET('/blocks/{number}', { params: { path: { number } }, signal }));
}

/**
 * Returns a file, and its name if the API specifies one.
 * @param path - relative to the API's root
 * @throws {@link ApiFailure} as {@link send}
 */
export async function download(path: string, type: string): Promise<{ content: Blob; name: string | undefined }> {
  const headers = { accept: type, ...(session.key !== '' && { 'x-api-key': session.key }) };
  const request = fetch(urlOf(path), { headers }).then(async (response): Promise<Answer<Blob>> =>
    response.ok ? { data: { data: await response.blob() }, response } : { error: await response.json(), response },
  );
  const { data: content, headers: received } = await send(request);
  return { content, name: /filename="([\w.-]+)"/.exec(received.get('content-disposition') ?? '')?.[1] };
}

import createClient from 'openapi-fetch';
import type { components, paths } from '../../../../docs/openapi/ledger-api.js';
import { nextOf, type Page } from './paging.ts';
import { session } from './session.svelte.ts';

export type Asset = components['schemas']['Asset'];
export type AssetVersion = components['schemas']['AssetVersion'];
export type Block = components['schemas']['Block'];
export type TransactionSummary = components['schemas']['TransactionSummary'];

/** The API next to this page, also below the path of a reverse proxy. */
export const API_ROOT = new URL('api/v1', document.baseURI).href;

/** A typed client of every operation in the OpenAPI document. */
export const client = createClient<paths>({ baseUrl: API_ROOT });
client.use({
  onRequest: ({ request }) => {
    if (session.key !== '') request.headers.set('x-api-key', session.key);
  },
});

interface FailureDetails {
  readonly status?: number;
  readonly code?: string;
  readonly retryAfter?: number | undefined;
}

/** A request that failed: the API refused it, or no response arrived. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** The status of the response; 0 if there was none. */
  readonly status: number;
  /** The error code, such as `LEDGER.ASSET_EXISTS`; empty if there was no response. */
  readonly code: string;
  /** Seconds after which the request may be repeated. */
  readonly retryAfter: number | undefined;

  constructor(message: string, { status = 0, code = '', retryAfter }: FailureDetails = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }

  /** Whether the write may have been executed without a confirmation. It can be repeated with the same key. */
  get isOutcomeUnknown(): boolean {
    return this.status === 0 || this.code === 'LEDGER.OUTCOME_UNKNOWN' || this.code === 'LEDGER.KEY_IN_USE';
  }
}

/** Converts an error response. A proxy in front of the API may send bodies of another shape. */
export function failureOf(response: Response, body: unknown): ApiFailure {
  const message = typeof body === 'object' && body !== null && 'message' in body ? String(body.message) : '';
  const seconds = Number(response.headers.get('retry-after') ?? NaN);
  return new ApiFailure(message === '' ? `The server responded with status ${response.status}.` : message, {
    status: response.status,
    code: response.headers.get('x-error-code') ?? '',
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  });
}

interface Answer<Body> {
  readonly data?: Body;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * Returns the body and headers of a response.
 * @throws {@link ApiFailure} if the API refused the request, or no response arrived
 */
async function unwrap<Body>(request: Promise<Answer<Body>>): Promise<{ body: Body; headers: Headers }> {
  let answer: Answer<Body>;
  try {
    answer = await request;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiFailure('The server is unreachable.');
  }
  const { data, error, response } = answer;
  if (response.ok && data !== undefined) return { body: data, headers: response.headers };
  const failure = failureOf(response, error);
  // The key has expired or was revoked.
  if (failure.status === 401 && session.key !== '') session.signOut(failure.message);
  throw failure;
}

/** Returns the data and headers of a response. @throws {@link ApiFailure} as {@link unwrap} */
export async function send<Data>(
  request: Promise<Answer<{ readonly data: Data }>>,
): Promise<{ readonly data: Data; readonly headers: Headers }> {
  const { body, headers } = await unwrap(request);
  return { data: body.data, headers };
}

/** Returns the data of a response. @throws {@link ApiFailure} as {@link unwrap} */
export async function read<Data>(request: Promise<Answer<{ readonly data: Data }>>): Promise<Data> {
  return (await send(request)).data;
}

/** Returns a page of a list. @throws {@link ApiFailure} as {@link unwrap} */
export async function list<Item>(request: Promise<Answer<{ readonly data: readonly Item[] }>>): Promise<Page<Item>> {
  const { data: items, headers } = await send(request);
  return { items, ...nextOf(headers) };
}

/** Returns an asset and its ETag. */
export async function readAsset(id: string, signal?: AbortSignal): Promise<{ asset: Asset; etag: string }> {
  const options = { params: { path: { id } }, ...(signal !== undefined && { signal }) };
  const { data, headers } = await send(client.GET('/assets/{id}', options));
  return { asset: data, etag: headers.get('etag') ?? '' };
}

/** Returns a block. */
export async function readBlock(number: number, signal: AbortSignal): Promise<Block> {
  const request = client.GET('/blocks/{number}', { params: { path: { number } }, signal });
  // Without `Accept: application/octet-stream` the response is JSON.
  return read(request as Promise<Answer<{ readonly data: Block }>>);
}

/** A downloaded file, and its name if the API specifies one. */
export interface Download {
  readonly content: Blob;
  readonly name: string | undefined;
}

/** @throws {@link ApiFailure} as {@link unwrap} */
export async function download(url: string, type: string): Promise<Download> {
  const headers = { accept: type, ...(session.key !== '' && { 'x-api-key': session.key }) };
  const request = fetch(url, { headers }).then(async (response) =>
    response.ok ? { data: await response.blob(), response } : { error: (await response.json()) as unknown, response },
  );
  const { body, headers: received } = await unwrap(request);
  return { content: body, name: /filename="([\w.-]+)"/.exec(received.get('content-disposition') ?? '')?.[1] };
}

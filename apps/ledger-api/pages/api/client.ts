import createClient from 'openapi-fetch';
import type { components, paths } from '../../../../docs/openapi/ledger-api.js';
import { ApiFailure, failureOf, NO_ANSWER } from './failure.ts';
import { session } from './session.svelte.ts';

export type Asset = components['schemas']['Asset'];

/** One page of a list, and the token of the next one. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** The API beside this page, wherever a proxy in front has put both. */
export const API_ROOT = new URL('api/v1', document.baseURI).href;

/** Every operation of the API, with its types as the document has them. */
export const client = createClient<paths>({ baseUrl: API_ROOT });
client.use({
  onRequest: ({ request }) => {
    if (session.key !== '') request.headers.set('x-api-key', session.key);
  },
});

interface Answer<Body> {
  readonly data?: Body;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * What the API answered, and its headers.
 * @throws {@link ApiFailure} when it refused, or nobody answered
 */
export async function answered<Body>(request: Promise<Answer<Body>>): Promise<{ body: Body; headers: Headers }> {
  let answer: Answer<Body>;
  try {
    answer = await request;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiFailure(NO_ANSWER);
  }
  const { data, error, response } = answer;
  if (response.ok && data !== undefined) return { body: data, headers: response.headers };
  const failure = failureOf(response, error);
  // A key that is not taken any more is of no use; whoever looks after the callers may have replaced it.
  if (failure.status === 401 && session.key !== '') session.signOut(failure.message);
  throw failure;
}

/** The token that the Link header of a page names for the next one. */
export function nextOf(headers: Headers): { readonly next?: string } {
  const target = /<([^<>]*)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
  const query = new URLSearchParams(target?.split('?')[1]);
  const next = query.get('after') ?? query.get('before');
  return next === null ? {} : { next };
}

/** A file as the API gives it. */
export interface Downloaded {
  readonly content: Blob;
  /** What the API calls it. */
  readonly name: string | undefined;
}

/** @throws {@link ApiFailure} as {@link answered} */
export async function download(url: string, type: string): Promise<Downloaded> {
  const headers = { accept: type, ...(session.key !== '' && { 'x-api-key': session.key }) };
  const asked = fetch(url, { headers }).then(async (response) =>
    response.ok ? { data: await response.blob(), response } : { error: (await response.json()) as unknown, response },
  );
  const { body, headers: given } = await answered(asked);
  return { content: body, name: /filename="([\w.-]+)"/.exec(given.get('content-disposition') ?? '')?.[1] };
}

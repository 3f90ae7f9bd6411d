import { MAX_PAGE_SIZE, valueFault } from '#asset-contract';
import { InvalidRequestError } from '../http/api.errors.js';

/** Which page of the assets is asked for. */
export interface PageQuery {
  readonly limit: number;
  /** Id behind which the page begins; empty for the first page. */
  readonly after: string;
}

const PARAMETERS = ['limit', 'after'];
const DEFAULT_LIMIT = 100;

/**
 * Reads the query of GET /assets.
 * @returns undefined when there is none: the whole list is meant
 * @throws {@link InvalidRequestError} for a parameter that is unknown, given twice or not a value that the API made or takes
 */
export function parsePageQuery(query: Readonly<Record<string, unknown>>): PageQuery | undefined {
  const names = Object.keys(query);
  if (names.length === 0) return undefined;
  for (const name of names) {
    if (!PARAMETERS.includes(name)) {
      throw new InvalidRequestError(
        `Unknown query parameter ${JSON.stringify(name.slice(0, 64))}; use limit and after.`,
      );
    }
    if (typeof query[name] !== 'string') throw new InvalidRequestError(`The query parameter ${name} stands twice.`);
  }
  const { limit, after } = query as { readonly limit?: string; readonly after?: string };
  return {
    limit: limit === undefined ? DEFAULT_LIMIT : parseLimit(limit),
    after: after === undefined ? '' : parseToken(after),
  };
}

function parseLimit(text: string): number {
  const limit = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_PAGE_SIZE) return limit;
  throw new InvalidRequestError(`The query parameter limit must be a whole number from 1 to ${MAX_PAGE_SIZE}.`);
}

/** The token that stands for a ledger's bookmark in `?after=`. */
export function pageToken(bookmark: string): string {
  return Buffer.from(bookmark).toString('base64url');
}

function parseToken(token: string): string {
  const bookmark = Buffer.from(token, 'base64url').toString();
  if (pageToken(bookmark) === token && valueFault(bookmark) === undefined) return bookmark;
  throw new InvalidRequestError('The query parameter after must be the token of a Link header of this API.');
}

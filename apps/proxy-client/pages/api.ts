import createClient, { type Client } from 'openapi-fetch';
import { readServerTime, Secret } from '#pages-kit';
import type { components, paths } from '../../../docs/openapi/proxy-client.d.ts';

export type Denial = components['schemas']['Denial'];
export type Question = components['schemas']['Question'];
export type Grant = components['schemas']['Grant'];
export type HistorySample = components['schemas']['HistorySample'];
export type LastMinute = components['schemas']['LastMinute'];
export type Problems = components['schemas']['Problems'];
export type RejectedRequest = components['schemas']['RejectedRequest'];
export type RuleStatusList = components['schemas']['RuleStatusList'];
export type ScriptStatus = components['schemas']['ScriptStatus'];
export type ListStatus = components['schemas']['ListStatus'];
export type RouteExplanation = components['schemas']['RouteExplanation'];
export type CheckStep = components['schemas']['CheckStep'];
export type CheckEnd = components['schemas']['CheckEnd'];
export type UpstreamTest = components['schemas']['UpstreamTest'];
export type GroupStatus = components['schemas']['GroupStatus'];
export type FailureList = components['schemas']['FailureList'];
export type Stats = components['schemas']['Stats'];
export type LiveConnection = components['schemas']['LiveConnection'];
export type LiveConnectionList = components['schemas']['LiveConnectionList'];
export type FailureEntry = components['schemas']['FailureEntry'];
export type UpstreamList = components['schemas']['UpstreamList'];
export type UpstreamStatus = components['schemas']['UpstreamStatus'];
export type ListenerStatus = components['schemas']['ListenerStatus'];

/** The admin token, if the listener requires one. */
export const token = new Secret('admin-token');

/** The URL of the admin listener, without a trailing slash. */
export const BASE = new URL('.', document.baseURI).href.replace(/\/$/, '');

/** The short id of the token that the proxy accepted last, in its response header and in sessionStorage. */
const TOKEN_ID = 'x-admin-token-id';

/** Returns the headers that authenticate a request, and by which the proxy detects that its token has changed since. */
export function authorization(): Record<string, string> {
  const { value } = token;
  const id = sessionStorage.getItem(TOKEN_ID);
  return { ...(value !== undefined && { Authorization: `Bearer ${value}` }), ...(id !== null && { [TOKEN_ID]: id }) };
}

/** Returns whether the proxy refused a request because its token has changed. */
export function isTokenChanged({ headers }: Response): boolean {
  return headers.get('x-error-code') === 'ADMIN.TOKEN_CHANGED';
}

/** A typed client of the admin listener's API. */
export const api: Client<paths> = createClient<paths>({ baseUrl: BASE });

api.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(authorization())) request.headers.set(name, value);
  },
  onResponse({ response }) {
    readServerTime(response);
    const id = response.headers.get(TOKEN_ID);
    if (id !== null) sessionStorage.setItem(TOKEN_ID, id);
  },
});

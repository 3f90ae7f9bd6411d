import createClient, { type Client } from 'openapi-fetch';
import { Secret } from '#pages-kit';
import type { components, paths } from '../../../docs/openapi/proxy-client.d.ts';

export type Stats = components['schemas']['Stats'];
export type LiveConnection = components['schemas']['LiveConnection'];
export type LiveConnectionList = components['schemas']['LiveConnectionList'];
export type FailureEntry = components['schemas']['FailureEntry'];
export type UpstreamList = components['schemas']['UpstreamList'];
export type ListenerStatus = components['schemas']['ListenerStatus'];

/** The admin token, where one is asked for. */
export const token = new Secret('admin-token');

/** Where the pages of the admin listener are, without a slash at the end. */
export const BASE = new URL('.', document.baseURI).href.replace(/\/$/, '');

export function authorization(): Record<string, string> {
  const { value } = token;
  return value === undefined ? {} : { Authorization: `Bearer ${value}` };
}

/** The admin listener's API, as its document describes it. */
export const api: Client<paths> = createClient<paths>({ baseUrl: BASE });

api.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(authorization())) request.headers.set(name, value);
  },
});

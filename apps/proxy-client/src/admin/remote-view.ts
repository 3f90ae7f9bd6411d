import type { AdminConfig } from '../config/proxy-client-config.js';
import type { BoundAddress } from '../routing/rules/own-addresses.js';
import type { AccessRules } from './access-rules.js';
import type { ProxyView } from './proxy-view.js';
import type { Remote } from './thread-rpc.js';

/** The {@link ProxyView} on the thread of the pages, where each method is a remote call (docs/adr/0084). */
export type RemoteView = Remote<ProxyView>;

/** The injection token of the {@link RemoteView}. */
export const PROXY_VIEW = Symbol('ProxyView');

/** Where to listen: on the first free port up to `orUpTo`, or on `port` only. */
export type AdminAddress = Pick<AdminConfig, 'host' | 'port' | 'orUpTo'>;

/** The methods of the thread of the pages that the main thread calls. */
export interface PagesThread {
  /** Listens on the first port that is free; returns its address, or the error code. */
  listen(address: AdminAddress, access: AccessRules): Promise<BoundAddress | { readonly code: string }>;
  /** Applies other rules, also to open event streams. */
  setAccess(access: AccessRules): void;
  /** Sends the last event to all event streams, and resolves when they are closed. */
  drain(): Promise<void>;
}

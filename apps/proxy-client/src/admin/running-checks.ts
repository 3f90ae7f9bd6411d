import { Readable } from 'node:stream';
import type { CheckEnd, CheckStep } from './api/routes.responses.js';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import type { Grants } from '../routing/gate/grants.js';
import type { Target } from '../http/authority.js';
import type { OwnAddresses } from '../routing/rules/own-addresses.js';
import { checkUpstream, type CheckedUpstream, type ReportStep } from '../upstream/check-upstream.js';
import { explainRoute } from '../routing/explain-route.js';

/** The request that a check simulates. */
export interface CheckQuery {
  readonly target: Target;
  /** The user of the request; undefined for clients that are not authenticated. */
  readonly user: string | undefined;
  /** The address of the client that started the check: each may have one in progress. */
  readonly caller: string;
}

/** The state of the proxy that a check needs. */
export interface CheckedProxy {
  readonly config: ProxyClientConfig;
  readonly gate: { readonly grants: Grants };
  readonly own: OwnAddresses;
}

/** A step, or the end of a check. */
export type CheckEvent =
  | { readonly event: 'step'; readonly data: CheckStep }
  | { readonly event: 'end'; readonly data: CheckEnd };

interface RunningCheck {
  readonly caller: string;
  readonly aborting: AbortController;
  readonly events: AsyncIterator<CheckEvent>;
  isFinished: boolean;
}

const MAX_CHECKS = 8;
/** The time that a whole check may take. */
const TIMEOUT_MS = 30_000;
/** The limit of each step. */
const STEP_TIMEOUT_MS = 10_000;
/** How long the events of a finished check are available. */
const KEEP_MS = 10_000;

/** The checks that clients of the admin listener have started. */
export class RunningChecks {
  readonly #checks = new Map<number, RunningCheck>();
  #lastId = 0;

  /**
   * Starts to check the way of a request.
   *
   * @returns the id of the check; undefined while the caller has a check in progress, or too many are
   */
  begin(query: CheckQuery, proxy: CheckedProxy): number | undefined {
    const running = [...this.#checks.values()].filter(({ isFinished }) => !isFinished);
    if (running.length >= MAX_CHECKS || running.some(({ caller }) => caller === query.caller)) return undefined;
    const id = (this.#lastId += 1);
    const queue = new Readable({ objectMode: true, read: () => undefined });
    // An error is reported by the next call of next().
    queue.on('error', () => undefined);
    const aborting = new AbortController();
    const events = queue[Symbol.asyncIterator]() as AsyncIterator<CheckEvent>;
    const check: RunningCheck = { caller: query.caller, aborting, events, isFinished: false };
    this.#checks.set(id, check);
    void this.#run(query, proxy, AbortSignal.any([aborting.signal, AbortSignal.timeout(TIMEOUT_MS)]), queue).finally(
      () => {
        check.isFinished = true;
        setTimeout(() => this.#checks.delete(id), KEEP_MS).unref();
      },
    );
    return id;
  }

  /** Returns the next event of a check, when it happens; undefined after the last one. */
  async next(id: number): Promise<CheckEvent | undefined> {
    const result = await this.#checks.get(id)?.events.next();
    return result?.done === true ? undefined : result?.value;
  }

  /** Aborts a check, because its caller has disconnected. */
  abort(id: number): void {
    this.#checks.get(id)?.aborting.abort();
  }

  async #run(query: CheckQuery, proxy: CheckedProxy, signal: AbortSignal, queue: Readable): Promise<void> {
    const startedAt = performance.now();
    try {
      const isReached = await checkRoute(query, proxy, signal, (data) => queue.push({ event: 'step', data }));
      const ms = Math.round(performance.now() - startedAt);
      queue.push({ event: 'end', data: { result: isReached ? 'ok' : 'failed', ms } });
      queue.push(null);
    } catch (error) {
      queue.destroy(error as Error);
    }
  }
}

/** Checks the way that the rules select. @returns whether the target was reached */
async function checkRoute(
  { target, user, caller }: CheckQuery,
  { config, gate, own }: CheckedProxy,
  signal: AbortSignal,
  report: ReportStep,
): Promise<boolean> {
  const { decision, upstream, lines } = explainRoute(config, target, user, { own, grants: gate.grants });
  const result = decision === 'forwarded' ? 'ok' : 'failed';
  report({ step: 'route', upstream: null, result, detail: lines.at(-1) ?? '', ms: 0 });
  if (upstream === null) return false;
  const timeouts = { ...config.timeouts, connect: limited(config.timeouts.connect) };
  const context = {
    ...{ config, target, own, signal, client: { remoteAddress: caller, user: user?.normalize('NFC') } },
    timeouts: { ...timeouts, handshake: limited(config.timeouts.handshake) },
  };
  let isReached = false;
  for (const member of membersOf(upstream, config.upstreams)) {
    if (signal.aborted) break;
    if ((await checkUpstream(member, context, report)) === undefined) isReached = true;
  }
  return isReached;
}

/** Returns the upstreams to check: of a group all members. */
function membersOf(name: string, upstreams: ProxyClientConfig['upstreams']): readonly CheckedUpstream[] {
  const found = upstreams.find((each) => each.name === name);
  if (found === undefined) return [{ kind: 'embedded', name }];
  return found.kind === 'group' ? found.of.flatMap((member) => membersOf(member, upstreams)) : [found];
}

/** Limits a timeout; 0 means that the configuration has no limit. */
function limited(milliseconds: number): number {
  return milliseconds === 0 ? STEP_TIMEOUT_MS : Math.min(milliseconds, STEP_TIMEOUT_MS);
}

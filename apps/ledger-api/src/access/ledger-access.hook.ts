import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isLedgerError } from '#ledger-gateway';

/** Checks that the ledger accepts a caller's identity; rejects with the reason when it does not. */
export type Authorize = (caller: string) => Promise<void>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set for operations that return nothing of the ledger; they need no identity on the network. */
    readsNoLedger?: boolean;
  }
}

/**
 * Refuses callers whose identity the network bars. Blocks and transactions are read with the service's identity, so the
 * network itself would not refuse them. Runs after the role check.
 */
export function useLedgerAccess(instance: FastifyInstance, authorize: Authorize): void {
  instance.addHook('onRequest', (request, _reply, done) => {
    const { caller, routeOptions } = request;
    if (caller === undefined || routeOptions.config.readsNoLedger === true) {
      done();
      return;
    }
    authorize(caller.name).then(
      () => {
        done();
      },
      (error: unknown) => {
        done(isIgnored(request, error) ? undefined : (error as Error));
      },
    );
  });
}

/** A stream opens while the network is unreachable, and checks access before it sends anything. */
function isIgnored({ routeOptions }: FastifyRequest, error: unknown): boolean {
  return routeOptions.config.isStream === true && !isBarred(error);
}

/** Whether an error means that the ledger does not accept a caller. */
export function isBarred(error: unknown): boolean {
  return isLedgerError(error, 'LEDGER.CALLER_REFUSED') || isLedgerError(error, 'LEDGER.UNKNOWN_CALLER');
}

/**
 * Returns a function that reports whether the ledger still accepts a caller, for a response that continues. Each call
 * starts a check, whose result counts from the next call on; a network that cannot be reached changes nothing.
 */
export function accessLease(caller: string, authorize: Authorize): () => boolean {
  let isRefused = false;
  return () => {
    authorize(caller).catch((error: unknown) => {
      isRefused ||= isBarred(error);
    });
    return !isRefused;
  };
}

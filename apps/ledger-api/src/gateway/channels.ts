import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Ledger, type LedgerChannel, LedgerError } from '#ledger-gateway';

declare module 'fastify' {
  interface FastifyRequest {
    /** The channel of the path, or the default one; undefined for one that is not configured. */
    readonly ledgerChannel: LedgerChannel | undefined;
  }
}

/** The path of operations on one channel. */
const CHANNEL_PATH = 'channels/:channel';

/** Returns the paths of a controller that serves every channel: without a channel it is the default one. */
export function onEveryChannel(path = ''): string[] {
  return [path, path === '' ? CHANNEL_PATH : `${CHANNEL_PATH}/${path}`];
}

/** Injects the {@link LedgerChannel} of a request. */
export const OfChannel = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().ledgerChannel,
);

/** @throws `LEDGER.CHANNEL_UNKNOWN` for a channel that is not configured */
export function channelOf({ channels }: Ledger, name: string): LedgerChannel {
  const channel = channels.get(name);
  if (channel !== undefined) return channel;
  const text = `There is no channel ${JSON.stringify(name.slice(0, 64))}: LEDGER_CHANNELS does not list it.`;
  throw new LedgerError('LEDGER.CHANNEL_UNKNOWN', text);
}

/** Refuses channels that are not configured, after the access checks and before the body is read. */
export function useChannels(instance: FastifyInstance, ledger: Ledger): void {
  instance.decorateRequest('ledgerChannel', {
    getter(this: FastifyRequest) {
      const { channel } = this.params as { readonly channel?: string };
      return channel === undefined ? ledger : ledger.channels.get(channel);
    },
  });
  instance.addHook('onRoute', (route) => {
    // The answers to other methods need no login, and must not reveal which channels there are.
    if (!route.url.includes(`/${CHANNEL_PATH}/`) || route.config?.isOpen === true) return;
    const requireChannel = ({ params }: FastifyRequest, _reply: unknown, done: () => void): void => {
      channelOf(ledger, (params as { readonly channel: string }).channel);
      done();
    };
    route.onRequest = [route.onRequest ?? [], requireChannel].flat();
  });
}

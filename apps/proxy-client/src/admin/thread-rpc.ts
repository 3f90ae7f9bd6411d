import type { EventEmitter } from 'node:events';
import type { MessagePort, Worker } from 'node:worker_threads';

/** The methods of an object in another thread. Arguments and results are copied (structured clone). */
export type Remote<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

/** Returns the names of the methods of an object: its own, or those of its class. */
export function methodsOf(local: object): readonly string[] {
  const prototype: unknown = Object.getPrototypeOf(local);
  const ofClass = prototype === Object.prototype ? [] : Object.getOwnPropertyNames(prototype);
  return [...Object.keys(local), ...ofClass].filter((name) => name !== 'constructor');
}

type Message =
  | { readonly type: 'call'; readonly id: number; readonly method: string; readonly args: readonly unknown[] }
  | { readonly type: 'result'; readonly id: number; readonly value: unknown }
  | { readonly type: 'error'; readonly id: number; readonly reason: string };

/**
 * Connects two threads: the other one can call the methods of `local`. Each thread calls this once.
 *
 * @param names - the methods of the other thread
 * @returns an object whose methods call those of the other thread; they reject when that one throws or has exited
 */
export function connectThreads<Other extends object>(
  port: Worker | MessagePort,
  local: object,
  names: readonly (keyof Other & string)[],
): Remote<Other> {
  const events = port as unknown as EventEmitter;
  const calls = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  const methods = local as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

  async function answer({ id, method, args }: Extract<Message, { type: 'call' }>): Promise<void> {
    try {
      const value = await methods[method]?.(...args);
      port.postMessage({ type: 'result', id, value } satisfies Message);
    } catch (error) {
      port.postMessage({ type: 'error', id, reason: String(error) } satisfies Message);
    }
  }

  events.on('message', (message: Message) => {
    if (message.type === 'call') {
      void answer(message);
      return;
    }
    const call = calls.get(message.id);
    calls.delete(message.id);
    if (message.type === 'result') call?.resolve(message.value);
    else call?.reject(new Error(message.reason));
  });
  for (const event of ['exit', 'close'] as const) {
    events.on(event, () => {
      for (const call of calls.values()) call.reject(new Error('The other thread has exited.'));
      calls.clear();
    });
  }

  const call = async (method: string, args: readonly unknown[]): Promise<unknown> => {
    const id = (lastId += 1);
    const pending = Promise.withResolvers<unknown>();
    calls.set(id, pending);
    port.postMessage({ type: 'call', id, method, args } satisfies Message);
    return pending.promise;
  };
  const remote = names.map((name) => [name, async (...args: readonly unknown[]) => call(name, args)] as const);
  return Object.fromEntries(remote) as Remote<Other>;
}

import { CallSlots } from './call-slots.js';

/** A call that the test resolves. */
function gate(): { readonly work: () => Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return {
    work: () => promise,
    open: () => {
      resolve(undefined);
    },
  };
}

describe('slots for calls', () => {
  it('run up to the limit at once, the others in order of arrival', async () => {
    const slots = new CallSlots({ limit: 2, queueLimit: 10 });
    const gates = [gate(), gate(), gate(), gate()];
    const begun: number[] = [];
    const third = gate();
    const ends = gates.map(({ work }, index) =>
      slots.run(() => {
        begun.push(index);
        if (index === 2) third.open();
        return work();
      }),
    );
    expect(begun).toEqual([0, 1]);
    gates[1]!.open();
    await third.work();
    expect(begun).toEqual([0, 1, 2]);
    for (const { open } of gates) open();
    await Promise.all(ends);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it('refuse a call when the queue is full, without beginning it', async () => {
    const slots = new CallSlots({ limit: 1, queueLimit: 1 });
    const first = gate();
    const running = [slots.run(first.work), slots.run(() => Promise.resolve())];
    await expect(slots.run(() => Promise.reject(new Error('begun')))).rejects.toMatchObject({
      code: 'LEDGER.OVERLOADED',
    });
    first.open();
    await Promise.all(running);
  });

  it('release a slot when the work fails', async () => {
    const slots = new CallSlots({ limit: 1, queueLimit: 0 });
    await expect(slots.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    await expect(slots.run(() => Promise.resolve('next'))).resolves.toBe('next');
  });

  it('are idle when no call is in flight or queued', async () => {
    const slots = new CallSlots({ limit: 1, queueLimit: 1 });
    await slots.idle();
    const [first, second] = [gate(), gate()];
    const running = [slots.run(first.work), slots.run(second.work)];
    let isIdle = false;
    const idle = slots.idle().then(() => {
      isIdle = true;
    });
    first.open();
    await running[0];
    expect(isIdle).toBe(false);
    second.open();
    await running[1];
    await idle;
  });
});

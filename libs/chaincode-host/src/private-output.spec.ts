import { describe, expect, it } from '@jest/globals';
import { PrivateOutput, WITHHELD } from './private-output.js';

const secret = new Map([['price', Buffer.from('110 gold')]]);

describe('the output of a chaincode', () => {
  it.each(['Error: refused: 110 gold', '"110 \\gold"', Buffer.from('110 gold').toString('base64')])(
    'is withheld while a line repeats transient data, and after the call: %s',
    async (line) => {
      const output = new PrivateOutput();
      const { promise, resolve } = Promise.withResolvers<string>();
      const call = output.during(secret, () => promise);
      expect([output.shown(line, false), output.shown('another line', false)]).toEqual([WITHHELD, 'another line']);
      resolve('done');
      expect(await call).toBe('done');
      expect(output.shown(line, false)).toBe(WITHHELD);
    },
  );

  it('is withheld while a line repeats private values that a call has read', async () => {
    const output = new PrivateOutput();
    const { promise, resolve } = Promise.withResolvers<string>();
    const call = output.during(new Map(), (notePrivate) => {
      notePrivate(Buffer.from('110 gold'));
      notePrivate(Buffer.from('a name'));
      return promise;
    });
    const lines = ['for 110 gold', 'to a name', 'another line'];
    expect(lines.map((line) => output.shown(line, false))).toEqual([WITHHELD, WITHHELD, 'another line']);
    resolve('done');
    await call;
    expect(output.shown('for 110 gold', false)).toBe(WITHHELD);
    await output.during(new Map(), (notePrivate) => {
      for (let count = 0; count < 2000; count++) notePrivate(Buffer.from(`value ${count}`));
      return Promise.resolve();
    });
    expect(output.shown('another line', false)).toBe(WITHHELD);
  });

  it('is withheld when a line was cut, because the data may continue after its end', async () => {
    const output = new PrivateOutput();
    await output.during(secret, () => Promise.resolve());
    expect(output.shown('110 go …', true)).toBe(WITHHELD);
  });

  it('is withheld while more calls have transient data than are looked for', async () => {
    const output = new PrivateOutput();
    const calls = Array.from({ length: 1001 }, (_, n) => new Map([['n', Buffer.from(`value ${n}`)]]));
    await Promise.all(calls.map((transient) => output.during(transient, () => Promise.resolve())));
    expect(output.shown('a line', false)).toBe(WITHHELD);
  });

  it('is shown without transient data, also when a value is empty', async () => {
    const output = new PrivateOutput();
    await output.during(new Map(), () => Promise.resolve());
    expect(output.shown('110 gold …', true)).toBe('110 gold …');
    await output.during(new Map([['none', Buffer.alloc(0)]]), () => Promise.resolve());
    expect(output.shown('110 gold', false)).toBe('110 gold');
  });
});

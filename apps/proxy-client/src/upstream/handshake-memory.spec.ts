import { Method, Socks5Error, type Socks5ErrorCode } from '#socks5-protocol';
import { HandshakeMemory } from './handshake-memory.js';

const credentials = { username: 'me', password: 'secret' };
const error = (code: Socks5ErrorCode): Socks5Error => new Socks5Error(code, 'test');

function learned(clock?: () => number): HandshakeMemory {
  const memory = new HandshakeMemory('auto', credentials, false, clock);
  memory.succeeded(Method.password);
  expect(memory.beginProbe()).toBe(true);
  memory.probed(true);
  return memory;
}

describe('HandshakeMemory', () => {
  it('begins step by step with everything it could use, and offers the chosen method alone afterwards', () => {
    const memory = new HandshakeMemory('auto', credentials);
    expect(memory.plan()).toEqual({ offer: [0, 2], oneFlight: false });
    memory.succeeded(Method.none);
    expect(memory.plan()).toEqual({ offer: [0], oneFlight: false });
    expect(new HandshakeMemory('auto', credentials, true).plan()).toEqual({ offer: [2], oneFlight: false });
    expect(new HandshakeMemory('auto', undefined).plan()).toEqual({ offer: [0], oneFlight: false });
  });

  it('goes in one flight once a probe has shown that it may', () => {
    const memory = learned();
    expect(memory.plan()).toEqual({ offer: [2], oneFlight: true });
    expect(memory.oneFlight).toBe(true);
    expect(memory.beginProbe()).toBe(false);
  });

  it('probes once at a time, and only after a success', () => {
    const memory = new HandshakeMemory('auto', undefined);
    expect(memory.beginProbe()).toBe(false);
    memory.succeeded(Method.none);
    expect([memory.beginProbe(), memory.beginProbe()]).toEqual([true, false]);
  });

  it('waits longer after each probe that failed', () => {
    let now = 0;
    const memory = new HandshakeMemory('auto', undefined, false, () => now);
    memory.succeeded(Method.none);
    for (const pause of [30_000, 60_000, 120_000]) {
      expect(memory.beginProbe()).toBe(true);
      memory.probed(false);
      now += pause - 1;
      expect(memory.beginProbe()).toBe(false);
      now += 1;
    }
    expect(memory.plan().oneFlight).toBe(false);
  });

  it('is careful again after a timeout, and tries once more at once after a close', () => {
    const memory = learned();
    expect(memory.failed(memory.plan(), error('SOCKS5.TIMEOUT'))).toBe(false);
    expect(memory.plan()).toEqual({ offer: [2], oneFlight: false });
    const other = learned();
    expect(other.failed(other.plan(), error('SOCKS5.CLOSED'))).toBe(true);
    expect(other.carefulPlan()).toEqual({ offer: [2], oneFlight: false });
    expect(other.plan().oneFlight).toBe(false);
    other.exonerate();
    expect(other.plan().oneFlight).toBe(true);
  });

  it.each<Socks5ErrorCode>(['SOCKS5.REPLY', 'SOCKS5.UNREACHABLE', 'SOCKS5.CREDENTIALS_REFUSED', 'SOCKS5.PROTOCOL'])(
    'learns nothing about flights from %s',
    (code) => {
      const memory = learned();
      expect(memory.failed(memory.plan(), error(code))).toBe(false);
      expect(memory.plan().oneFlight).toBe(true);
    },
  );

  it.each<Socks5ErrorCode>(['SOCKS5.METHOD_REFUSED', 'SOCKS5.METHOD_NOT_OFFERED'])(
    'offers everything again when the method it had learned fails with %s',
    (code) => {
      const memory = learned();
      expect(memory.failed(memory.plan(), error(code))).toBe(true);
      expect(memory.carefulPlan()).toEqual({ offer: [0, 2], oneFlight: false });
      expect(memory.failed(memory.carefulPlan(), error(code))).toBe(false);
    },
  );

  it('does as it is told when it is not to learn', () => {
    const stepwise = new HandshakeMemory('stepwise', undefined);
    stepwise.succeeded(Method.none);
    expect(stepwise.beginProbe()).toBe(false);
    stepwise.exonerate();
    expect(stepwise.plan()).toEqual({ offer: [0], oneFlight: false });
    const oneFlight = new HandshakeMemory('oneflight', credentials);
    expect(oneFlight.plan()).toEqual({ offer: [2], oneFlight: true });
    expect(oneFlight.failed(oneFlight.plan(), error('SOCKS5.CLOSED'))).toBe(false);
    expect(oneFlight.plan().oneFlight).toBe(true);
    expect(new HandshakeMemory('oneflight', undefined).plan().offer).toEqual([0]);
  });
});

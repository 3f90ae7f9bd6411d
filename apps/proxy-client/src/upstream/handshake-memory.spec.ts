import { Method, Socks5Error, type Socks5ErrorCode } from '#socks5-protocol';
import { HandshakeMemory } from './handshake-memory.js';

const credentials = { username: 'me', password: 'secret' };
const error = (code: Socks5ErrorCode): Socks5Error => new Socks5Error(code, 'test', { phase: 'request' });

/** A memory whose probe has succeeded. */
function learned(): HandshakeMemory {
  const memory = new HandshakeMemory('auto', credentials);
  memory.succeeded(Method.password);
  memory.succeeded(Method.password, memory.plan());
  expect(memory.oneFlight).toBe(true);
  return memory;
}

describe('HandshakeMemory', () => {
  it('starts step by step with the full offer, and offers only the chosen method afterwards', () => {
    const memory = new HandshakeMemory('auto', credentials);
    expect(memory.plan()).toEqual({ offer: [0, 2], oneFlight: false });
    memory.succeeded(Method.none);
    expect(memory.carefulPlan()).toEqual({ offer: [0], oneFlight: false });
    expect(new HandshakeMemory('auto', credentials, true).plan()).toEqual({ offer: [2], oneFlight: false });
    expect(new HandshakeMemory('auto', undefined).plan()).toEqual({ offer: [0], oneFlight: false });
  });

  it('uses one flight once a probe has succeeded', () => {
    expect(learned().plan()).toEqual({ offer: [2], oneFlight: true });
  });

  it('probes with one request at a time, and only after a success', () => {
    const memory = new HandshakeMemory('auto', undefined);
    expect(memory.plan().isProbe).toBeUndefined();
    memory.succeeded(Method.none);
    expect([memory.plan(), memory.plan()]).toEqual([
      { offer: [0], oneFlight: true, isProbe: true },
      { offer: [0], oneFlight: false },
    ]);
  });

  it.each<Socks5ErrorCode>(['SOCKS5.TIMEOUT', 'SOCKS5.CLOSED'])(
    'does not probe for an hour after a probe failed with %s and its retry succeeded',
    (code) => {
      let now = 0;
      const memory = new HandshakeMemory('auto', undefined, false, () => now);
      memory.succeeded(Method.none);
      for (let probes = 0; probes < 2; probes += 1) {
        const probe = memory.plan();
        expect(probe.isProbe).toBe(true);
        expect(memory.failed(probe, error(code))).toBe(true);
        memory.succeeded(Method.none, memory.carefulPlan());
        memory.retrySucceeded(error(code));
        now += 3_600_000 - 1;
        expect(memory.plan()).toEqual({ offer: [0], oneFlight: false });
        now += 1;
      }
    },
  );

  it.each<Socks5ErrorCode>(['SOCKS5.ABORTED', 'SOCKS5.REPLY', 'SOCKS5.UNREACHABLE'])(
    'probes again after a probe that %s made inconclusive',
    (code) => {
      const memory = new HandshakeMemory('auto', undefined);
      memory.succeeded(Method.none);
      expect(memory.failed(memory.plan(), error(code))).toBe(false);
      expect(memory.plan().isProbe).toBe(true);
    },
  );

  it('probes again when the retry of a failed probe failed too', () => {
    const memory = new HandshakeMemory('auto', undefined);
    memory.succeeded(Method.none);
    const probe = memory.plan();
    expect(memory.failed(probe, error('SOCKS5.CLOSED'))).toBe(true);
    memory.retryFailed(probe, error('SOCKS5.CLOSED'), error('SOCKS5.CLOSED'));
    expect(memory.plan().isProbe).toBe(true);
  });

  it('does not trust one flight after a timeout, and retries at once after a close', () => {
    const memory = learned();
    expect(memory.failed(memory.plan(), error('SOCKS5.TIMEOUT'))).toBe(false);
    expect(memory.oneFlight).toBe(false);
    const other = learned();
    const plan = other.plan();
    expect(other.failed(plan, error('SOCKS5.CLOSED'))).toBe(true);
    expect(other.carefulPlan()).toEqual({ offer: [2], oneFlight: false });
    expect(other.oneFlight).toBe(false);
    other.retryFailed(plan, error('SOCKS5.CLOSED'), error('SOCKS5.CLOSED'));
    expect(other.plan()).toEqual({ offer: [2], oneFlight: true });
  });

  it('does not blame the flight for a TCP connection that timed out', () => {
    const memory = learned();
    expect(memory.failed(memory.plan(), new Socks5Error('SOCKS5.TIMEOUT', 'test', { phase: 'connect' }))).toBe(false);
    expect(memory.oneFlight).toBe(true);
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
    'offers everything again when the learned method fails with %s',
    (code) => {
      const memory = learned();
      expect(memory.failed(memory.plan(), error(code))).toBe(true);
      expect(memory.carefulPlan()).toEqual({ offer: [0, 2], oneFlight: false });
      expect(memory.failed(memory.carefulPlan(), error(code))).toBe(false);
    },
  );

  it('does not learn when the mode is configured', () => {
    const stepwise = new HandshakeMemory('stepwise', undefined);
    stepwise.succeeded(Method.none);
    expect(stepwise.plan()).toEqual({ offer: [0], oneFlight: false });
    const oneFlight = new HandshakeMemory('oneflight', credentials);
    expect(oneFlight.plan()).toEqual({ offer: [2], oneFlight: true });
    expect(oneFlight.failed(oneFlight.plan(), error('SOCKS5.CLOSED'))).toBe(false);
    expect(oneFlight.plan().oneFlight).toBe(true);
    expect(new HandshakeMemory('oneflight', undefined).plan().offer).toEqual([0]);
  });
});

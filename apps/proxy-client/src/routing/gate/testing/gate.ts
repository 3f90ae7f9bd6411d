import { Asks } from '../asks.js';
import { Denials } from '../denials.js';
import type { Gate } from '../gate.js';
import { Grants, type GrantListener } from '../grants.js';

const LIMITS = { timeout: 30_000, waiting: 100, waitingPerClient: 20, questions: 20, refusedFor: 300_000 };

/** A gate whose grants are reported to a test, if at all. */
export function testGate(listener: Partial<GrantListener> = {}): Gate {
  const grants = new Grants({ added: () => undefined, ended: () => undefined, ...listener });
  const asks = new Asks({
    ...{ grants, settings: () => LIMITS, isAttended: () => false },
    ...{ asked: () => undefined, ended: () => undefined },
  });
  return {
    ...{ asks, grants },
    denials: new Denials(() => Date.UTC(2026, 0, 31)),
  };
}

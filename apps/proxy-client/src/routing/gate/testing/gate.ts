import { Denials, type Gate } from '../denials.js';
import { Grants, type GrantListener } from '../grants.js';

/** A gate whose grants are reported to a test, if at all. */
export function testGate(listener: Partial<GrantListener> = {}): Gate {
  return {
    grants: new Grants({ added: () => undefined, ended: () => undefined, ...listener }),
    denials: new Denials(() => Date.UTC(2026, 0, 31)),
  };
}

import type { Check, Finding } from './finding.js';

/** Collects what is found about one block. */
export class BlockReport {
  readonly findings: Finding[] = [];
  readonly block: number;

  constructor(block: number) {
    this.block = block;
  }

  add(check: Check, what: string): void {
    this.findings.push({ block: this.block, check, what });
  }

  addTo(transaction: number, check: Check, what: string): void {
    this.findings.push({ block: this.block, transaction, check, what });
  }

  /** Whether something was found rather than the reason why not; the reason is noted. */
  accept<T extends object>(check: Check, found: T | string): found is T {
    if (typeof found !== 'string') return true;
    this.add(check, found);
    return false;
  }
}

import { readFileSync } from 'node:fs';
import { LedgerError } from '#ledger-gateway';
import { isQuorum, parsePolicy, type Policy } from '#tlog';

/**
 * Reads the trust policy of the witnesses.
 * @throws `LEDGER.MISCONFIGURED` when it cannot be read, or the witnesses of its quorum cannot be reached without URLs
 */
export function readPolicy(file: string): Policy {
  try {
    const policy = parsePolicy(readFileSync(file, 'utf8'));
    const reachable = policy.witnesses.filter(({ url }) => url !== undefined && URL.canParse(url));
    if (
      isQuorum(
        policy,
        reachable.map(({ name }) => name),
      )
    )
      return policy;
  } catch (error) {
    throw new LedgerError('LEDGER.MISCONFIGURED', `LEDGER_WITNESS_POLICY=${file}: ${(error as Error).message}.`);
  }
  const text = `LEDGER_WITNESS_POLICY=${file}: the witnesses of its quorum need URLs: witness NAME VKEY URL.`;
  throw new LedgerError('LEDGER.MISCONFIGURED', text);
}

import { readFileSync } from 'node:fs';
import { LedgerError } from '#ledger-gateway';
import { isQuorum, parsePolicy, type Policy } from '#tlog';

/**
 * Reads the trust policy of the witnesses.
 * @param setting - that names the file, for errors
 * @throws `LEDGER.MISCONFIGURED` when it cannot be read, or the witnesses of its quorum cannot be reached without URLs
 */
export function readPolicy(file: string, setting = 'LEDGER_WITNESS_POLICY'): Policy {
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
    throw new LedgerError('LEDGER.MISCONFIGURED', `${setting}=${file}: ${(error as Error).message}.`);
  }
  const text = `${setting}=${file}: the witnesses of its quorum need URLs: witness NAME VKEY URL.`;
  throw new LedgerError('LEDGER.MISCONFIGURED', text);
}

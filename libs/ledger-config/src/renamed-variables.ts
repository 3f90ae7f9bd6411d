/** Variables that were renamed, by their previous names. A previous name is accepted for one release. */
const RENAMED: Readonly<Record<string, string>> = {
  // Until 0.3.
  LEDGER_CHAINCODE_TWICE: 'LEDGER_CHAINCODE_CHECK_DETERMINISM',
};

/** Returns the environment with present names only, and a line for each variable that is set by its previous one. */
export function withPresentNames(given: NodeJS.ProcessEnv): {
  readonly environment: NodeJS.ProcessEnv;
  readonly lines: readonly string[];
} {
  const environment = { ...given };
  const lines = Object.entries(RENAMED).flatMap(([previous, present]) => {
    const value = environment[previous] ?? '';
    Reflect.deleteProperty(environment, previous);
    if (value === '') return [];
    const isSet = (environment[present] ?? '') !== '';
    if (!isSet) environment[present] = value;
    const effect = isSet ? `${present} is set too and is used` : 'the previous name is accepted until the next release';
    return [`${previous} was renamed ${present}: ${effect}.`];
  });
  return { environment, lines };
}

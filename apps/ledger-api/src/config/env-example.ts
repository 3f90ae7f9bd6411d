import { LedgerApiEnvironment } from './ledger-api.environment.js';
import { variablesOf } from './variable.decorator.js';

/** ledger-api's part of `.env.example`: each variable with its sentence and its default, commented out where there is none. */
export function envExample(): string {
  const defaults = new Map<string, string | number>(Object.entries(new LedgerApiEnvironment()));
  const entries = variablesOf(LedgerApiEnvironment).map(({ name, text }) => {
    const value = defaults.get(name);
    return `# ${text}\n${value === undefined ? `#${name}=` : `${name}=${value}`}\n`;
  });
  return entries.join('\n');
}

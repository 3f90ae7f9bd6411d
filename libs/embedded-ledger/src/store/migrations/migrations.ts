import { KEYS_WITHOUT_VALUES } from './003-keys-without-values.js';
import type { Migration } from './migration.js';

/** All migrations since `OLDEST_FORMAT`, in order. */
export const MIGRATIONS: readonly Migration[] = [KEYS_WITHOUT_VALUES];

/** The fields of a create. */
export const FIELDS = ['id', 'appraisedValue', 'color', 'owner', 'size'] as const;
/** Those without which the ledger refuses a create; it generates ids. */
export const REQUIRED_FIELDS = FIELDS.filter((field) => field !== 'id');
export type Field = (typeof FIELDS)[number];

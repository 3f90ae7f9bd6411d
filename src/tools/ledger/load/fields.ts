/** The fields of a create. */
export const FIELDS = ['id', 'appraisedValue', 'color', 'owner', 'size'] as const;
export type Field = (typeof FIELDS)[number];

/** A counter. */
export const count = { type: 'integer', minimum: 0 } as const;

/** A running time as text. */
export const uptime = {
  type: 'string',
  pattern: '^(\\d+h)?(\\d+m)?\\d+s$',
  description: 'Running time in hours, minutes and seconds.',
  example: '2h30m15s',
} as const;

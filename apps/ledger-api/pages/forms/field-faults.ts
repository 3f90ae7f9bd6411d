/** What is wrong with a form, and where. */
export interface Faults {
  /** By field, as the API put it. */
  readonly fields: Readonly<Record<string, string>>;
  /** What belongs to no field, or to more than the fields that are shown; empty when there is nothing. */
  readonly whole: string;
}

const REFUSED = /^The body is refused: (.*)\.$/s;

/**
 * Puts what the API says of a body beside the fields it speaks of: `The body is refused: color is missing; size must …`.
 * What does not read like that stays one sentence, so that nothing that the API says is ever lost.
 * @param fields - those of the form, by the names the API gives them
 */
export function faultsOf(message: string, fields: readonly string[]): Faults {
  const list = REFUSED.exec(message)?.[1];
  if (list === undefined) return { fields: {}, whole: message };
  const faults: Record<string, string> = {};
  for (const fault of list.split('; ')) {
    const field = fields.find((name) => fault.startsWith(`${name} `));
    if (field === undefined) return { fields: {}, whole: message };
    faults[field] = sentence(fault.slice(field.length + 1));
  }
  return { fields: faults, whole: '' };
}

/** `is missing` stands below its field, whose name it need not repeat. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

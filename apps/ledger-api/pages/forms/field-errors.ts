/** The errors of a form. */
export interface FormErrors {
  readonly fields: Readonly<Record<string, string>>;
  /** An error that does not belong to a field of the form; empty if there is none. */
  readonly form: string;
}

const BODY_ERRORS = /^The (?:request )?body is (?:refused|invalid): (.*)\.$/s;

/**
 * Assigns the API's errors to the fields of a form: `The body is refused: color is missing; size must …`. A message of another
 * form is returned as one error.
 * @param fields - their names in the API
 */
export function fieldErrors(message: string, fields: readonly string[]): FormErrors {
  const list = BODY_ERRORS.exec(message)?.[1];
  if (list === undefined) return { fields: {}, form: message };
  const errors: Record<string, string> = {};
  for (const error of list.split('; ')) {
    const field = fields.find((name) => error.startsWith(`${name} `));
    if (field === undefined) return { fields: {}, form: message };
    errors[field] = sentence(error.slice(field.length + 1));
  }
  return { fields: errors, form: '' };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

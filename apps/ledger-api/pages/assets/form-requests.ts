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

/**
 * The Idempotency-Key of a form. It stays the same while the content does, so that a repeated submission is executed once; other
 * content gets a new key, because the API refuses another write with the same key.
 */
export class IdempotencyKey {
  #content = '';
  #key = '';

  /** Returns the key of a write. @param write - identifies the write */
  for(write: unknown): string {
    const content = JSON.stringify(write);
    if (this.#key === '' || content !== this.#content) {
      this.#content = content;
      this.#key = randomKey();
    }
    return this.#key;
  }

  /** Makes the next write a new one, also with the same content. */
  renew(): void {
    this.#key = '';
  }
}

/** Returns 128 random bits. `crypto.randomUUID` is limited to secure contexts. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

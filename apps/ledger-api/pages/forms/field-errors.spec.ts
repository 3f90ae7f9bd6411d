import { describe, expect, it } from '@jest/globals';
import { fieldErrors } from './field-errors.js';

const FIELDS = ['id', 'owner', 'color', 'size', 'appraisedValue'];

describe('fieldErrors', () => {
  it('assigns each error to its field', () => {
    expect(fieldErrors('The body is refused: color must not be empty; size is missing.', FIELDS)).toEqual({
      fields: { color: 'Must not be empty.', size: 'Is missing.' },
      form: '',
    });
  });

  it.each([
    'The asset car-7 already exists.',
    'The body is refused: unknown field "owners" (it is called "owner" here).',
    'The body is refused: color must not be empty; and 3 more.',
    'The body is refused: ',
    '',
  ])('returns %j as one error', (message) => {
    expect(fieldErrors(message, FIELDS)).toEqual({ fields: {}, form: message });
  });
});

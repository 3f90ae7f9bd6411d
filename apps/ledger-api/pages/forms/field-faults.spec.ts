import { describe, expect, it } from '@jest/globals';
import { faultsOf } from './field-faults.js';

const FIELDS = ['id', 'owner', 'color', 'size', 'appraisedValue'];

describe('faultsOf', () => {
  it('puts each fault beside its field', () => {
    expect(faultsOf('The body is refused: color must not be empty; size is missing.', FIELDS)).toEqual({
      fields: { color: 'Must not be empty.', size: 'Is missing.' },
      whole: '',
    });
  });

  it.each([
    'The asset car-7 already exists.',
    'The body is refused: unknown field "owners" (it is called "owner" here).',
    'The body is refused: color must not be empty; and 3 more.',
    'The body is refused: ',
    '',
  ])('leaves %j as it is', (message) => {
    expect(faultsOf(message, FIELDS)).toEqual({ fields: {}, whole: message });
  });
});

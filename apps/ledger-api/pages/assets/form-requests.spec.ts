import { describe, expect, it } from '@jest/globals';
import { fieldErrors, IdempotencyKey } from './form-requests.js';

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

describe('IdempotencyKey', () => {
  it('returns the same key for the same write, and another one for another write', () => {
    const key = new IdempotencyKey();
    const first = key.for({ id: 'a', owner: 'Ana' });
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(key.for({ id: 'a', owner: 'Ana' })).toBe(first);
    const second = key.for({ id: 'a', owner: 'Ben' });
    expect(second).not.toBe(first);
    // The second write may have been executed meanwhile, so this is a third one.
    expect([first, second]).not.toContain(key.for({ id: 'a', owner: 'Ana' }));
  });

  it('returns a new key for the same content after a success', () => {
    const key = new IdempotencyKey();
    const first = key.for('a');
    key.renew();
    expect(key.for('a')).not.toBe(first);
  });
});

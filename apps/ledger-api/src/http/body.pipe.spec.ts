import { CreateAssetRequest, TransferAssetRequest } from '../assets/asset.dto.js';
import { ApiError } from './errors.js';
import { BodyPipe } from './body.pipe.js';

const pipe = new BodyPipe();

/** The pipe as Nest calls it for a handler's argument of that class. */
const reading = <T extends object>(metatype: new () => T) => ({
  transform: (body: unknown) => pipe.transform(body, { type: 'body', metatype }) as T,
});
const create = reading(CreateAssetRequest);
const transfer = reading(TransferAssetRequest);
const good = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };

describe('BodyPipe', () => {
  it('returns an instance of the DTO class with the sent fields', () => {
    const request = create.transform({ ...good, id: 'a b/ü' });
    expect(request).toBeInstanceOf(CreateAssetRequest);
    expect(Object.fromEntries(Object.entries(request))).toEqual({ ...good, id: 'a b/ü' });
    expect(create.transform(good).id).toBeUndefined();
  });

  it.each([
    [undefined, 'A JSON body is required.'],
    [null, 'The body must be a JSON object.'],
    [[], 'The body must be a JSON object.'],
    ['text', 'The body must be a JSON object.'],
    [7, 'The body must be a JSON object.'],
  ])('refuses %p', (body, message) => {
    expect(() => create.transform(body)).toThrow(new ApiError('API.INVALID_REQUEST', message));
  });

  it('lists every invalid field with the reason', () => {
    const body = { appraisedValue: 300, color: '', size: null, owner: 'o'.repeat(4097), colour: 'blue' };
    const refused = () => create.transform(body);
    expect(refused).toThrow(/appraisedValue must be a string, not a number/);
    expect(refused).toThrow(/color must not be empty/);
    expect(refused).toThrow(/size must be a string, not null/);
    expect(refused).toThrow(/owner must not exceed 4096 bytes/);
    expect(refused).toThrow(/unknown field "colour"/);
  });

  it.each(['appraisedValue', 'color', 'owner', 'size'])('requires %s', (field) => {
    const body = Object.fromEntries(Object.entries(good).filter(([name]) => name !== field));
    expect(() => create.transform(body)).toThrow(`${field} is missing`);
  });

  it.each([[['x']], [{ a: 'x' }], [true], [1.5]])('refuses %j as a value', (value) => {
    expect(() => transfer.transform({ newOwner: value })).toThrow('newOwner must be a string');
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf', 'ID', 'Id'])(
    'refuses the field %s, which the whitelist of class-validator accepts',
    (name) => {
      const body = JSON.parse(`{"newOwner":"x",${JSON.stringify(name)}:"y"}`) as object;
      expect(() => transfer.transform(body)).toThrow(`unknown field "${name}"`);
    },
  );

  it.each([
    ['ID', 'id'],
    ['Id', 'id'],
    ['AppraisedValue', 'appraisedValue'],
  ])('suggests for %s the field %s', (name, meant) => {
    expect(() => create.transform({ ...good, [name]: 'x' })).toThrow(
      `The body is refused: unknown field "${name}" (did you mean "${meant}"?).`,
    );
  });

  it.each(['', '.', '..', 'a\nb', '\u0000', '\u007f', '\u0085', '\ud800', 'é'.repeat(129), 'i'.repeat(257)])(
    'refuses the id %j',
    (id) => {
      expect(() => create.transform({ ...good, id })).toThrow(/id must not/);
    },
  );

  it.each(['__proto__', 'constructor', ' ', 'a/b', '%2F', '🚀', 'i'.repeat(256), 'é'.repeat(128), '...'])(
    'accepts the id %j',
    (id) => {
      expect(create.transform({ ...good, id }).id).toBe(id);
    },
  );

  it('refuses id null, although id is optional', () => {
    expect(() => create.transform({ ...good, id: null })).toThrow('id must be a string, not null');
  });

  it('counts 4,096 bytes of UTF-8, not characters', () => {
    expect(transfer.transform({ newOwner: 'é'.repeat(2048) }).newOwner).toHaveLength(2048);
    expect(() => transfer.transform({ newOwner: `${'é'.repeat(2048)}a` })).toThrow(
      'newOwner must not exceed 4096 bytes',
    );
  });

  it('refuses values nested 10,000 deep without overflowing the stack', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(10_000)}"x"${'}'.repeat(10_000)}`) as unknown;
    expect(() => transfer.transform({ newOwner: deep })).toThrow('newOwner must be a string, not an object');
    expect(() => transfer.transform(deep)).toThrow('unknown field "a"');
  });

  it('lists at most ten errors and truncates long names', () => {
    const body = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`${n}`.padStart(100, 'x'), '1']));
    expect(() => transfer.transform(body)).toThrow(/and 4991 more/);
    try {
      transfer.transform(body);
    } catch (error) {
      expect((error as Error).message.length).toBeLessThan(1000);
    }
    expect.assertions(2);
  });
});

import { ApiError } from '../http/errors.js';
import { idBefore, parsePosition } from './event-position.js';

describe('parsePosition', () => {
  it.each([
    [{}, undefined, undefined],
    [{}, '', undefined],
    [{ from: '0' }, undefined, { block: 0 }],
    [{ from: '12' }, '', { block: 12 }],
    [{}, '0:end', { block: 1 }],
    [{}, '999999999999999:end', { block: 1e15 }],
    [{}, '7:0:0', { block: 7, behind: { transaction: 0, event: 0 } }],
    [{ from: '3' }, '7:12:5', { block: 7, behind: { transaction: 12, event: 5 } }],
  ])('reads %j with Last-Event-ID %j', (query, id, position) => {
    expect(parsePosition(query, id)).toEqual(position);
  });

  it.each([
    '7',
    '7:',
    '7:0',
    '7:0:0:0',
    '7:end:',
    '7:END',
    '7:end ',
    ' 7:end',
    '-1:end',
    '+1:end',
    '07:end',
    '7:00:0',
    '7:0:1.5',
    '7:0:0x1',
    '7:0:0, 7:0:0',
    '1e3:end',
    '1000000000000000:end',
    '９:end',
    'end',
    'null',
    '\u0000',
    '9'.repeat(400),
  ])('refuses the id %j', (id) => {
    expect(() => parsePosition({}, id)).toThrow(expect.objectContaining({ code: 'API.INVALID_REQUEST' }));
    expect(() => parsePosition({ from: '1' }, id)).toThrow('Last-Event-ID');
  });

  it.each([
    [{ from: '' }, 'the number of a block'],
    [{ from: '-1' }, 'the number of a block'],
    [{ from: '01' }, 'the number of a block'],
    [{ from: 'end' }, 'the number of a block'],
    [{ from: '1e3' }, 'the number of a block'],
    [{ from: '1'.repeat(16) }, 'the number of a block'],
    [{ from: ['1', '2'] }, 'stands twice'],
    [{ form: '1' }, '"form"; use from'],
    [{ from: '1', lastEventId: '7:end' }, '"lastEventId"; use from'],
  ])('refuses the query %j, also beside an id', (query, text) => {
    expect(() => parsePosition(query, undefined)).toThrow(text);
    expect(() => parsePosition(query, '1:end')).toThrow(text);
  });
});

it.each(['0:end', '7:end', '7:0:0', '7:12:5'])('a position behind %s has that id', (id) => {
  expect(idBefore(parsePosition({}, id)!)).toBe(id);
});

it('has no id at the beginning of the chain', () => {
  expect(idBefore({ block: 0 })).toBeUndefined();
});

import { eventId, parsePosition } from './event-position.js';

describe('parsePosition', () => {
  it.each([
    [{}, undefined, undefined],
    [{}, '', undefined],
    [{ from: '0' }, undefined, { block: 0 }],
    [{ from: '12' }, '', { block: 12 }],
    [{}, '0:end', { block: 1, hash: undefined }],
    [{}, '0:end:0a1b2c3d', { block: 1, hash: '0a1b2c3d' }],
    [{}, '999999999999999:end', { block: 1e15, hash: undefined }],
    [{}, '7:0:0', { block: 7, after: '0:0', hash: undefined }],
    [{ from: '3' }, '7:12:5:ffffffff', { block: 7, after: '12:5', hash: 'ffffffff' }],
  ])('parses %j with Last-Event-ID %j', (query, id, position) => {
    expect(parsePosition(query, id)).toEqual(position);
  });

  it.each([
    '7',
    '7:',
    '7:0',
    '7:0:0:0',
    '7:0:0:0a1b2c3',
    '7:0:0:0a1b2c3d4',
    '7:0:0:0A1B2C3D',
    '7:end:0a1b2c3d:',
    '7:end:0a1b2c3g',
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
    expect(() => parsePosition({}, id)).toThrow(expect.objectContaining({ code: 'API.INVALID_REQUEST' }) as Error);
    expect(() => parsePosition({ from: '1' }, id)).toThrow('Last-Event-ID');
  });

  it.each([
    [{ from: '' }, 'must be a block number'],
    [{ from: '-1' }, 'must be a block number'],
    [{ from: '01' }, 'must be a block number'],
    [{ from: 'end' }, 'must be a block number'],
    [{ from: '1e3' }, 'must be a block number'],
    [{ from: '1'.repeat(16) }, 'must be a block number'],
    [{ from: ['1', '2'] }, 'appears more than once'],
    [{ form: '1' }, '"form"; use "from"'],
    [{ from: '1', lastEventId: '7:end' }, '"lastEventId"; use "from"'],
  ])('refuses the query %j, also with an id', (query, text) => {
    expect(() => parsePosition(query, undefined)).toThrow(text);
    expect(() => parsePosition(query, '1:end')).toThrow(text);
  });
});

it.each([
  ['end', '7:end:0a1b2c3d'],
  ['12:5', '7:12:5:0a1b2c3d'],
])('creates ids that contain the start of the block hash', (place, id) => {
  expect(eventId(7, place, `0a1b2c3d${'e'.repeat(56)}`)).toBe(id);
});

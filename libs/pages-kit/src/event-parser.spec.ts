import fc from 'fast-check';
import { EventParser, type ServerEvent } from './event-parser.js';

const STREAM =
  ': a comment\nretry: 250\n\nid: 1\nevent: stats\ndata: {"a":1}\n\ndata: one\r\ndata:two\r\n\r\nid: 3:0\rdata\r\revent: lost\n\ndata: x\nid: \0\nwrong: field\nretry: soon\n\n';
const EVENTS: ServerEvent[] = [
  { type: 'stats', data: '{"a":1}', id: '1' },
  { type: 'message', data: 'one\ntwo', id: '1' },
  { type: 'message', data: '', id: '3:0' },
  { type: 'message', data: 'x', id: '3:0' },
];

describe('EventParser', () => {
  it('parses events, ids and the retry time', () => {
    const parser = new EventParser();
    expect(parser.feed(STREAM)).toEqual(EVENTS);
    expect([parser.lastId, parser.retry]).toEqual(['3:0', 250]);
  });

  it('parses the same events however the text is split', () => {
    const seed = Date.now();
    const cuts = fc.array(fc.nat(STREAM.length), { maxLength: 12 });
    fc.assert(
      fc.property(cuts, (places) => {
        const parser = new EventParser();
        const sorted = [0, ...places.sort((a, b) => a - b), STREAM.length];
        const pieces = sorted.slice(1).map((end, index) => STREAM.slice(sorted[index], end));
        expect(pieces.flatMap((piece) => parser.feed(piece))).toEqual(EVENTS);
      }),
      { seed, verbose: true },
    );
  });

  it('buffers an incomplete event, and starts from the given id', () => {
    const parser = new EventParser('7');
    expect(parser.feed('data: half')).toEqual([]);
    expect(parser.feed('')).toEqual([]);
    expect(parser.feed(' done\n\n')).toEqual([{ type: 'message', data: 'half done', id: '7' }]);
  });
});

import { readAnswer, flat } from './testing/read-answers.js';

const OK = 'HTTP/1.1 200 OK\r\n';
const answer = (fields: string, body = '', line = OK) => `${line}${fields}\r\n${body}`;
const refused = (...pieces: string[]) => readAnswer(pieces).refused;

describe('ResponseReader: status line (RFC 9112, section 4)', () => {
  it.each([
    ['HTTP/1.1 200 OK\r\n', 200, 'OK'],
    ['HTTP/1.0 404 Not Found\r\n', 404, 'Not Found'],
    ['HTTP/1.1 200 \r\n', 200, ''],
    ['HTTP/1.1 200\r\n', 200, ''],
    ['HTTP/1.1 299 caf\xe9 \t x\r\n', 299, 'caf\xe9 \t x'],
    ['HTTP/1.1 999 Request denied\r\n', 999, 'Request denied'],
  ])('reads %j', (line, status, reason) => {
    const { head, complete } = readAnswer([answer('Content-Length: 0\r\n', '', line)]);
    expect([head?.status, head?.reason, complete]).toEqual([status, reason, true]);
  });

  it.each([
    'HTTP/0.9 200 OK\r\n',
    'HTTP/1.2 200 OK\r\n',
    'HTTP/2.0 200 OK\r\n',
    'http/1.1 200 OK\r\n',
    'HTTP/1.1  200 OK\r\n',
    'HTTP/1.1 20 OK\r\n',
    'HTTP/1.1 2000 OK\r\n',
    'HTTP/1.1 099 OK\r\n',
    'HTTP/1.1 2x0 OK\r\n',
    'HTTP/1.1 200OK\r\n',
    'HTTP/1.1 200 O\0K\r\n',
    'HTTP/1.1 200 O\x7fK\r\n',
    'HTTP/1.1 200 OK\n',
    'HTTP/1.1 200 OK\r\r\n',
    '\r\nHTTP/1.1 200 OK\r\n',
    'SSH-2.0-OpenSSH_9.2p1\r\n',
    'ICY 200 OK\r\n',
    '\x15\x03\x01\x00\x02\x02\x28',
  ])('refuses %j', (line) => {
    expect(refused(answer('Content-Length: 0\r\n', '', line))).toBe('malformed');
  });

  it('refuses what is no HTTP as soon as its first line is there, not only when the connection ends', () => {
    expect(readAnswer(['220 smtp ready\r\n', '\r\n'], { method: 'GET', ends: false }).refused).toBe('malformed');
    expect(readAnswer(['\x15\x03\x01'], { method: 'GET', ends: false }).refused).toBe('malformed');
  });
});

describe('ResponseReader: field lines (RFC 9112, section 5; RFC 9110, section 5)', () => {
  it('keeps order, case, repetition, blanks inside and bytes above 127', () => {
    const { head } = readAnswer([
      answer('X-b:1\r\nSet-Cookie: a=1 \t\r\nset-cookie:\t b; c\r\nX-\xc3: \r\n'.replace('\xc3', 'y')),
    ]);
    expect(flat(head!.lines)).toEqual(['X-b', '1', 'Set-Cookie', 'a=1', 'set-cookie', 'b; c', 'X-y', '']);
    expect(flat(readAnswer([answer('X: \x80\xff\r\n')]).head!.lines)).toEqual(['X', '\x80\xff']);
  });

  it.each([
    ['a blank before the colon', 'X : 1\r\n'],
    ['a folded line (section 5.2)', 'X: 1\r\n 2\r\n'],
    ['a fold of nothing but a tab', 'X: 1\r\n\t\r\n'],
    ['a blank before the first field (section 2.2)', ' X: 1\r\n'],
    ['a line without a colon', 'X\r\n'],
    ['an empty name', ': 1\r\n'],
    ['a name that is no token', 'X(: 1\r\n'],
    ['a name with a byte above 127', 'X\xe9: 1\r\n'],
    ['NUL in a value', 'X: a\0b\r\n'],
    ['a control character in a value', 'X: a\x01b\r\n'],
    ['DEL in a value', 'X: a\x7fb\r\n'],
    ['a bare LF as the line end (section 2.2)', 'X: 1\n'],
    ['a bare CR in a value (section 2.2)', 'X: 1\r2\r\n'],
  ])('refuses %s', (_, fields) => {
    expect(refused(answer(fields))).toBe('malformed');
  });

  it('refuses a bare LF as the empty line (section 2.2)', () => {
    expect(refused('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\n')).toBe('malformed');
  });

  it('accepts 5,000 fields, none dropped', () => {
    const fields = Array.from({ length: 5000 }, (_, index) => `X-${index}: ${index}\r\n`).join('');
    const { head } = readAnswer([answer(fields)], { method: 'GET', headerBytes: 1_048_576 });
    expect(head?.lines.length).toBe(5000);
    expect(flat(head!.lines).slice(-2)).toEqual(['X-4999', '4999']);
  });

  it('accepts a header section of exactly the limit and refuses one byte more, whole or in pieces', () => {
    const section = answer(`X: ${'y'.repeat(1000)}\r\nContent-Length: 0\r\n`);
    // The status line, the names and the values count.
    const limit = 'HTTP/1.1 200 OK'.length + 'X'.length + 1000 + 'Content-Length'.length + 1;
    const pieces = section.match(/.{1,7}/gs)!;
    expect(readAnswer([section], { method: 'GET', headerBytes: limit }).complete).toBe(true);
    expect(readAnswer(pieces, { method: 'GET', headerBytes: limit }).complete).toBe(true);
    expect(readAnswer([section], { method: 'GET', headerBytes: limit - 1 }).refused).toBe('header_too_large');
    expect(readAnswer(pieces, { method: 'GET', headerBytes: limit - 1 }).refused).toBe('header_too_large');
  });

  it('refuses a header that never ends once it is over the limit', () => {
    const pieces = ['HTTP/1.1 200 OK\r\nX: ', ...Array.from({ length: 20 }, () => 'y'.repeat(1000))];
    expect(readAnswer(pieces, { method: 'GET', headerBytes: 8192, ends: false }).refused).toBe('header_too_large');
  });
});

describe('ResponseReader: framing (RFC 9112, section 6)', () => {
  it('ends a body after Content-Length bytes and returns the position', () => {
    const read = readAnswer([answer('Content-Length: 5\r\n', 'helloHTTP/1.1')]);
    expect([read.body, read.complete, read.head?.reusable]).toEqual(['hello', true, true]);
    expect(read.consumed).toBe(answer('Content-Length: 5\r\n', 'hello').length);
  });

  it('reads everything to the end of the connection if there is no length (section 6.3, rule 8)', () => {
    const read = readAnswer([answer(''), 'abc', 'def']);
    expect([read.body, read.complete, read.head?.framing, read.head?.reusable]).toEqual([
      'abcdef',
      true,
      'close',
      false,
    ]);
  });

  it.each([
    ['HEAD', 200, ''],
    ['GET', 304, 'Content-Length: 10\r\n'],
    ['GET', 304, ''],
    ['GET', 204, ''],
  ])('knows that the answer to %s with %i and %j has no body (section 6.3, rule 1)', (method, status, fields) => {
    const read = readAnswer([answer(fields, '', `HTTP/1.1 ${status} X\r\n`)], { method, ends: false });
    expect([read.events.at(-1), read.body, read.head?.reusable]).toEqual(['complete', '', true]);
  });

  it.each([
    ['HEAD', 200, 'Content-Length: 10\r\n'],
    ['HEAD', 200, 'Transfer-Encoding: chunked\r\n'],
    ['GET', 204, 'Content-Length: 5\r\n'],
    ['GET', 304, 'Transfer-Encoding: chunked\r\n'],
  ])('ends %s with %i and %j at the header, but never uses the connection again', (method, status, fields) => {
    const read = readAnswer([answer(fields, '', `HTTP/1.1 ${status} X\r\n`)], { method, ends: false });
    expect([read.complete, read.head?.reusable]).toEqual([true, false]);
  });

  it.each([
    ['two that differ (section 6.3, rule 5)', 'Content-Length: 5\r\nContent-Length: 6\r\n'],
    ['two that agree', 'Content-Length: 5\r\nContent-Length: 5\r\n'],
    ['a list', 'Content-Length: 5, 5\r\n'],
    ['a sign', 'Content-Length: +5\r\n'],
    ['a minus', 'Content-Length: -5\r\n'],
    ['hexadecimal', 'Content-Length: 0x5\r\n'],
    ['nothing', 'Content-Length:\r\n'],
    ['letters', 'Content-Length: five\r\n'],
    ['a blank inside', 'Content-Length: 5 5\r\n'],
    ['2^53', 'Content-Length: 9007199254740992\r\n'],
    ['2^64', 'Content-Length: 18446744073709551616\r\n'],
    ['with Transfer-Encoding (section 6.3, rule 3)', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'],
    ['behind Transfer-Encoding (section 6.3, rule 3)', 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n'],
  ])('refuses a Content-Length that is %s', (_, fields) => {
    expect(refused(answer(fields, 'hello'))).toBe('malformed');
  });

  it.each([
    'xchunked',
    '"chunked"',
    'chunked;q=1',
    'gzip, chunked',
    'chunked, gzip',
    'chunked, chunked',
    'chunked,',
    ',chunked',
    'identity',
    'gzip',
    'c hunked',
    'chunked\t',
    '',
  ])('refuses Transfer-Encoding %j (section 6.1)', (value) => {
    expect(refused(answer(`Transfer-Encoding: ${value}\r\n`, '0\r\n\r\n'))).toBe('malformed');
  });

  it.each(['chunked', 'Chunked', 'CHUNKED', '\tchunked '])(
    'accepts Transfer-Encoding %j in any case (section 7)',
    (value) => {
      const read = readAnswer([answer(`Transfer-Encoding: ${value}\r\n`, '2\r\nhi\r\n0\r\n\r\n')]);
      expect([read.body, read.complete]).toEqual(['hi', true]);
    },
  );

  it('refuses Transfer-Encoding twice, in HTTP/1.0, in 204 and in 1xx (section 6.1)', () => {
    const chunked = 'Transfer-Encoding: chunked\r\n';
    expect(refused(answer(chunked + chunked, '0\r\n\r\n'))).toBe('malformed');
    expect(refused(answer(chunked, '0\r\n\r\n', 'HTTP/1.0 200 OK\r\n'))).toBe('malformed');
    expect(refused(answer(chunked, '0\r\n\r\n', 'HTTP/1.1 204 X\r\n'))).toBe('malformed');
    expect(refused(answer(chunked, '', 'HTTP/1.1 103 X\r\n'))).toBe('malformed');
  });

  it.each([
    ['HTTP/1.1 200 OK\r\n', '', true],
    ['HTTP/1.1 200 OK\r\n', 'Connection: close\r\n', false],
    ['HTTP/1.1 200 OK\r\n', 'Connection: x, Close\r\n', false],
    ['HTTP/1.1 200 OK\r\n', 'Connection: x\r\nConnection: CLOSE\r\n', false],
    ['HTTP/1.0 200 OK\r\n', '', false],
    ['HTTP/1.0 200 OK\r\n', 'Connection: Keep-Alive\r\n', true],
  ])('knows from %j and %j whether the connection persists (section 9.3)', (line, fields, reusable) => {
    expect(readAnswer([answer(`${fields}Content-Length: 0\r\n`, '', line)]).head?.reusable).toBe(reusable);
  });
});

describe('ResponseReader: chunked (RFC 9112, section 7.1)', () => {
  const chunked = (body: string) => answer('Transfer-Encoding: chunked\r\n', body);

  it('decodes chunks, extensions and trailers', () => {
    const read = readAnswer([
      chunked('5;a;b=c;d="e;\\"f"\r\nhello\r\n00A\r\n0123456789\r\n0\r\nX-Sum: 1\r\nY:2\r\n\r\nrest'),
    ]);
    expect([read.body, read.trailers, read.complete]).toEqual(['hello0123456789', ['X-Sum', '1', 'Y', '2'], true]);
  });

  it.each([
    ['no size', '\r\nhello\r\n'],
    ['a size that is no number', 'g\r\nhello\r\n'],
    ['a size with a prefix', '0x5\r\nhello\r\n'],
    ['a negative size', '-5\r\nhello\r\n'],
    ['a blank behind the size', '5 \r\nhello\r\n'],
    ['a blank before the size', ' 5\r\nhello\r\n'],
    ['a bare LF behind the size', '5\nhello\r\n'],
    ['a bare LF behind the data', '5\r\nhello\n0\r\n\r\n'],
    ['data longer than its size', '5\r\nhello!\r\n0\r\n\r\n'],
    ['data shorter than its size', '5\r\nhell\r\n0\r\n\r\n'],
    ['size 2^53', '20000000000000\r\nhello\r\n'],
    ['size 2^64 - 1', 'FFFFFFFFFFFFFFFF\r\nhello\r\n'],
    ['size 2^64', '10000000000000000\r\nhello\r\n'],
    ['a size of 20 digits', '00000000000000000005\r\nhello\r\n'],
    ['a blank before the extension', '5 ;a\r\nhello\r\n'],
    ['an empty extension', '5;\r\nhello\r\n'],
    ['a control character in an extension', '5;a=\x01\r\nhello\r\n'],
    ['an open quote in an extension', '5;a="b\r\nhello\r\n'],
    ['a bare LF in an extension', '5;a=b\nhello\r\n'],
    ['Content-Length in the trailer (RFC 9110, section 6.5.1)', '0\r\nContent-Length: 5\r\n\r\n'],
    ['Transfer-Encoding in the trailer (RFC 9110, section 6.5.1)', '0\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a folded trailer', '0\r\nX: 1\r\n 2\r\n\r\n'],
  ])('refuses %s', (_, body) => {
    expect(refused(chunked(body))).toBe('malformed');
  });

  it.each(['80000000', 'FFFFFFFF', '1FFFFFFFFFFFFF'])('counts a chunk of %s bytes', (size) => {
    const read = readAnswer([chunked(`${size}\r\nhello`)], { method: 'GET', ends: false });
    expect([read.body, read.refused, read.complete]).toEqual(['hello', undefined, false]);
  });

  it('cuts extensions that never end (CVE-2024-22019)', () => {
    const pieces = [chunked('5;a='), ...Array.from({ length: 17 }, () => 'x'.repeat(1000))];
    expect(readAnswer(pieces, { method: 'GET', ends: false }).refused).toBe('malformed');
    expect(refused(chunked(`1;a=${'x'.repeat(16_400)}\r\ny\r\n0\r\n\r\n`))).toBe('malformed');
  });

  it('accepts any number of chunks with extensions, as a server that signs each chunk sends them', () => {
    const many = chunked(`${`1;s=${'x'.repeat(16_000)}\r\ny\r\n`.repeat(200)}0\r\n\r\n`);
    expect(readAnswer([many])).toMatchObject({ complete: true, body: 'y'.repeat(200) });
  });

  it('refuses a trailer section over the limit', () => {
    const body = `0\r\n${`X: ${'y'.repeat(100)}\r\n`.repeat(10)}\r\n`;
    expect(readAnswer([chunked(body)], { method: 'GET', headerBytes: 500 }).refused).toBe('header_too_large');
  });
});

describe('ResponseReader: interim answers (RFC 9110, section 15.2)', () => {
  it.each([
    [200, undefined],
    [201, 'malformed'],
  ])('of which there may be 200 (%d)', (count, fault) => {
    const interim = 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(count);
    expect(refused(`${interim}HTTP/1.1 204 No Content\r\n\r\n`)).toBe(fault);
  });

  it('passes each 1xx on and continues with the final answer', () => {
    const { events } = readAnswer([
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
      answer('Content-Length: 0\r\n'),
    ]);
    expect(events).toEqual(['informational 100', 'informational 103', 'head 200', 'complete']);
  });

  it.each(['HTTP/1.1 100 Continue\r\nConnection: close\r\n\r\n', 'HTTP/1.0 100 Continue\r\n\r\n'])(
    'refuses %j: what follows it would belong to no connection',
    (interim) => {
      expect(refused(interim, answer('Content-Length: 0\r\n'))).toBe('malformed');
    },
  );

  it('switches protocols only when asked, to what was asked for (RFC 9110, section 7.8)', () => {
    const switching = (fields: string) => `HTTP/1.1 101 Switching Protocols\r\n${fields}\r\nbytes of the new protocol`;
    const websocket = switching('Connection: Upgrade\r\nUpgrade: WebSocket\r\n');
    const read = readAnswer([websocket], { method: 'GET', switchesTo: 'websocket' });
    expect([read.events, websocket.slice(read.consumed)]).toEqual([
      ['switched WebSocket'],
      'bytes of the new protocol',
    ]);
    expect(readAnswer([websocket], { method: 'GET' }).refused).toBe('malformed');
    expect(readAnswer([websocket], { method: 'GET', switchesTo: 'h2c' }).refused).toBe('malformed');
    expect(readAnswer([switching('Upgrade: websocket\r\n')], { method: 'GET', switchesTo: 'websocket' }).refused).toBe(
      'malformed',
    );
    expect(readAnswer([switching('Connection: Upgrade\r\n')], { method: 'GET', switchesTo: 'websocket' }).refused).toBe(
      'malformed',
    );
  });
});

describe('ResponseReader: the end of the connection (RFC 9112, section 8)', () => {
  it.each([
    ['before a byte', []],
    ['in the status line', ['HTTP/1.1 2']],
    ['in the header', ['HTTP/1.1 200 OK\r\nX: 1\r\n']],
    ['in a counted body', [answer('Content-Length: 5\r\n', 'hell')]],
    ['in a chunk', [answer('Transfer-Encoding: chunked\r\n', '5\r\nhell')]],
    ['before the last chunk', [answer('Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n')]],
    ['in the trailer', [answer('Transfer-Encoding: chunked\r\n', '0\r\nX: 1\r\n')]],
    ['behind an interim answer', ['HTTP/1.1 100 Continue\r\n\r\n']],
  ])('is too early %s', (_, pieces) => {
    const read = readAnswer(pieces);
    expect([read.refused, read.complete]).toEqual(['incomplete', false]);
  });
});

describe('ResponseReader: pieces of any size', () => {
  const answers = [
    answer('Content-Length: 5\r\nX: a b \r\n', 'hello'),
    answer('Transfer-Encoding: chunked\r\n', '5;a="b c"\r\nhello\r\n1\r\n!\r\n0\r\nX-T: 1\r\n\r\n'),
    `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${answer('Content-Length: 0\r\n')}`,
    answer('', 'to the end'),
  ];

  it.each(answers)('reads %j alike, split at every byte and byte by byte', (text) => {
    const whole = readAnswer([text]);
    expect(whole.complete).toBe(true);
    const alike = (pieces: string[]) => {
      const { head, ...rest } = readAnswer(pieces);
      const { head: wholeHead, ...wholeRest } = whole;
      expect(rest).toEqual(wholeRest);
      expect(flat(head!.lines)).toEqual(flat(wholeHead!.lines));
    };
    for (let split = 1; split < text.length; split += 1) alike([text.slice(0, split), text.slice(split)]);
    alike(text.match(/./gs)!);
  });
});

import { parseTraceParent } from './trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('parseTraceParent', () => {
  it('parses version 00, and later versions with further parts', () => {
    const parent = { traceId: TRACE, spanId: SPAN, flags: 1 };
    expect(parseTraceParent(`00-${TRACE}-${SPAN}-01`)).toEqual(parent);
    expect(parseTraceParent(`cc-${TRACE}-${SPAN}-01-what-comes-later`)).toEqual(parent);
    expect(parseTraceParent(`00-${TRACE}-${SPAN}-fe`)).toEqual({ ...parent, flags: 0xfe });
  });

  it.each([
    ['nothing', undefined],
    ['an empty header', ''],
    ['version ff', `ff-${TRACE}-${SPAN}-01`],
    ['further parts in version 00', `00-${TRACE}-${SPAN}-01-more`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['capital letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['no flags', `00-${TRACE}-${SPAN}`],
    ['a repeated header', [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`]],
    ['an endless header', `01-${TRACE}-${SPAN}-01-${'x'.repeat(10_000)}`],
  ])('ignores %s', (_, header) => {
    expect(parseTraceParent(header)).toBeUndefined();
  });
});

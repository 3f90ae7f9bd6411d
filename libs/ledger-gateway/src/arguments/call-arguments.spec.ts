import { describe, expect, it } from '@jest/globals';
import { argumentBytes, isSameArgument, textArguments } from './call-arguments.js';

describe('arguments of a call', () => {
  it('are Buffers of text in UTF-8, or of their own bytes', () => {
    expect(argumentBytes('é')).toEqual(Buffer.from([0xc3, 0xa9]));
    const view = new Uint8Array(Uint8Array.of(1, 2, 3, 4).buffer, 1, 2);
    expect(argumentBytes(view)).toEqual(Buffer.from([2, 3]));
  });

  it('are the same by their bytes', () => {
    expect(isSameArgument('é', Uint8Array.of(0xc3, 0xa9))).toBe(true);
    expect(isSameArgument(Uint8Array.of(0xff), Uint8Array.of(0xff))).toBe(true);
    expect(isSameArgument(Uint8Array.of(0xff), '\ufffd')).toBe(false);
    expect(isSameArgument('a', 'b')).toBe(false);
  });

  it('are text for a chaincode that reads text, unless they are not UTF-8', () => {
    expect(textArguments({ arguments: ['a', Uint8Array.of(0xc3, 0xa9)] })).toEqual(['a', 'é']);
    expect(() => textArguments({ arguments: ['a', Uint8Array.of(0xff)] })).toThrow(
      expect.objectContaining({
        code: 'LEDGER.INVALID_ARGUMENT',
        message: 'argument 2 must be text in UTF-8',
      }),
    );
  });
});

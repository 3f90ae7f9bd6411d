import { clientErrorFailure } from './client-error.js';

const error = (code: string, reason?: string) => Object.assign(new Error('Parse Error'), { code, reason });

describe('clientErrorFailure', () => {
  it.each([
    ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
    ['HPE_HEADER_OVERFLOW', 'request_header_too_large'],
    ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'bad_request'],
    ['HPE_INVALID_METHOD', 'bad_request'],
    ['HPE_INVALID_EOF_STATE', 'bad_request'],
  ])('reads %s as %s', (code, category) => {
    expect(clientErrorFailure(error(code))?.category).toBe(category);
  });

  it('keeps the reason of the parser', () => {
    expect(clientErrorFailure(error('HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size'))?.facts).toEqual({
      detail: 'Invalid character in chunk size',
    });
  });

  it.each(['ECONNRESET', 'EPIPE', ''])('gives nothing for %j: there is nobody to answer', (code) => {
    expect(clientErrorFailure(error(code))).toBeUndefined();
    expect(clientErrorFailure(new Error('no code'))).toBeUndefined();
  });
});

import { describe, expect, it } from '@jest/globals';
import { withParameter } from './url-parameters.js';

describe('withParameter', () => {
  it.each([
    ['#/', 'times', 'utc', '#/?times=utc'],
    ['#/assets?owner=Jin+Soo', 'times', 'utc', '#/assets?owner=Jin+Soo&times=utc'],
    ['#/assets?times=utc&owner=A', 'times', 'local', '#/assets?times=local&owner=A'],
    ['#/assets?times=utc', 'times', undefined, '#/assets'],
    ['/?find=a%26b', 'sort', 'target', '/?find=a%26b&sort=target'],
    ['/', 'sort', undefined, '/'],
    ['', 'find', 'é&=#', '?find=%C3%A9%26%3D%23'],
  ])('changes %j: %s is %j', (url, name, value, changed) => {
    expect(withParameter(url, name, value)).toBe(changed);
  });
});

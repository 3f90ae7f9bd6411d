/** The schema of any JSON value: without one, a property of type `unknown` would be described as an object. */
export const ANY_JSON = {
  anyOf: [
    { type: 'object', additionalProperties: true, nullable: true },
    { type: 'array', items: {} },
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
  ],
};

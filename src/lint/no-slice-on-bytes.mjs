const BYTES = new Set(['Uint8Array', 'Buffer']);

/**
 * `slice` of a Uint8Array makes a copy; `slice` of a Buffer, which passes for a Uint8Array everywhere, makes a view. Whoever
 * made the bytes decides which, so code that works in a test with the one kind fails with the other.
 */
export const noSliceOnBytes = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      slice:
        '`slice` copies a Uint8Array but not a Buffer: `subarray` is a view, `new Uint8Array(bytes)` a copy of either.',
    },
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    return {
      'MemberExpression[property.name="slice"]'(node) {
        if (isBytes(services.getTypeAtLocation(node.object))) {
          context.report({ node: node.property, messageId: 'slice' });
        }
      },
    };
  },
};

/** Whether a value of this type may be a Uint8Array or a Buffer. */
function isBytes(type) {
  if (type.isUnionOrIntersection()) return type.types.some(isBytes);
  const bound = type.isTypeParameter() ? type.getConstraint() : undefined;
  return bound === undefined ? BYTES.has(type.symbol?.name) : isBytes(bound);
}

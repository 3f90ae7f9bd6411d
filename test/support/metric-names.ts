/** Units that are no base units, by their names in metrics. */
const OTHER_UNITS =
  /(?:^|_)(?:milliseconds?|ms|minutes?|hours?|days?|kilobytes?|megabytes?|kb|mb|bits?|percent)(?:_|$)/;

/**
 * Returns what `promtool check metrics` (https://github.com/prometheus/client_golang/tree/main/prometheus/testutil/promlint)
 * would report about metrics in the text format.
 */
export function metricProblems(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type = '']) => {
    const problems = [
      !text.includes(`# HELP ${name} `) && 'has no help text',
      type === 'counter' && !name.endsWith('_total') && 'is a counter without the suffix _total',
      type !== 'counter' && name.endsWith('_total') && 'has the suffix _total and is no counter',
      type !== 'histogram' && name.endsWith('_bucket') && 'has the suffix _bucket and is no histogram',
      !/^(?:histogram|summary)$/.test(type) && /_(?:count|sum)$/.test(name) && 'has the suffix of a histogram',
      new RegExp(`(?:^|_)${type}(?:_|$)`).test(name) && 'contains its type',
      /[a-z][A-Z]|:/.test(name) && 'is not in snake case',
      OTHER_UNITS.test(name) && 'has no base unit',
    ];
    return problems.filter((problem) => problem !== false).map((problem) => `${name} ${problem}`);
  });
}

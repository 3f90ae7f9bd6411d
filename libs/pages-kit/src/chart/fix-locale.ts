/**
 * uPlot creates an Intl.NumberFormat for `navigator.language` when it is loaded. Some systems report a language that
 * JavaScript does not accept, such as `en-US@posix`, and uPlot would throw. Import this module before uPlot.
 */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
}

/**
 * uPlot makes a number format of the browser's language when it is loaded, and the language of some systems, such as
 * `en-US@posix`, is none that JavaScript knows: it would throw. Imported before uPlot.
 */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
}

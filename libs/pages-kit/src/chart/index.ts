export { default as Chart, type Curve } from './Chart.svelte';

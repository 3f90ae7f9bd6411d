import '../style.css';

export { default as Ago, now } from './Ago.svelte';
export { default as Code } from './Code.svelte';
export { default as CopyButton } from './CopyButton.svelte';
export { default as FullTime } from './FullTime.svelte';
export { default as HeaderMenu } from './HeaderMenu.svelte';
export { default as LongText } from './LongText.svelte';
export { default as Notice } from './Notice.svelte';
export { default as SignIn } from './SignIn.svelte';
export { default as StreamPill } from './StreamPill.svelte';
export { default as TimeSwitch } from './TimeSwitch.svelte';
export { times } from './times.svelte.ts';

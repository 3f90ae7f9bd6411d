import { mount } from 'svelte';
import '#pages-kit/components';
import App from './App.svelte';
import './explorer.css';

mount(App, { target: document.body });

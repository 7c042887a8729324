import { render } from 'preact';
import { App } from './app.tsx';
import { connect } from './state.ts';

connect();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);

import { render } from 'preact';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/shell.css';
import { App } from './app.js';
import { applyTheme } from './shell/theme.js';

applyTheme();
const root = document.getElementById('app');
if (root) render(<App />, root);

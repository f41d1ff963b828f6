import { render } from 'preact';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/shell.css';
import { App } from './app.js';
import { nameTenantInLinks } from './shell/keep-tenant.js';
import { applyTheme } from './shell/theme.js';

applyTheme();
nameTenantInLinks();
const root = document.getElementById('app');
if (root) render(<App />, root);
